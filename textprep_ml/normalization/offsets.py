"""The map between a raw text and what normalization made of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

import numpy as np

from textprep_ml._unicode_table import EXTEND, class_of
from textprep_ml._validation import shorten

#: One rewriting: the characters from start to end become the replacement.
Edit = tuple[int, int, str]


def _narrow(values: np.ndarray, greatest: int) -> np.ndarray:
    """Store values up to `greatest` in the smallest unsigned type."""
    return values.astype(np.min_scalar_type(greatest))


class Layer:
    """The map of one pass over a text, as runs of equal cells.

    A cell is a group of raw characters that together became a group of new ones: one to one where nothing moved, two
    to one for a letter and its composed accent, one to none for a dropped character. A run is a row of cells of the
    same two widths. So a text in which little changes takes a few bytes, and a text in which every character changes
    its length about ten bytes per change.

    Parameters
    ----------
    runs : ndarray of shape (n_runs, 4)
        Raw start, new start, raw width, new width. The first run starts at 0; each goes to where the next starts.
    raw_length, new_length : int
        Characters in both texts.
    """

    __slots__ = ("new_length", "new_starts", "new_widths", "raw_length", "raw_starts", "raw_widths")

    def __init__(self, runs: np.ndarray, raw_length: int, new_length: int) -> None:
        # Places up to the length are looked up among the starts, so the type of the starts must hold them.
        self.raw_starts = _narrow(runs[:, 0], raw_length)
        self.new_starts = _narrow(runs[:, 1], new_length)
        self.raw_widths = _narrow(runs[:, 2], int(runs[:, 2].max()))
        self.new_widths = _narrow(runs[:, 3], int(runs[:, 3].max()))
        self.raw_length = raw_length
        self.new_length = new_length

    @property
    def nbytes(self) -> int:
        """Memory of the runs in bytes."""
        return sum(array.nbytes for array in (self.raw_starts, self.new_starts, self.raw_widths, self.new_widths))

    def to_raw(self, spans: np.ndarray) -> np.ndarray:
        """Carry spans of the new text to the raw text."""
        return _carry(
            spans,
            (self.new_starts, self.new_widths, self.new_length),
            (self.raw_starts, self.raw_widths, self.raw_length),
        )

    def to_new(self, spans: np.ndarray) -> np.ndarray:
        """Carry spans of the raw text to the new text."""
        return _carry(
            spans,
            (self.raw_starts, self.raw_widths, self.raw_length),
            (self.new_starts, self.new_widths, self.new_length),
        )


def _carry(
    spans: np.ndarray, source: tuple[np.ndarray, np.ndarray, int], target: tuple[np.ndarray, np.ndarray, int]
) -> np.ndarray:
    """Carry each span to the union of what the cells it touches became."""
    length, target_length = source[2], target[2]
    empty = spans[:, 0] == spans[:, 1]
    carried = np.empty_like(spans)
    # An empty span at the end of the text has no cell; it is carried to the end of the other text.
    start = np.minimum(spans[:, 0], max(length - 1, 0))
    end = np.where(empty, start, spans[:, 1] - 1)
    if length == 0:
        carried[:] = target_length
        return carried
    carried[:, 0] = _cell(start, source, target)[0]
    carried[:, 1] = _cell(end, source, target)[1]
    carried[empty, 1] = carried[empty, 0]
    carried[spans[:, 0] == length] = target_length
    return carried


def _cell(
    places: np.ndarray, source: tuple[np.ndarray, np.ndarray, int], target: tuple[np.ndarray, np.ndarray, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Give start and end, in the target, of the cell of each character of the source."""
    # Several runs may start at one place where some of them are empty here; the last one is the one that holds the
    # character.
    run = np.searchsorted(source[0], places.astype(source[0].dtype), side="right") - 1
    inside = (places - source[0][run].astype(np.intp)) // np.maximum(source[1][run], 1).astype(np.intp)
    width = target[1][run].astype(np.intp)
    start = target[0][run].astype(np.intp) + inside * width
    return start, start + width


class OffsetMap:
    """Carries character spans between a normalized text and the raw text it came from.

    Parameters
    ----------
    raw_length : int
        Characters in the raw text.
    layers : sequence of Layer
        One per pass that moved characters, first pass first; none says that every character stayed at its place.

    Notes
    -----
    A span of the normalized text maps to the smallest raw span that produced it: a composed letter maps to the base
    and its marks, each part of an expanded ligature to the whole ligature, dropped characters belong to a span only
    when they lie inside it. In both directions starts never go back, nor do the ends of spans that hold something.
    Spans are half-open and counted in code points.

    Examples
    --------
    >>> from textprep_ml.normalization import TextNormalizer
    >>> normalized, offsets = TextNormalizer(form="NFKC").align("ﬁne cup…")
    >>> normalized
    'fine cup...'
    >>> offsets.to_raw(0, 2), offsets.to_raw(8, 9), offsets.to_normalized(0, 1)
    ((0, 1), (7, 8), (0, 2))
    """

    __slots__ = ("layers", "raw_length")

    def __init__(self, raw_length: int, layers: Sequence[Layer] = ()) -> None:
        self.raw_length = raw_length
        self.layers = tuple(layers)

    def __repr__(self) -> str:
        return (
            f"OffsetMap(raw_length={self.raw_length}, normalized_length={self.normalized_length}, nbytes={self.nbytes})"
        )

    @property
    def normalized_length(self) -> int:
        """Characters in the normalized text."""
        return self.layers[-1].new_length if self.layers else self.raw_length

    @property
    def nbytes(self) -> int:
        """Memory of the map in bytes."""
        return sum(layer.nbytes for layer in self.layers)

    @property
    def is_identity(self) -> bool:
        """Whether every span is carried to itself."""
        return not self.layers

    def then(self, other: OffsetMap) -> OffsetMap:
        """Put the map of a further normalization behind this one.

        Parameters
        ----------
        other : OffsetMap
            The map of a normalization of this map's normalized text.

        Returns
        -------
        OffsetMap
            From this map's raw text to the other's normalized text.

        Raises
        ------
        ValueError
            If the lengths of the text between them differ.
        """
        if other.raw_length != self.normalized_length:
            raise ValueError(
                f"The maps do not meet: the first ends in a text of {self.normalized_length} characters, "
                f"the second starts from one of {other.raw_length}. "
                "Align the second normalizer on the text that the first one gave."
            )
        return OffsetMap(self.raw_length, self.layers + other.layers)

    @overload
    def to_raw(self, spans: int, end: int) -> tuple[int, int]: ...
    @overload
    def to_raw(self, spans: Any, end: None = None) -> np.ndarray: ...
    def to_raw(self, spans: Any, end: int | None = None) -> tuple[int, int] | np.ndarray:
        """Carry spans of the normalized text to the raw text.

        Parameters
        ----------
        spans : array-like of shape (n_spans, 2), or int
            Half-open spans; or the start of one span.
        end : int, optional
            The end of the one span.

        Returns
        -------
        ndarray of shape (n_spans, 2), or tuple of int
            Spans of the raw text, dtype intp; a pair when `end` was given. An empty span maps to an empty one.

        Raises
        ------
        ValueError
            If a span ends before it starts or reaches outside the normalized text.
        """
        carried = _check(spans, end, self.normalized_length, "normalized")
        for layer in reversed(self.layers):
            carried = layer.to_raw(carried)
        return carried if end is None else (int(carried[0, 0]), int(carried[0, 1]))

    @overload
    def to_normalized(self, spans: int, end: int) -> tuple[int, int]: ...
    @overload
    def to_normalized(self, spans: Any, end: None = None) -> np.ndarray: ...
    def to_normalized(self, spans: Any, end: int | None = None) -> tuple[int, int] | np.ndarray:
        """Carry spans of the raw text to the normalized text.

        Parameters
        ----------
        spans : array-like of shape (n_spans, 2), or int
            Half-open spans; or the start of one span.
        end : int, optional
            The end of the one span.

        Returns
        -------
        ndarray of shape (n_spans, 2), or tuple of int
            The smallest spans of the normalized text that hold all that the raw characters became, dtype intp; a pair
            when `end` was given. The span of dropped characters is empty.

        Raises
        ------
        ValueError
            If a span ends before it starts or reaches outside the raw text.
        """
        carried = _check(spans, end, self.raw_length, "raw")
        for layer in self.layers:
            carried = layer.to_new(carried)
        return carried if end is None else (int(carried[0, 0]), int(carried[0, 1]))

    def character_spans(self) -> np.ndarray:
        """Give the raw span of every normalized character.

        Returns
        -------
        ndarray of shape (normalized_length, 2)
            Dtype intp.
        """
        starts = np.arange(self.normalized_length, dtype=np.intp)
        return self.to_raw(np.column_stack([starts, starts + 1]))


def _check(spans: Any, end: int | None, length: int, name: str) -> np.ndarray:
    array = np.asarray(spans if end is None else [(spans, end)])
    if array.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            f"OffsetMap expects whole-number spans of shape (n_spans, 2), but got {array.dtype} of "
            f"shape {array.shape}: {shorten(spans)}."
        )
    array = array.astype(np.intp)
    bad = (array[:, 0] < 0) | (array[:, 1] < array[:, 0]) | (array[:, 1] > length)
    if bad.any():
        index = int(bad.argmax())
        raise ValueError(
            f"Span {index} is [{array[index, 0]}, {array[index, 1]}), not inside the {name} text of "
            f"{length} characters."
        )
    return array


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Rewrite a text.

    Parameters
    ----------
    text : str
        Any text.
    edits : iterable of (int, int, str)
        Sorted and free of overlaps.

    Returns
    -------
    str
        The text with each span replaced.
    """
    parts: list[str] = []
    position = 0
    for start, end, new in edits:
        parts += text[position:start], new
        position = end
    parts.append(text[position:])
    return "".join(parts)


def layer_from_edits(text: str, edits: Iterable[Edit]) -> Layer | None:
    """Build the map of a rewriting.

    Parameters
    ----------
    text : str
        The text before.
    edits : iterable of (int, int, str)
        Sorted and free of overlaps.

    Returns
    -------
    Layer or None
        None where no character moved.
    """
    runs: list[tuple[int, int, int, int]] = []
    raw = new = 0
    for start, end, width in _whole_graphemes(text, edits):
        if end - start == 1 == width:
            continue
        if start > raw:
            runs.append((raw, new, 1, 1))
            new += start - raw
        runs.append((start, new, end - start, width))
        raw, new = end, new + width
    if not runs:
        return None
    if raw < len(text):
        runs.append((raw, new, 1, 1))
    return Layer(np.array(runs, dtype=np.int64), len(text), new + len(text) - raw)


def _whole_graphemes(text: str, edits: Iterable[Edit]) -> list[tuple[int, int, int]]:
    """Widen each edit so that it cuts no mark off, join edits that meet so; give start, end and new width."""
    cells: list[tuple[int, int, int]] = []
    for start, end, replacement in edits:
        first, last, growth = start, end, len(replacement) - (end - start)
        floor = cells[-1][1] if cells else 0
        while floor < first < len(text) and class_of(text[first]) & EXTEND:
            first -= 1
        while first < last < len(text) and class_of(text[last]) & EXTEND:
            last += 1
        if cells and start < floor:
            before = cells.pop()
            first, last, growth = before[0], max(last, before[1]), growth + before[2] - (before[1] - before[0])
        cells.append((first, last, last - first + growth))
    return cells
