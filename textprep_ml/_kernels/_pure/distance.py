"""Weighted edit distance by dynamic programming, as in the textbooks; the compiled twin is `_distance.pyx`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def _substitution_cost(
    a: str, b: str, substitution: float, rows: str, columns: str, pairs: Any, i: int, j: int
) -> float:
    if a[i] == b[j]:
        return 0.0
    return substitution if pairs is None else pairs[ord(rows[i]), ord(columns[j])]


def table(
    a: str,
    b: str,
    insertion: float,
    deletion: float,
    substitution: float,
    transposition: float,
    unrestricted: bool,
    rows: str,
    columns: str,
    pairs: Any,
    out: Any,
) -> None:
    """Write the whole table: ``out[i, j]`` is the distance of the first `i` symbols of `a` to the first `j` of `b`.

    Wagner and Fischer (1974); transpositions of neighbours as optimal string alignment, or, `unrestricted`, after
    Lowrance and Wagner (1975), where symbols between the two that change places may be deleted or inserted.
    `transposition` is infinite where there is none. With `pairs`, the characters of `rows` and `columns` number the
    row and the column of each symbol in it.
    """
    last_row: dict[str, int] = {}
    out[0, 0] = 0.0
    for j in range(len(b)):
        out[0, j + 1] = out[0, j] + insertion
    for i in range(len(a)):
        out[i + 1, 0] = out[i, 0] + deletion
        match = 0  # the last column, counted from 1, whose symbol is a[i]
        for j in range(len(b)):
            best = min(
                out[i, j] + _substitution_cost(a, b, substitution, rows, columns, pairs, i, j),
                out[i, j + 1] + deletion,
                out[i + 1, j] + insertion,
            )
            if transposition < math.inf:
                if not unrestricted:
                    if i and j and a[i] == b[j - 1] and a[i - 1] == b[j]:
                        best = min(best, out[i - 1, j - 1] + transposition)
                elif match and (k := last_row.get(b[j], 0)):
                    best = min(
                        best, out[k - 1, match - 1] + (i - k) * deletion + transposition + (j - match) * insertion
                    )
            out[i + 1, j + 1] = best
            if a[i] == b[j]:
                match = j + 1
        last_row[a[i]] = i + 1


def distance(
    a: str,
    b: str,
    insertion: float,
    deletion: float,
    substitution: float,
    transposition: float,
    unrestricted: bool,
    limit: float,
    rows: str,
    columns: str,
    pairs: Any,
) -> float:
    """Give the distance of two strings; infinite beyond `limit`. The parameters are those of `distances`."""
    out: dict[tuple[int, int], float] = {}
    table(a, b, insertion, deletion, substitution, transposition, unrestricted, rows, columns, pairs, out)
    result = float(out[len(a), len(b)])
    return result if result <= limit else math.inf


def distances(
    X: list[str],
    Y: list[str],
    insertion: float,
    deletion: float,
    substitution: float,
    transposition: float,
    unrestricted: bool,
    limit: float,
    rows: list[str],
    columns: list[str],
    pairs: Any,
    out: Any,
) -> None:
    """Write the distance of every string of `X` to every string of `Y`; infinite beyond `limit`."""
    costs = (insertion, deletion, substitution, transposition, unrestricted, limit)
    for i, a in enumerate(X):
        for j, b in enumerate(Y):
            row, column = ("", "") if pairs is None else (rows[i], columns[j])
            out[i, j] = distance(a, b, *costs, row, column, pairs)


def common_first(
    general: Callable[..., Any], levenshtein: Callable[..., int], osa: Callable[..., int], damerau: Callable[..., int]
) -> Callable[..., Any]:
    """Give `general` unchanged: the compiled twin saves parameter checks in common calls, which Python code cannot."""
    return general
