"""Token scores and wrong cuts."""

from __future__ import annotations

import pytest

from textprep_ml.metrics import (
    compare_counts,
    intervals_of_counts,
    span_scores,
    token_counts,
    token_errors,
    token_scores,
)
from textprep_ml.metrics.tokens import cut_kind


def test_scores_by_hand() -> None:
    # Gold: it 's so good; found: it's so good. 2 of 3 found tokens are right, 2 of 4 gold tokens are found.
    texts, gold, found = ["it's so good"], [[(0, 2), (2, 4), (5, 7), (8, 12)]], [[(0, 4), (5, 7), (8, 12)]]
    scores = token_scores(texts, gold, found)
    assert scores["precision"] == pytest.approx(2 / 3)
    assert scores["recall"] == pytest.approx(2 / 4)
    assert scores["f1"] == pytest.approx(4 / 7)


def test_white_space_does_not_count() -> None:
    # "80 000" is one token of gold; the tokenizer that leaves the blank at its end is as right.
    assert token_scores(["a b"], [[(0, 1), (2, 3)]], [[(0, 2), (2, 3)]])["f1"] == 1.0
    assert span_scores([[(0, 1), (2, 3)]], [[(0, 2), (2, 3)]])["f1"] < 1.0


@pytest.mark.parametrize(
    ("text", "position", "kind"),
    [
        ("is" + "n't", 2, "contraction"),
        ("it’s", 2, "contraction"),
        ("e-mail", 1, "hyphen"),
        ("U.S.", 3, "period"),
        ("5pm", 1, "number"),
        ("!!", 1, "marks"),
        ("cannot", 3, "word"),
        ("a/b", 1, "other"),
    ],
)
def test_kinds(text: str, position: int, kind: str) -> None:
    assert cut_kind(text, position) == kind


def test_errors_are_counted_in_both_directions() -> None:
    rows = token_errors(["it's e-mail"], [[(0, 2), (2, 4), (5, 11)]], [[(0, 4), (5, 6), (6, 7), (7, 11)]], n_examples=1)
    assert [(row["kind"], row["false_positives"], row["misses"]) for row in rows] == [
        ("hyphen", 2, 0),
        ("contraction", 0, 1),
    ]
    assert rows[0]["examples"] == ["it's e¦-mail"]
    assert token_errors(["a"], [[(0, 1)]], [[(0, 1)]]) == []
    with pytest.raises(ValueError, match="shorter"):
        token_errors(["a"], [], [])


def test_counts_of_documents_add_up_to_the_scores() -> None:
    texts = ["It's so", "a b", ""]
    true = [[(0, 2), (2, 4), (5, 7)], [(0, 1), (2, 3)], []]
    found = [[(0, 4), (5, 7)], [(0, 1), (2, 3)], []]
    counts = token_counts(texts, true, found)
    assert counts.tolist() == [[1, 3, 2], [2, 2, 2], [0, 0, 0]]
    scores = token_scores(texts, true, found)
    assert counts.sum(axis=0).tolist() == [scores[name] for name in ("n_correct", "n_true", "n_pred")]
    intervals = intervals_of_counts(counts)
    assert intervals["f1"][0] < scores["f1"] < intervals["f1"][1]
    assert compare_counts(counts, counts)["difference"] == 0
