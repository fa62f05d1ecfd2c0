"""WindowDiff and Pk, with values worked out by hand window by window."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textprep_ml.metrics import pk, window_diff


def document(size: int, *boundaries: int) -> list[list[tuple[int, int]]]:
    """One document of `size` characters with boundaries after so many of them."""
    return [list(pairwise([0, *boundaries, size]))]


@pytest.mark.parametrize(
    ("true", "pred", "window", "expected_diff", "expected_pk"),
    [
        # 13 units, windows of 3 start at 0 to 9. The true boundaries 4 and 11 lie in the windows from 1, 2, 3 and
        # from 8, 9; those of the other, 5 and 10, from 2, 3, 4 and from 7, 8, 9. They differ from 1, 4 and 7: 3 of 10.
        (document(13, 4, 11), document(13, 5, 10), 3, 0.3, 0.3),
        # 1 lies in the window from 0, and 8 in those from 5, 6, 7; 5 and 10 as above: all but from 1 and 7 differ.
        (document(13, 5, 10), document(13, 1, 8), 3, 0.8, 0.8),
        (document(13, 4, 11), document(13, 4, 11), 3, 0.0, 0.0),
        # Windows (0, 2] and (1, 3] hold two and one of the true boundaries 1 and 2, and one and none of the
        # others. WindowDiff counts both; to Pk the first has a boundary in either.
        (document(4, 1, 2), document(4, 1), 2, 1.0, 0.5),
        # A document shorter than the window is one window: both have a boundary, one has two.
        (document(4, 1, 2), document(4, 1), 9, 1.0, 0.0),
        (document(1), document(1), 3, 0.0, 0.0),
        ([[]], [[]], None, 0.0, 0.0),
        ([], [], None, 0.0, 0.0),
    ],
)
def test_values(true: Any, pred: Any, window: int | None, expected_diff: float, expected_pk: float) -> None:
    assert window_diff(true, pred, window=window) == pytest.approx(expected_diff)
    assert pk(true, pred, window=window) == pytest.approx(expected_pk)


def test_the_window_is_half_the_mean_true_sentence() -> None:
    """12 characters in 3 sentences: mean 4, window 2. Boundary 4 lies in the windows from 2 and 3, of 10."""
    true, pred = document(12, 4, 8), document(12, 8)
    assert window_diff(true, pred) == window_diff(true, pred, window=2) == 0.2
    # Two documents, 24 characters in 4 sentences: window 3; of the 9 windows of the first those from 1, 2, 3 differ.
    assert window_diff(true + document(12), pred + document(12)) == pytest.approx(3 / 18)


def test_tokens_as_units() -> None:
    """Tokens of 1, 5, 2, 4 characters; the true boundary is after the second, the other one inside the third.

    Units: boundary before unit 2 against before unit 3; windows of one unit from 0, 1, 2: those from 1 and 2 differ.
    """
    tokens = [[(0, 1), (2, 7), (8, 10), (11, 15)]]
    true, pred = [[(0, 7), (8, 15)]], [[(0, 9), (9, 15)]]
    assert window_diff(true, pred, tokens=tokens, window=1) == pytest.approx(2 / 3)
    assert pk(true, pred, tokens=tokens) == pytest.approx(2 / 3)


@given(st.integers(1, 15), st.sets(st.integers(1, 14)), st.sets(st.integers(1, 14)), st.integers(1, 6))
def test_values_follow_the_definition(size: int, true: set[int], pred: set[int], window: int) -> None:
    true, pred = ({place for place in places if place < size} for places in (true, pred))
    width = min(window, size - 1)
    starts = range(size - width) if width else range(0)
    counts = [[sum(i < place <= i + width for place in places) for i in starts] for places in (true, pred)]
    differing = sum(a != b for a, b in zip(*counts, strict=True))
    unlike = sum((a == 0) != (b == 0) for a, b in zip(*counts, strict=True))
    both = document(size, *sorted(true)), document(size, *sorted(pred))
    assert window_diff(*both, window=window) == pytest.approx(differing / len(starts) if len(starts) else 0)
    assert pk(*both, window=window) == pytest.approx(unlike / len(starts) if len(starts) else 0)


@pytest.mark.parametrize("window", [0, -1, 1.5])
def test_wrong_windows_are_refused(window: Any) -> None:
    with pytest.raises(ValueError, match="expected a number of units from 1 on"):
        window_diff(document(4), document(4), window=window)
