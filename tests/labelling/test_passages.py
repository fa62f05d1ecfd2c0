"""Passages cover a document without a gap and hold what the page shows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textprep_ml import SentenceSegmenter
from textprep_ml.labelling.passages import count_doubtful, cut_passages, describe_passage
from textprep_ml.labelling.scoring import CERTAIN, ScoredText, score_text


@given(st.text(alphabet="ab \n😀", max_size=200), st.integers(1, 20))
def test_passages_cover_the_text(text: str, length: int) -> None:
    cuts = cut_passages(text, length)
    assert cuts[0] == 0
    assert cuts[-1] == len(text)
    assert (np.diff(cuts) > 0).all() or not text
    assert (np.diff(cuts) <= length).all()


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        ("One two.\n\nThree four five", [0, 10, 16, 25]),  # a blank line, then a blank
        ("One\ntwo three", [0, 4, 13]),
        ("One two three", [0, 8, 13]),
        ("x" * 25, [0, 10, 20, 25]),
        ("", [0, 0]),
    ],
)
def test_cuts_are_made_where_they_do_least_harm(text: str, cuts: list[int]) -> None:
    assert cut_passages(text, 10).tolist() == cuts


def scored() -> ScoredText:
    return ScoredText(
        ends=np.array([4, 9, 14]),
        starts=np.array([5, 10, 15]),
        kinds=np.array([0, CERTAIN, 0]),
        margins=np.array([0.0, 100.0, -9.0]),
        probabilities=np.array([0.5, 1.0, 0.0001]),
        decisions=np.array([True, True, False]),
    )


def test_a_passage_has_the_places_that_end_in_it() -> None:
    text = "One. Two.\n\nFo. Five."
    first = describe_passage(text, 0, 9, scored(), {4: False, 7: True})
    second = describe_passage(text, 9, 20, scored(), {4: False, 7: True})
    assert first["places"] == [
        [4, "mark", 0.5, True, False],
        [7, "own", 0.0, False, True],
        [9, "paragraph", 1.0, True, None],
    ]
    assert second["places"] == [[14, "mark", 0.0, False, None]]
    assert second["text"] == text[9:]


def test_every_place_is_in_one_passage() -> None:
    text = " ".join(f"We met Dr. No. {number}. It ran." for number in range(200))
    candidates = score_text(SentenceSegmenter.load("en"), text)
    cuts = cut_passages(text, 300)
    found = [
        place[0]
        for start, end in zip(cuts[:-1], cuts[1:], strict=True)
        for place in describe_passage(text, int(start), int(end), candidates, {})["places"]
    ]
    assert found == candidates.ends.tolist()


def test_doubtful_places_are_counted_without_the_labelled() -> None:
    assert count_doubtful(scored(), {}) == 1
    assert count_doubtful(scored(), {4: True}) == 0
