"""Spans of all documents in a few flat arrays: checked once, then compared without a loop over spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_SHOWN = 80


class Packed(NamedTuple):
    """The spans of several documents, one after the other."""

    starts: Ints
    ends: Ints
    #: Index of the document of each span.
    document: Ints
    n_documents: int

    def is_final(self) -> NDArray[np.bool_]:
        """Mark the last span of each document."""
        if not len(self.document):
            return np.zeros(0, dtype=bool)
        return np.append(self.document[1:] != self.document[:-1], True)


def pack(y: Any, name: str, *, ordered: bool = True) -> Packed:
    """Check one sequence of spans per document and pack them.

    Parameters
    ----------
    y : sequence of sequences of (int, int)
        Spans of each document.
    name : str
        What errors call it, such as ``"y_true"``.
    ordered : bool
        Whether spans must be sorted and must not overlap, as sentences do.

    Returns
    -------
    Packed
        Flat arrays.

    Raises
    ------
    TypeError
        If `y` is no sequence of sequences of spans, or they hold other values than integers.
    ValueError
        If a span is empty, negative, unsorted or overlaps the one before; the message names document and span.
    """
    if isinstance(y, str | bytes | dict) or not hasattr(y, "__len__"):
        raise TypeError(f"{name} is {type(y).__name__}; expected one sequence of (start, end) spans per document.")
    arrays = [_as_array(spans, f"{name}, document {index}") for index, spans in enumerate(y)]
    flat = np.concatenate(arrays) if arrays else np.empty((0, 2), dtype=np.int64)
    document = np.repeat(np.arange(len(arrays)), [len(array) for array in arrays])
    packed = Packed(flat[:, 0], flat[:, 1], document, len(arrays))
    _check(packed, arrays, name, ordered)
    return packed


def _as_array(spans: Any, where: str) -> Ints:
    try:
        array = np.asarray(spans)
    except ValueError:  # ragged
        array = np.empty(1)
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise TypeError(
            f"{where} is no sequence of (start, end) pairs: {_shorten(spans)}. Pass one sequence per document."
        )
    if array.dtype.kind not in "iu":
        raise TypeError(f"{where} holds values that are not integers: {_shorten(spans)}.")
    return array.astype(np.int64, copy=False)


def _check(packed: Packed, arrays: Sequence[Ints], name: str, ordered: bool) -> None:
    starts, ends, document, _ = packed
    wrong = (starts < 0) | (ends <= starts)
    if ordered:
        wrong[1:] |= (starts[1:] < ends[:-1]) & (document[1:] == document[:-1])
    if not wrong.any():
        return
    first = int(np.argmax(wrong))
    start, end, place = int(starts[first]), int(ends[first]), int(document[first])
    index = first - int(np.searchsorted(document, place))
    reason = "it is empty or negative" if start < 0 or end <= start else "sort the spans and remove overlaps"
    raise ValueError(f"{name}, document {place}: span {index} is [{start}, {end}): {reason}.")


def check_same_length(n_documents: int, **others: Any) -> None:
    """Refuse sequences that have another number of documents than `y_true`."""
    for name, other in others.items():
        count = other.n_documents if isinstance(other, Packed) else len(other)
        if count != n_documents:
            raise ValueError(f"y_true has {n_documents} documents, but {name} has {count}.")


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def boundary_keys(packed: Packed, stride: int, include_final: bool) -> Ints:
    """Number every boundary uniquely over all documents, in ascending order.

    Parameters
    ----------
    packed : Packed
        Sentences.
    stride : int
        More than any position.
    include_final : bool
        Whether the end of the last sentence of a document is a boundary.

    Returns
    -------
    ndarray of int
        Document times `stride` plus position.
    """
    keys = packed.document * stride + packed.ends
    return keys if include_final else keys[~packed.is_final()]


def stride_of(*packed: Packed) -> int:
    """Give a number above all positions."""
    return 1 + max((int(spans.ends.max()) for spans in packed if len(spans.ends)), default=0)


def contains(sorted_keys: Ints, keys: Ints) -> NDArray[np.bool_]:
    """Tell for each of `keys` whether it is among `sorted_keys`."""
    if not len(sorted_keys):
        return np.zeros(len(keys), dtype=bool)
    place = np.searchsorted(sorted_keys, keys)
    place[place == len(sorted_keys)] = 0
    return sorted_keys[place] == keys
