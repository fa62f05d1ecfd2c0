"""Tables and alignments as plain data that can draw themselves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from textprep_ml.distance import drawing
from textprep_ml.distance.costs import Costs


class Edit(NamedTuple):
    """One operation of an alignment: it turns ``a[start_a:end_a]`` into ``b[start_b:end_b]``.

    Attributes
    ----------
    operation : {"match", "substitute", "insert", "delete", "transpose"}
        What is done.
    start_a, end_a, start_b, end_b : int
        Half-open spans in the two sequences, in symbols. An insertion has an empty span in `a`, a deletion in `b`.
    source, target : sequence
        The symbols of the spans.
    cost : float
        What the operation costs.
    """

    operation: str
    start_a: int
    end_a: int
    start_b: int
    end_b: int
    source: Sequence[Hashable]
    target: Sequence[Hashable]
    cost: float

    def __str__(self) -> str:
        source, target = drawing.joined(self.source), drawing.joined(self.target)
        if self.operation in ("match", "delete"):
            return f"{self.operation} {source}"
        return f"insert {target}" if self.operation == "insert" else f"{self.operation} {source} -> {target}"


@dataclass(frozen=True, slots=True)
class Alignment:
    """The operations that turn one sequence into another, in order.

    ``str(alignment)`` writes the two sequences under one another with the operations below; a notebook shows the same
    as a table.

    Attributes
    ----------
    a, b : str or list
        The sequences.
    operations : list of Edit
        The operations; their spans cover both sequences without gaps.
    distance : float
        The sum of their costs.
    """

    a: str | list[Hashable]
    b: str | list[Hashable]
    operations: list[Edit]
    distance: float

    @property
    def counts(self) -> dict[str, int]:
        """How often each operation occurs."""
        counts = Counter(edit.operation for edit in self.operations)
        return {name: counts[name] for name in ("match", "substitute", "insert", "delete", "transpose")}

    def __str__(self) -> str:
        return drawing.alignment_text(self.operations)

    def _repr_html_(self) -> str:
        return drawing.alignment_html(self.operations, self.distance)


@dataclass(frozen=True, slots=True, eq=False)
class EditTable:
    """The table of distances between all beginnings of two sequences.

    It indexes and converts like its array; a notebook draws it with a cheapest path marked.

    Attributes
    ----------
    a, b : str or list
        The sequences: rows and columns.
    values : ndarray of shape (len(a) + 1, len(b) + 1)
        ``values[i, j]`` is the distance of ``a[:i]`` and ``b[:j]``; integers where all costs are.
    alignment : Alignment or None
        A cheapest path; None where the distance is infinite.
    """

    a: str | list[Hashable]
    b: str | list[Hashable]
    values: np.ndarray
    alignment: Alignment | None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of `values`."""
        return self.values.shape

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)

    def __str__(self) -> str:
        return drawing.table_text(self.values, self.a, self.b)

    def _repr_html_(self) -> str:
        return drawing.table_html(
            self.values, self.a, self.b, [] if self.alignment is None else self.alignment.operations
        )


def trace(
    values: np.ndarray, a: str | list[Hashable], b: str | list[Hashable], costs: Costs, pair_cost: Any
) -> list[Edit]:
    """Find a cheapest path through the table, from its end to its start.

    Parameters
    ----------
    values : ndarray of shape (len(a) + 1, len(b) + 1)
        The table.
    a, b : str or list
        The sequences.
    costs : Costs
        The costs that the table was made with.
    pair_cost : callable
        Takes two places and gives the cost of turning ``a[i]`` into ``b[j]``.

    Returns
    -------
    list of Edit
        The operations in order. Ties are resolved as `align` says.
    """
    first, last = (0, 0) if costs.swaps else _shared_ends(a, b)
    edits = [_edit("match", a, b, len(a) - k - 1, len(a) - k, len(b) - k - 1, len(b) - k, 0) for k in range(last)]
    i, j = len(a) - last, len(b) - last
    while i > first or j > first:
        edit = _last_edit(values, a, b, costs, pair_cost, i, j, first)
        edits.append(edit)
        i, j = edit.start_a, edit.start_b
    edits += [_edit("match", a, b, k, k + 1, k, k + 1, 0) for k in reversed(range(first))]
    return _deletions_first(edits[::-1], a, b)


def _shared_ends(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[int, int]:
    shorter = min(len(a), len(b))
    first = next((k for k in range(shorter) if a[k] != b[k]), shorter)
    last = next((k for k in range(shorter - first) if a[-1 - k] != b[-1 - k]), shorter - first)
    return first, last


def _edit(operation: str, a: Any, b: Any, start_a: int, end_a: int, start_b: int, end_b: int, cost: float) -> Edit:
    return Edit(operation, start_a, end_a, start_b, end_b, a[start_a:end_a], b[start_b:end_b], cost)


def _last_edit(values: np.ndarray, a: Any, b: Any, costs: Costs, pair_cost: Any, i: int, j: int, first: int) -> Edit:
    """Find the operation that ends in cell (i, j); `first` rows and columns belong to the shared start."""

    def reaches(cost: float) -> bool:  # the kernel may round a sum in another order
        return math.isclose(cost, values[i, j], rel_tol=1e-12, abs_tol=1e-12)

    diagonal = i > first and j > first and reaches(values[i - 1, j - 1] + pair_cost(i - 1, j - 1))
    equal = diagonal and a[i - 1] == b[j - 1]
    if i > first and reaches(values[i - 1, j] + costs.deletion):
        return _edit("delete", a, b, i - 1, i, j, j, costs.deletion)
    if diagonal and not equal:
        return _edit("substitute", a, b, i - 1, i, j - 1, j, pair_cost(i - 1, j - 1))
    if j > first and reaches(values[i, j - 1] + costs.insertion):
        return _edit("insert", a, b, i, i, j - 1, j, costs.insertion)
    if equal:
        return _edit("match", a, b, i - 1, i, j - 1, j, 0)
    return _last_swap(a, b, costs, i, j)


def _last_swap(a: Any, b: Any, costs: Costs, i: int, j: int) -> Edit:
    """Give the transposition that ends in cell (i, j)."""
    if not costs.unrestricted:
        return _edit("transpose", a, b, i - 2, i, j - 2, j, costs.transposition)
    k = max(place for place in range(i - 1) if a[place] == b[j - 1])
    m = max(place for place in range(j - 1) if b[place] == a[i - 1])
    between = (i - k - 2) * costs.deletion + (j - m - 2) * costs.insertion  # finite: unrestricted costs are
    return _edit("transpose", a, b, k, i, m, j, costs.transposition + between)


def _deletions_first(edits: list[Edit], a: Any, b: Any) -> list[Edit]:
    """Reorder each run of insertions and deletions: their order costs nothing, and the old is read before the new."""
    ordered: list[Edit] = []
    at = 0
    while at < len(edits):
        end = at
        while end < len(edits) and edits[end].operation in ("insert", "delete"):
            end += 1
        if end - at < 2:
            ordered.append(edits[at])
            at += 1
            continue
        i, j, run = edits[at].start_a, edits[at].start_b, edits[at:end]
        for edit in sorted(run, key=lambda edit: edit.operation):
            if edit.operation == "delete":
                ordered.append(_edit("delete", a, b, i, i + 1, j, j, edit.cost))
                i += 1
            else:
                ordered.append(_edit("insert", a, b, i, i, j, j + 1, edit.cost))
                j += 1
        at = end
    return ordered
