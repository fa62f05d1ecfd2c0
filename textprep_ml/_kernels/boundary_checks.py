"""Checks of what the boundary scanner is given, so that no table is read beyond its end; both kernels use them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.integer[Any]]

#: Highest code of each column; a name stands for the highest code of that kind in the lexicon.
_HIGHEST: tuple[int | str, ...] = (
    5, 13, 5, 15, 7, "word", "class", "group", 7, "raw", "usual",   # kind, and the token before the gap
    7, 15, "word", "group", 7, "usual", 13, 7,                      # the token after it
    16, "word", 13, "group", "usual", 16, "word", 7, "usual",       # their outer neighbours
    5, 6, 6, 5, 7, 6, 1, 1,                                         # place
    4, 3, 3, 4, 4, 7, 4,                                            # document and lines
)  # fmt: skip
N_COLUMNS = len(_HIGHEST)
N_KINDS = 6


def check_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Hold the texts, so that another thread cannot take one away, and refuse what is no `str`."""
    held = tuple(texts)
    for index, text in enumerate(held):
        if type(text) is not str:
            raise TypeError(f"The boundary scanner expects str texts, but text {index} is {type(text).__name__}.")
    return held


def lexicon_tables(
    n_words: int,
    ids: npt.ArrayLike,
    classes: npt.ArrayLike,
    usual: npt.ArrayLike,
    raw: npt.ArrayLike,
    groups: npt.ArrayLike,
) -> tuple[Integers, Integers, Integers, Integers, Integers]:
    """Make the tables of a lexicon; row 0 of the first four stands for every unknown word."""
    tables = (
        _table("ids", n_words, ids, np.uint16),
        # One column for tokens that begin with a lower-case letter, one for the others: "No." is an abbreviation,
        # "no." is none.
        _table("classes", n_words, np.reshape(classes, (-1, 2)), np.uint8),
        _table("usual", n_words, usual, np.uint8),
        _table("raw", n_words, raw, np.uint8),
        np.array(groups, dtype=np.uint8),
    )
    if int(tables[1].max()) >= len(tables[4]):
        raise ValueError(
            f"Lexicon has class {tables[1].max()}, but groups for the first {len(tables[4])} classes only."
        )
    return tables


def _table(name: str, n_words: int, values: npt.ArrayLike, dtype: type[np.unsignedinteger[Any]]) -> Integers:
    rows = np.asarray(values, dtype=np.int64)
    if len(rows) != n_words:
        raise ValueError(f"Lexicon has {n_words} words, but {len(rows)} {name}.")
    if rows.size and (rows.min() < 0 or rows.max() > np.iinfo(dtype).max):
        raise ValueError(f"The {name} of a lexicon are numbers from 0 to {np.iinfo(dtype).max}.")
    return np.concatenate([np.zeros_like(rows, shape=(1, *rows.shape[1:])), rows]).astype(dtype)


def highest_codes(ids: Integers, classes: Integers, usual: Integers, raw: Integers, groups: Integers) -> Integers:
    """Give the highest code that each column can have with such a lexicon."""
    highest = {"word": ids.max(), "class": classes.max(), "usual": usual.max(), "raw": raw.max(), "group": groups.max()}
    return np.array([highest[code] if isinstance(code, str) else code for code in _HIGHEST], dtype=np.int64)


#: Number of codes of what makes the form of a gap: mark, shape on the left, shape and lead on the right.
FORM_SIZES = (14, 16, 16, 8)


def check_forms(forms: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """Check that the forms of gaps are codes that there are."""
    checked = [tuple(int(code) for code in form) for form in forms]
    for form in checked:
        if len(form) != len(FORM_SIZES) or not all(
            0 <= code < size for code, size in zip(form, FORM_SIZES, strict=True)
        ):
            raise ValueError(f"The form of a gap is four codes below {FORM_SIZES}, got {form}.")
    return checked


def check_linear(
    highest: Integers, offsets: Integers, columns: Integers, strides: Integers, weights: npt.NDArray[np.floating[Any]]
) -> None:
    """Check that no code leads beyond the weights."""
    shape = (len(offsets), 4)
    if columns.shape != shape or strides.shape != shape:
        raise ValueError(f"Columns and strides must have shape {shape}, but have {columns.shape} and {strides.shape}.")
    if not len(offsets):
        return
    if columns.min() < 0 or columns.max() >= N_COLUMNS:
        raise ValueError(f"Columns are numbers from 0 to {N_COLUMNS - 1}.")
    last = int((offsets + (highest[columns] * strides).sum(axis=1)).max())
    if offsets.min() < 0 or strides.min() < 0 or last >= len(weights):
        raise ValueError(
            f"The templates reach weight {last} of {len(weights)}: model and lexicon do not belong together."
        )


def fixed_point(n_templates: int, weights: npt.NDArray[np.floating[Any]]) -> tuple[npt.NDArray[np.int32], float]:
    """Turn weights into multiples of a power of two, so that a sum does not depend on the order of its terms.

    Gives the multiples and the power; no sum of one weight per template is larger than 2 ** 30 multiples.
    """
    largest = float(max(weights.max(initial=0.0), -weights.min(initial=0.0)))
    if not np.isfinite(largest):
        raise ValueError("The weights of a linear model must be finite numbers.")
    # A float32 holds every quantum of at least 2 ** -100, and its inverse.
    quantum = 2.0 ** max(int(np.frexp(largest * max(n_templates, 1))[1]) - 30, -100)
    scaled = weights * np.float32(1 / quantum)
    return np.rint(scaled, out=scaled).astype(np.int32), quantum


def check_tree(
    highest: Integers,
    column: Integers,
    threshold: Integers,
    left: Integers,
    right: Integers,
    score: npt.NDArray[np.floating[Any]],
    rank_offsets: Integers,
    ranks: Integers,
) -> None:
    """Check that every path ends in a leaf and that no code leads beyond the ranks."""
    n_nodes = len(column)
    if not n_nodes or any(len(values) != n_nodes for values in (threshold, left, right, score)):
        raise ValueError("A tree has at least one node, and its arrays have one length.")
    inner = np.flatnonzero(left >= 0)
    children = np.stack([left[inner], right[inner]])
    if (children <= inner).any() or (children >= n_nodes).any():
        raise ValueError(f"The children of a node come after it and are numbers below {n_nodes}.")
    if len(rank_offsets) < N_COLUMNS or (column[inner] < 0).any() or (column[inner] >= N_COLUMNS).any():
        raise ValueError(f"Columns are numbers from 0 to {N_COLUMNS - 1}, each with a rank offset.")
    first = rank_offsets[column[inner]]
    if (first < 0).any() or (first + highest[column[inner]] >= len(ranks)).any():
        raise ValueError("The codes reach beyond the ranks: model and lexicon do not belong together.")


def check_thresholds(thresholds: npt.NDArray[np.floating[Any]]) -> None:
    """Check that each kind of candidate has one."""
    if thresholds.shape != (N_KINDS,):
        raise ValueError(f"Expected {N_KINDS} thresholds, one per kind of candidate, got shape {thresholds.shape}.")


def check_offsets(n_texts: int, offsets: Integers, ends: Integers, starts: Integers) -> None:
    """Check that the boundaries of each text lie within `ends` and `starts`."""
    rising = len(offsets) == n_texts + 1 and offsets[0] == 0 and bool((np.diff(offsets) >= 0).all())
    if not rising or offsets[-1] != len(ends) or len(ends) != len(starts):
        raise ValueError(f"Expected {n_texts + 1} rising offsets from 0 to the number of boundaries.")
