"""Bad input gets one clear error: what was expected, what came, where, and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.utils._param_validation import InvalidParameterError

from tests.segmentation.samples import changed
from textprep_ml import NaiveSegmenter, RuleSegmenter, SentenceSegmenter

TEXTS = ["We met Dr. Ito. She left.", "It rains. Was it cold?"]
SPANS = [[(0, 15), (16, 25)], [(0, 9), (10, 22)]]


@pytest.mark.parametrize(
    ("texts", "spans", "error", "parts"),
    [
        ([], [], ValueError, ["SentenceSegmenter", "no documents"]),
        (["   ", ""], [[], []], ValueError, ["no inner sentence boundary", "y"]),
        (TEXTS, None, ValueError, ["SentenceSegmenter", "pass y", "spans"]),
        (TEXTS, SPANS[:1], ValueError, ["2 documents", "1 sequences"]),
        (TEXTS, [SPANS[0], [(0, 9), (10, 23)]], ValueError, ["Span 1", "document 1", "[10, 23)", "22 characters"]),
        (TEXTS, [[(-1, 7)], SPANS[1]], ValueError, ["Span 0", "document 0", "[-1, 7)"]),
        (TEXTS, [[(0, 0)], SPANS[1]], ValueError, ["Span 0", "document 0", "empty"]),
        (TEXTS, [[(0, 9), (8, 17)], SPANS[1]], ValueError, ["Span 1", "document 0", "overlaps"]),
        (TEXTS, [[(8, 17), (0, 7)], SPANS[1]], ValueError, ["Span 1", "document 0", "sort"]),
        (TEXTS, [[("a", 7)], SPANS[1]], ValueError, ["document 0", "not integers"]),
        (TEXTS, [[(0, 7, 8)], SPANS[1]], ValueError, ["document 0", "pairs"]),
        (TEXTS, [[0, 1], [0, 1]], ValueError, ["document 0", "pairs"]),
        (TEXTS, ["a.", "b."], ValueError, ["document 0"]),
        (TEXTS, [None, None], ValueError, ["document 0"]),
        (TEXTS, [[(0, 25)], [(0, 22)]], ValueError, ["no inner sentence boundary", "two sentences"]),
        (["A. B."], [[(0, 2), (3, 5)]], ValueError, ["All places", "nothing to tell apart"]),
        ("one text", SPANS, TypeError, ["[text]"]),
        (["a", 3], SPANS, TypeError, ["document 1", "int"]),
    ],
)  # fmt: skip
def test_documents_and_targets(texts: Any, spans: Any, error: type[Exception], parts: list[str]) -> None:
    with pytest.raises(error) as caught:
        SentenceSegmenter().fit(texts, spans)
    for part in parts:
        assert part in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("weights", "part"),
    [
        ([1.0], "sample_weight has shape (1,), but there are 2 documents"),
        ([[1.0], [1.0]], "shape (2, 1)"),
        ([1.0, float("nan")], "document 1"),
        ([float("inf"), 1.0], "document 0"),
        ([1.0, -2.0], "document 1"),
        (["a", "b"], "sample_weight"),
        ([0.0, 0.0], "sample_weight"),
    ],
)
def test_weights(weights: Any, part: str) -> None:
    with pytest.raises(ValueError, match="sample_weight") as caught:
        SentenceSegmenter().fit(TEXTS, SPANS, sample_weight=weights)
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("params", "parts"),
    [
        ({"candidates": "mark"}, ["candidates", "'mark'", "array-like"]),
        ({"candidates": []}, ["candidates"]),
        ({"candidates": ["marks"]}, ["candidates", "marks", "'line'"]),
        ({"candidates": [["mark"]]}, ["candidates"]),
        ({"kind_thresholds": {"gaps": 1.0}}, ["'gaps'", "kind_thresholds", "mark_line"]),
        ({"kind_thresholds": {"gap": "high"}}, ["kind_thresholds", "'gap'", "high"]),
        ({"kind_thresholds": {"gap": float("nan")}}, ["kind_thresholds", "'gap'", "nan"]),
        ({"augment": {"orignal": 1.0}}, ["'orignal'", "augment", "one_line"]),
        ({"augment": {"original": -1.0}}, ["augment", "'original'", "-1.0"]),
        ({"augment": {"original": "often"}}, ["augment", "'original'", "often"]),
        ({"templates": ["kind left.mark"]}, ["templates", "'kind' alone"]),
        ({"templates": ["kind", "left.marks"]}, ["'left.marks'", "left.mark"]),
        ({"templates": ["kind", "kind left.mark left.shape right.shape right.lead"]}, ["1 to 4", "5"]),
        ({"estimator": LinearRegression}, ["estimator"]),
        ({"abbreviations": "xx"}, ["'xx'", "en"]),
        ({"abbreviations": ["two words"]}, ["'two words'"]),
        ({"abbreviations": {"Dr": "titel"}}, ["'titel'", "title"]),
        ({"protected": [1]}, ["protected", "1"]),
        ({"protected": [""]}, ["protected", "''"]),
        ({"warm_start_from": "nowhere.json"}, ["'nowhere.json'"]),
    ],
)
def test_parameters(params: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (InvalidParameterError and ModelFormatError are some)
        SentenceSegmenter(**params).fit(TEXTS * 3, SPANS * 3)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("threshold", 0), ("threshold", 1), ("threshold", "half"), ("newline", "soft-wrap"), ("quotes", True),
        ("missing_blank", "no"), ("max_length", 0), ("max_length", 2.5), ("features", "all"), ("min_count", 0),
        ("min_word_count", 0), ("min_weight", -1.0), ("protected", "Zing!"), ("normalizer", "NFC"), ("augment", "more"),
        ("candidates", None), ("estimator", LinearRegression()), ("kind_thresholds", [1.0]), ("n_jobs", "two"),
        ("random_state", None), ("templates", "kind"), ("warm_start_from", 3),
    ],
)  # fmt: skip
def test_parameters_of_a_wrong_kind(name: str, value: Any) -> None:
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of SentenceSegmenter"):
        SentenceSegmenter(**{name: value}).fit(TEXTS, SPANS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("threshold", 1.5), ("newline", "hrad"), ("candidates", ["marks"]), ("candidates", "mark"),
        ("max_length", 0), ("quotes", "no"), ("missing_blank", "yes"), ("protected", [None]),
    ],
)  # fmt: skip
def test_options_set_after_training_are_checked_too(linear: Any, name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        changed(linear, **{name: value}).predict(TEXTS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("protected", "Zing!"), ("protected", 5), ("threshold", "x"), ("threshold", np.array([0.1, 0.2])),
        ("max_length", 2.5), ("kind_thresholds", 5), ("kind_thresholds", "ab"), ("normalizer", "x"), ("candidates", 5),
    ],
)  # fmt: skip
def test_options_set_between_uses_are_checked_as_in_fit(linear: Any, tmp_path: Any, name: str, value: Any) -> None:
    segmenter = changed(linear)
    usual, before = segmenter.split(TEXTS[0]), getattr(segmenter, name)
    segmenter.set_params(**{name: value})
    for use in (segmenter.split, segmenter.explain, lambda text: segmenter.predict([text]), segmenter.save):
        with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of SentenceSegmenter"):
            use(str(tmp_path / "model.json"))
    assert not list(tmp_path.iterdir())
    assert segmenter.set_params(**{name: before}).split(TEXTS[0]) == usual


def test_options_are_checked_only_where_they_changed(linear: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    segmenter = changed(linear)
    segmenter.split(TEXTS[0])
    monkeypatch.setattr(type(segmenter), "_validate_params", lambda self: pytest.fail("checked once more"))
    segmenter.split(TEXTS[0])


@pytest.mark.parametrize(("name", "value"), [("newline", "hrad"), ("abbreviations", 5), ("abbreviations", [5])])
def test_options_of_the_rules_are_checked_between_uses(name: str, value: Any) -> None:
    segmenter = RuleSegmenter()
    segmenter.split(TEXTS[0])
    with pytest.raises(ValueError, match=r"newline|abbreviation"):
        segmenter.set_params(**{name: value}).split(TEXTS[0])


@pytest.mark.parametrize("method", ["predict", "transform", "predict_proba", "candidate_positions", "spans", "split"])
def test_unfitted(method: str) -> None:
    with pytest.raises(NotFittedError, match="SentenceSegmenter"):
        getattr(SentenceSegmenter(), method)(TEXTS if method not in ("spans", "split") else TEXTS[0])


def test_unfitted_in_other_ways(tmp_path: Any) -> None:
    for call in (
        lambda: SentenceSegmenter().explain("Text."),
        lambda: SentenceSegmenter().save(tmp_path / "x.json"),
        lambda: SentenceSegmenter().add_abbreviations(["x"]),
        lambda: SentenceSegmenter().learn_abbreviations(TEXTS),
        lambda: SentenceSegmenter().score(TEXTS, SPANS),
        lambda: SentenceSegmenter(warm_start_from=SentenceSegmenter()).fit(TEXTS, SPANS),
    ):
        with pytest.raises(NotFittedError, match="SentenceSegmenter"):
            call()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("segmenter", [RuleSegmenter(), NaiveSegmenter()], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("method", ["spans", "split"])
def test_one_text_must_be_a_string(segmenter: Any, linear: Any, method: str) -> None:
    for each in (segmenter, linear):
        for bad in (None, b"bytes", ["a"], 3):
            with pytest.raises(TypeError, match="str"):
                getattr(each, method)(bad)
    with pytest.raises(TypeError, match="str"):
        linear.explain(None)


def test_score(linear: Any) -> None:
    for segmenter in (linear, RuleSegmenter(), NaiveSegmenter()):
        with pytest.raises(ValueError, match="score takes no sample_weight"):
            segmenter.score(TEXTS, SPANS, sample_weight=[1, 1])
        with pytest.raises(ValueError, match="2 documents but 1 sequences"):
            segmenter.score(TEXTS, SPANS[:1])
        with pytest.raises(ValueError, match="pass y"):
            segmenter.score(TEXTS, None)


class Regression(RegressorMixin, BaseEstimator):
    """Has `predict_proba`, but calls itself no classifier."""

    def fit(self, X: Any, y: Any) -> Any:
        return self

    def predict_proba(self, X: Any) -> Any:
        return X


def test_the_estimator_must_be_a_classifier() -> None:
    with pytest.raises(ValueError, match="estimator must be a classifier, got Regression"):
        SentenceSegmenter(Regression()).fit(TEXTS, SPANS)


def test_spans_with_white_space_are_learned_without_it() -> None:
    spans = [[(0, 16), (16, 25)], [(0, 10), (10, 22)]]
    loose, tight = (SentenceSegmenter(min_count=1).fit(TEXTS * 5, each * 5) for each in (spans, SPANS))
    np.testing.assert_array_equal(loose.model_.scorer.weights, tight.model_.scorer.weights)


def test_too_few_candidates_for_min_count() -> None:
    with pytest.raises(ValueError, match="Nothing occurs min_count=4 times: lower it"):
        SentenceSegmenter().fit(["We met Dr. Ito. She left."], [[(0, 15), (16, 25)]])
