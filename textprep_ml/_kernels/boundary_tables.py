"""Fewer, larger weight tables for the compiled boundary scanner.

A linear model adds up some eighty weights per candidate, one per template. Within one kind of candidate, templates that
look at nearly the same columns are summed into one table beforehand, so that the scanner adds up a third as many.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.int32]
Integers = npt.NDArray[np.integer[Any]]

#: Columns that a table can have beside those that are fixed.
MOST_COLUMNS = 4
#: Entries that a table can have by merging: what stays in a processor's cache.
MOST_ENTRIES = 1 << 14
#: Codes of a column from which on the weights in use are scattered, so that they are fetched ahead: the words.
FAR_CODES = 256
#: No sum of fixed-point weights is as large.
HIGHEST_SUM = (1 << 30) + 1024


def merge_templates(
    sizes: Integers, fixed: dict[int, int], offsets: Integers, columns: Integers, strides: Integers, weights: Weights
) -> list[tuple[list[int], Weights]]:
    """Sum up templates for candidates with some fixed codes.

    Parameters
    ----------
    sizes : array of shape (n_columns,)
        Number of codes of each column.
    fixed : dict of int to int
        Column -> the one code that it has.
    offsets, columns, strides, weights : array
        A linear model as `BoundaryScanner.set_linear` takes it, its weights as `fixed_point` gives them.

    Returns
    -------
    list of (list of int, array)
        Tables and the columns of their axes: the near ones last.
    """
    views = [
        _view(sizes, fixed, int(offset), crossed, steps, weights)
        for offset, crossed, steps in zip(offsets, columns.tolist(), strides.tolist(), strict=True)
    ]
    tables = []
    for axes, members in _group(tuple(tuple(axes) for axes, _ in views), tuple(sizes.tolist())):
        # Most columns have one usual code: with the words as the last axis, the weights in use lie close together.
        order = sorted(axes, key=lambda column: (int(sizes[column]), column))
        table = np.zeros([int(sizes[column]) for column in order], dtype=np.int32)
        for member in members:
            own, view = views[member]
            view = view.transpose([own.index(column) for column in order if column in own])
            table += view.reshape([int(sizes[column]) if column in own else 1 for column in order])
        tables.append((order, table))
    return sorted(tables, key=lambda pair: is_near(pair[1]))


def _view(
    sizes: Integers, fixed: dict[int, int], offset: int, columns: list[int], strides: list[int], weights: Weights
) -> tuple[list[int], Weights]:
    """Give the columns that a template really looks at, and its weights as an array with one axis for each."""
    axes: dict[int, int] = {}
    for column, stride in zip(columns, strides, strict=True):
        if column in fixed:
            offset += fixed[column] * stride
        elif stride:
            axes[column] = axes.get(column, 0) + stride
    shape = [int(sizes[column]) for column in axes]
    steps = [stride * weights.itemsize for stride in axes.values()]
    return list(axes), np.lib.stride_tricks.as_strided(weights[offset:], shape, steps, writeable=False)


@lru_cache(maxsize=16)
def _group(templates: tuple[tuple[int, ...], ...], sizes: tuple[int, ...]) -> list[tuple[frozenset[int], list[int]]]:
    """Put each template, the largest first, where it makes a table grow least.

    Kinds of candidates with the same fixed columns have the same groups.
    """
    largest = [prod(sizes[column] for column in columns) for columns in templates]
    groups: list[tuple[frozenset[int], list[int]]] = []
    lengths: list[int] = []
    for member in sorted(range(len(templates)), key=lambda member: -largest[member]):
        columns, best, least = frozenset(templates[member]), len(groups), MOST_ENTRIES
        for place, (axes, _) in enumerate(groups):
            union = axes | columns
            if len(union) > MOST_COLUMNS:
                continue
            length = prod(sizes[column] for column in union)
            growth = length - lengths[place]
            if growth and (length > MOST_ENTRIES or any(sizes[column] > FAR_CODES for column in union)):
                continue
            if growth < least:
                best, least = place, growth
        if best == len(groups):
            groups.append((columns, [member]))
            lengths.append(largest[member])
        else:
            groups[best] = (groups[best][0] | columns, [*groups[best][1], member])
            lengths[best] += least
    return groups


def is_far(table: Weights) -> bool:
    """Say whether the weights that are in use are too scattered to stay in a processor's nearest cache."""
    return max(table.shape, default=0) > FAR_CODES


def is_near(table: Weights) -> bool:
    """Say whether the place of a weight in the table is a number of 16 bits."""
    return not is_far(table) and table.size <= 1 << 16


def join_tables(
    sorts: list[list[tuple[list[int], Weights]]], usual: Sequence[int]
) -> tuple[Weights, list[tuple[int, list[int]]]]:
    """Put tables one after another; those that the usual sorts have for single words side by side, word by word.

    Gives all weights, and for each table the place of its first weight and its strides.
    """
    beside = [table for sort in usual for axes, table in sorts[sort] if len(axes) == 1 and is_far(table)]
    parts = [np.stack(beside, axis=1).ravel()] if beside else [np.zeros(1, dtype=np.int32)]
    places, base, n_beside = [], parts[0].size, 0
    for sort, tables in enumerate(sorts):
        for axes, table in tables:
            if sort in usual and len(axes) == 1 and is_far(table):
                places.append((n_beside, [len(beside)]))
                n_beside += 1
            else:
                places.append((base, [step // table.itemsize for step in table.strides]))
                parts.append(table.ravel())
                base += table.size
    return np.concatenate(parts), places


def integer_threshold(threshold: float, quantum: float) -> int:
    """Give the smallest sum that, turned into a float32 score, reaches a threshold."""
    nearest = int(np.clip(threshold / quantum, -HIGHEST_SUM, HIGHEST_SUM))
    # A float32 has 24 bits, a sum up to 31: it takes a while until the next score.
    sums = np.arange(nearest - 256, nearest + 257)
    return int(sums[np.argmax((sums * quantum).astype(np.float32) >= threshold)])
