"""Measures that give credit for near misses: WindowDiff and Pk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from textprep_ml.metrics._packed import Ints, check_same_length, pack


def window_diff(y_true: Any, y_pred: Any, *, tokens: Sequence[Any] | None = None, window: int | None = None) -> float:
    """Give WindowDiff [1]_: the share of windows with another number of boundaries than the truth has there.

    Parameters
    ----------
    y_true, y_pred : sequence of sequences of (int, int)
        Sentence spans of each document.
    tokens : sequence of sequences of (int, int), optional
        Token spans of each document, which become the units. By default characters are, up to the end of the last
        sentence.
    window : int, optional
        Number of units between the two ends of the window. By default half the mean length of the sentences in
        `y_true`, rounded, at least 1.

    Returns
    -------
    float
        Between 0 (equal) and 1. All windows of all documents count the same; a document that is shorter than the
        window has one window, which spans it whole; where no document has two units, 0.

    Raises
    ------
    ValueError
        If `window` is less than 1, or spans are wrong.

    Notes
    -----
    A document of N units has N - k windows; the i-th counts the boundaries between unit i and unit i + k.

    References
    ----------
    .. [1] L. Pevzner, M. A. Hearst (2002). A Critique and Improvement of an Evaluation Metric for Text
    Segmentation. Computational
       Linguistics 28(1), 19-36.

    Examples
    --------
    Six units, a boundary after the second one that was put after the third, windows of two:

    >>> tokens = [[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]]
    >>> window_diff([[(0, 2), (2, 6)]], [[(0, 3), (3, 6)]], tokens=tokens, window=2)
    0.5
    """
    differing, total = 0, 0
    for true, pred in _window_counts(y_true, y_pred, tokens, window):
        differing += int(np.count_nonzero(true != pred))
        total += len(true)
    return differing / total if total else 0.0


def pk(y_true: Any, y_pred: Any, *, tokens: Sequence[Any] | None = None, window: int | None = None) -> float:
    """Give Pk [1]_: the share of windows for which "both ends lie in one sentence" is not what the truth says.

    Parameters
    ----------
    y_true, y_pred : sequence of sequences of (int, int)
        Sentence spans of each document.
    tokens : sequence of sequences of (int, int), optional
        Token spans of each document, which become the units. By default characters are, up to the end of the last
        sentence.
    window : int, optional
        Number of units between the two ends of the window. By default half the mean length of the sentences in
        `y_true`, rounded, at least 1.

    Returns
    -------
    float
        Between 0 (equal) and 1, over the same windows as `window_diff`, which it never exceeds.

    Raises
    ------
    ValueError
        If `window` is less than 1, or spans are wrong.

    References
    ----------
    .. [1] D. Beeferman, A. Berger, J. Lafferty (1999). Statistical Models for Text Segmentation. Machine Learning
    34, 177-210.

    Examples
    --------
    >>> tokens = [[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]]
    >>> pk([[(0, 2), (2, 6)]], [[(0, 3), (3, 6)]], tokens=tokens, window=2)
    0.5
    """
    differing, total = 0, 0
    for true, pred in _window_counts(y_true, y_pred, tokens, window):
        differing += int(np.count_nonzero((true == 0) != (pred == 0)))
        total += len(true)
    return differing / total if total else 0.0


def _window_counts(
    y_true: Any, y_pred: Any, tokens: Sequence[Any] | None, window: int | None
) -> Iterator[tuple[Ints, Ints]]:
    """Give for each document the numbers of true and of predicted boundaries in each of its windows."""
    if window is not None and (not isinstance(window, int | np.integer) or window < 1):
        raise ValueError(f"window is {window!r}; expected a number of units from 1 on, or None.")
    true, pred = pack(y_true, "y_true"), pack(y_pred, "y_pred")
    check_same_length(true.n_documents, y_pred=pred)
    ends = [
        np.split(spans.ends, np.searchsorted(spans.document, np.arange(1, spans.n_documents))) for spans in (true, pred)
    ]
    if not true.n_documents:
        return
    starts = None
    if tokens is not None:
        units = pack(tokens, "tokens")
        check_same_length(true.n_documents, tokens=units)
        starts = np.split(units.starts, np.searchsorted(units.document, np.arange(1, units.n_documents)))
    sizes = [
        len(starts[index]) if starts is not None else int(max(*a[-1:], *b[-1:], 0, 0))
        for index, (a, b) in enumerate(zip(*ends, strict=True))
    ]
    if window is None:
        window = max(1, round(sum(sizes) / max(1, len(true.ends)) / 2))
    for index, size in enumerate(sizes):
        width = min(window, size - 1)
        if width < 1:
            continue
        places = [side[index][:-1] for side in ends]  # the final boundary separates nothing
        if starts is not None:
            places = [np.searchsorted(starts[index], side) for side in places]
        yield _counts_in_windows(places[0], size, width), _counts_in_windows(places[1], size, width)


def _counts_in_windows(places: Ints, size: int, width: int) -> Ints:
    """Count, for each i, the boundaries between unit i and unit i + `width`; one at place p stands before unit p."""
    marks = np.zeros(size, dtype=np.int64)
    marks[places[(places > 0) & (places < size)]] = 1
    up_to = np.cumsum(marks)
    return up_to[width:] - up_to[:-width]
