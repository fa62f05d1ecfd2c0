"""Boundary, span and candidate scores. The expected values were worked out by hand from the definitions."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score

from tests.growth import Task, assert_growth
from textprep_ml._validation import span_array
from textprep_ml.metrics import (
    boundary_counts,
    boundary_f1_score,
    boundary_scores,
    candidate_error_rate,
    drop_white_space,
    span_scores,
    token_spans,
    window_diff,
)


def spans_of(ends: list[int]) -> list[tuple[int, int]]:
    """Sentences without gaps, given where they end."""
    return list(pairwise([0, *ends]))


@st.composite
def segmentations(draw: st.DrawFn) -> list[list[tuple[int, int]]]:
    ends = st.lists(st.integers(1, 30), max_size=8, unique=True).map(sorted)
    return [spans_of(item) for item in draw(st.lists(ends, min_size=3, max_size=3))]


# "Aa. Bb. Cc." with the gold sentences, and with the last two taken as one.
GOLD = [[(0, 3), (4, 7), (8, 11)]]
PRED = [[(0, 3), (4, 11)]]


def rounded(scores: dict[str, Any]) -> tuple[float, ...]:
    return tuple(round(scores[name], 4) for name in ("precision", "recall", "f1"))


def test_inner_boundaries_final_boundaries_and_exact_sentences() -> None:
    """Case E01. Inner: {3} of {3, 7}. With the final one: {3, 11} of {3, 7, 11}. Exact: one of three, among two."""
    assert rounded(boundary_scores(GOLD, PRED)) == (1.0, 0.5, 0.6667)
    assert rounded(boundary_scores(GOLD, PRED, include_final=True)) == (1.0, 0.6667, 0.8)
    assert rounded(span_scores(GOLD, PRED)) == (0.5, 0.3333, 0.4)
    assert boundary_f1_score(GOLD, PRED, include_final=True) == 0.8


def test_documents_are_summed_before_the_scores_are_made() -> None:
    """Micro average: 1 + 0 right of 2 + 1 true ones, among 1 + 2 found."""
    true = [GOLD[0], [(0, 5), (6, 9)]]
    pred = [PRED[0], [(0, 2), (2, 4), (4, 9)]]
    assert boundary_counts(true, pred).tolist() == [[1, 2, 1], [0, 1, 2]]
    scores = boundary_scores(true, pred)
    assert (scores["precision"], scores["recall"], scores["f1"]) == (1 / 3, 1 / 3, 1 / 3)
    assert (scores["n_correct"], scores["n_true"], scores["n_pred"]) == (1, 3, 3)


def test_boundaries_of_one_document_do_not_count_in_another() -> None:
    assert boundary_counts([[(0, 3), (4, 7)], [(0, 7)]], [[(0, 7)], [(0, 3), (4, 7)]]).tolist() == [
        [0, 1, 0],
        [0, 0, 1],
    ]


@pytest.mark.parametrize(
    ("true", "pred", "expected"),
    [
        ([], [], (1.0, 1.0, 1.0)),  # no documents
        ([[]], [[]], (1.0, 1.0, 1.0)),  # an empty document
        ([[(0, 5)]], [[(0, 5)]], (1.0, 1.0, 1.0)),  # a single sentence has no inner boundary
        ([[(0, 5)]], [[(0, 2), (2, 5)]], (0.0, 0.0, 0.0)),  # nothing to find, something found
        ([[(0, 2), (2, 5)]], [[(0, 5)]], (0.0, 0.0, 0.0)),  # something to find, nothing found
        ([[(0, 2), (2, 5)]], [[]], (0.0, 0.0, 0.0)),
    ],
)
def test_scores_are_defined_where_there_is_nothing(true: Any, pred: Any, expected: tuple[float, ...]) -> None:
    assert rounded(boundary_scores(true, pred)) == expected
    assert all(type(value) in (int, float) for value in boundary_scores(true, pred).values())


@given(segmentations(), segmentations(), st.booleans())
def test_counts_are_those_of_sets(true: Any, pred: Any, include_final: bool) -> None:
    last = None if include_final else -1
    for row, gold, found in zip(boundary_counts(true, pred, include_final=include_final), true, pred, strict=True):
        gold_ends, found_ends = ({end for _, end in spans[:last]} for spans in (gold, found))
        assert row.tolist() == [len(gold_ends & found_ends), len(gold_ends), len(found_ends)]


@given(st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(6, 9)), max_size=6), min_size=2, max_size=2))
def test_equal_spans_are_matched_one_to_one(both: list[list[tuple[int, int]]]) -> None:
    scores = span_scores([both[0]], [both[1]])
    assert scores["n_correct"] == (Counter(both[0]) & Counter(both[1])).total()


def test_span_scores_take_unsorted_and_equal_spans() -> None:
    """The words zu + dem share the span of zum: two of three words are right."""
    assert span_scores([[(4, 7), (0, 3), (0, 3)]], [[(0, 3), (0, 3), (4, 6)]])["n_correct"] == 2


def test_error_rate_over_candidates() -> None:
    """Four candidates; 3 is right as a boundary, 5 as none, 7 was missed, 11 is right: one of four is wrong."""
    assert candidate_error_rate(GOLD, PRED, [[3, 5, 7, 11]]) == 0.25
    assert candidate_error_rate(GOLD, PRED, [[5]]) == 0.0
    assert candidate_error_rate(GOLD, PRED, [[7, 7]]) == 1.0
    assert candidate_error_rate(GOLD, PRED, [[]]) == 0.0
    assert candidate_error_rate([], [], []) == 0.0
    assert candidate_error_rate(GOLD, GOLD, [[3, 40]]) == 0.0
    with pytest.raises(TypeError, match="candidates, document 0"):
        candidate_error_rate(GOLD, PRED, [[1.5]])
    with pytest.raises(ValueError, match="y_true has 1 documents, but candidates has 2"):
        candidate_error_rate(GOLD, PRED, [[3], [3]])


def test_white_space_can_be_left_out_of_account() -> None:
    """The same tokens, once with their blank: "It is. " -> It, is, . in the text "Itis."."""
    text = "It is.\u3000\n 🙂"
    true, pred = [[(0, 2), (3, 5), (5, 6), (9, 10)]], [[(0, 3), (3, 5), (5, 7), (7, 8), (8, 10)]]
    assert span_scores(true, pred)["n_correct"] == 1
    counted = [drop_white_space([text], y) for y in (true, pred)]
    assert counted[0][0].tolist() == counted[1][0].tolist() == [[0, 2], [2, 4], [4, 5], [5, 6]]
    assert token_spans(["It", "is", ".", "\n", "🙂"]).tolist() == counted[0][0].tolist()
    assert token_spans([]).tolist() == []
    with pytest.raises(ValueError, match="y, document 0: a span ends at 9, but the text has 2 characters"):
        drop_white_space(["ab"], [[(0, 9)]])


@given(st.lists(st.text("ab \n\u3000é\ud800", max_size=4), max_size=6))
def test_tokens_and_spans_agree(tokens: list[str]) -> None:
    text = "".join(tokens)
    ends = np.cumsum([len(token) for token in tokens]).tolist()
    spans = [(end - len(token), end) for token, end in zip(tokens, ends, strict=True) if token]
    assert drop_white_space([text], [spans])[0].tolist() == token_spans(tokens).tolist()


@pytest.mark.parametrize(
    ("y", "error", "words"),
    [
        ([[(0, 3), (2, 5)]], ValueError, r"y_true, document 0: span 1 is \[2, 5\): sort the spans and remove overlaps"),
        ([[], [(4, 5), (0, 3)]], ValueError, r"document 1: span 1 is \[0, 3\)"),
        ([[(3, 3)]], ValueError, "it is empty or negative"),
        ([[(-1, 3)]], ValueError, "it is empty or negative"),
        ([(0, 3), (4, 7)], TypeError, r"document 0 is no sequence of \(start, end\) pairs.*one sequence per document"),
        ([[(0, 3, 4)]], TypeError, "no sequence of"),
        ([[(0, 3), (4,)]], TypeError, "no sequence of"),
        ([[(0.0, 3.5)]], TypeError, "not integers"),
        ("text", TypeError, "y_true is str"),
        (7, TypeError, "y_true is int"),
    ],
)
def test_wrong_spans_are_refused(y: Any, error: type[Exception], words: str) -> None:
    for function in (boundary_scores, window_diff, lambda a, b: candidate_error_rate(a, b, [])):
        with pytest.raises(error, match=words):
            function(y, y)


def test_different_numbers_of_documents_are_refused() -> None:
    with pytest.raises(ValueError, match="y_true has 1 documents, but y_pred has 2"):
        boundary_scores([[]], [[], []])


def test_all_containers_agree() -> None:
    expected = boundary_scores(GOLD, PRED)
    for make in (
        lambda y: [np.array(spans, dtype=np.intp) for spans in y],
        lambda y: span_array(np.array(spans) for spans in y),
        lambda y: tuple(tuple(map(tuple, spans)) for spans in y),
        lambda y: np.array(y),
    ):
        assert boundary_scores(make(GOLD), make(PRED)) == expected


class EveryNth(BaseEstimator):
    """A segmenter that ends a sentence at every n-th character."""

    def __init__(self, n: int = 1) -> None:
        self.n = n

    def fit(self, X: Any, y: Any) -> EveryNth:
        return self

    def predict(self, X: Any) -> np.ndarray:
        return span_array(np.array([(i, min(i + self.n, len(x))) for i in range(0, len(x), self.n)]) for x in X)


def test_scores_work_with_scikit_learns_scorers() -> None:
    X = ["abcdefgh"] * 6
    y = [spans_of([4, 8])] * 6
    # Every second character: boundaries 2, 4, 6, of which 4 is right: precision 1/3, recall 1, F1 1/2.
    scorer = make_scorer(boundary_f1_score)
    assert cross_val_score(EveryNth(2), X, y, scoring=scorer, cv=3).tolist() == [0.5, 0.5, 0.5]
    search = GridSearchCV(EveryNth(), {"n": [1, 2, 4]}, scoring=scorer, cv=2).fit(X, span_array(y))
    assert search.best_params_ == {"n": 4}
    assert search.best_score_ == 1.0
    loss = make_scorer(window_diff, greater_is_better=False)
    assert GridSearchCV(EveryNth(), {"n": [1, 2, 4]}, scoring=loss, cv=2).fit(X, y).best_params_ == {"n": 4}


def test_time_grows_with_the_number_of_sentences_only() -> None:
    def measuring(n: int) -> Task:
        true, pred = [spans_of(list(range(5, n, 5)))] * 3, [spans_of(list(range(7, n, 7)))] * 3
        true, pred = [np.array(spans) for spans in true], [np.array(spans) for spans in pred]
        measures = (boundary_scores, span_scores, window_diff)
        return lambda: [measure(true, pred) for measure in measures]

    assert_growth(measuring, 100_000)
