"""Edit distance, its normalized forms, the table and the alignment.

The distance of `a` and `b` is the least total cost of insertions, deletions, substitutions and, where asked for,
transpositions that turn `a` into `b` (Levenshtein 1966; Wagner and Fischer 1974). RapidFuzz computes what it covers,
the kernel `_kernels/_distance` the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from rapidfuzz.distance import OSA, DamerauLevenshtein, Indel, Levenshtein

from textprep_ml._kernels import load
from textprep_ml.distance.alignment import Alignment, EditTable, trace
from textprep_ml.distance.costs import Costs, PairCosts, as_strings, check_cost, check_sequence, classify, make_costs

_kernel = load("distance")

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: RapidFuzz multiplies costs and lengths in machine integers.
_LARGEST_RAPID_COST = 1 << 20


def rapid_distance(costs: Costs) -> tuple[Any, dict[str, Any]] | None:
    """Choose the RapidFuzz function that computes this distance.

    Parameters
    ----------
    costs : Costs
        The costs.

    Returns
    -------
    tuple of (callable, dict) or None
        The function and its keyword arguments; None where our kernel must serve.
    """
    if costs.swaps:
        return (
            ((DamerauLevenshtein if costs.unrestricted else OSA).distance, {}) if costs.unit and costs.whole else None
        )
    weights = (costs.insertion, costs.deletion, costs.substitution)
    if costs.pairs is None and costs.whole and max(weights) < _LARGEST_RAPID_COST:
        return Levenshtein.distance, {"weights": weights}
    return None


def _check_limit(max_distance: Any) -> float:
    return math.inf if max_distance is None else check_cost(max_distance, "max_distance")


def _distance(a: str | list[Hashable], b: str | list[Hashable], costs: Costs, limit: float) -> float:
    rapid = rapid_distance(costs)
    if rapid is not None:
        function, options = rapid
        cutoff = None if limit == math.inf else math.floor(limit)
        distance = function(*as_strings([a, b]), score_cutoff=cutoff, **options)
        return distance if distance <= limit else limit + 1
    rows, columns, pairs = classify(costs, [a], [b])
    distance = _kernel.distance(
        *as_strings([a, b]), *costs.for_kernel, limit, *(rows or [""]), *(columns or [""]), pairs
    )
    if distance == math.inf and limit < math.inf:
        return limit + 1
    return int(distance) if costs.whole else distance


def _common_first(function: _Function) -> _Function:
    return cast(
        _Function, _kernel.common_first(function, Levenshtein.distance, OSA.distance, DamerauLevenshtein.distance)
    )


@_common_first
def edit_distance(
    a: str | Sequence[Hashable],
    b: str | Sequence[Hashable],
    insertion: float = 1,
    deletion: float = 1,
    substitution: float = 1,
    transposition: float | None = None,
    cost: PairCosts | None = None,
    *,
    variant: str = "damerau",
    max_distance: float | None = None,
) -> float:
    """Compute the least total cost of the edits that turn `a` into `b`.

    Parameters
    ----------
    a, b : str or sequence of hashable
        Two strings (compared by code points), or two sequences of tokens.
    insertion, deletion, substitution : float, default=1
        Costs, 0 or more; infinite forbids an operation. With ``substitution=2`` a substitution costs as much as
        deleting and inserting.
    transposition : float, optional
        Cost of exchanging two symbols; None means that there are no transpositions.
    cost : callable, mapping or iterable of rows, optional
        Costs of single substitutions, such as those of confusable characters: ``{("0", "o"): 0.2}`` or rows ``("0",
        "o", 0.2)``; pairs not listed cost `substitution`, and each direction is listed by itself. A matrix in a
        DataFrame becomes such a mapping with ``frame.stack().to_dict()``. A function is called with each pair of
        different symbols. Equal symbols cost nothing.
    variant : {"damerau", "osa"}, default="damerau"
        Which transpositions there are. "damerau" is the unrestricted Damerau-Levenshtein distance, where the two
        symbols may be edited further (Lowrance and Wagner 1975); it is a metric. "osa", optimal string alignment,
        edits no substring twice; it breaks the triangle inequality.
    max_distance : float, optional
        Greater distances are given as ``max_distance + 1``; that saves time.

    Returns
    -------
    int or float
        An int when all costs are ints.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If a cost is negative or not a number, or ``variant="damerau"`` meets ``2 * transposition < insertion +
        deletion``, which its algorithm cannot do.

    Examples
    --------
    >>> from textprep_ml.distance import edit_distance
    >>> edit_distance("intention", "execution")
    5
    >>> edit_distance("intention", "execution", substitution=2)
    8
    >>> edit_distance("l0g", "log", cost={("0", "o"): 0.2})
    0.2
    >>> edit_distance("the cat sat".split(), "the bat sat".split())
    1
    >>> [edit_distance("xo", "oyx", transposition=1, variant=variant) for variant in ("osa", "damerau")]
    [3, 2]
    """
    costs = make_costs(insertion, deletion, substitution, transposition, cost, variant)
    return _distance(check_sequence(a, "a"), check_sequence(b, "b"), costs, _check_limit(max_distance))


def normalized_edit_distance(
    a: str | Sequence[Hashable],
    b: str | Sequence[Hashable],
    insertion: float = 1,
    deletion: float = 1,
    substitution: float = 1,
    transposition: float | None = None,
    cost: PairCosts | None = None,
    *,
    variant: str = "damerau",
) -> float:
    """Compute the edit distance divided by the largest one that sequences of these lengths can have.

    With unit costs that is ``distance / max(len(a), len(b))``, with ``substitution=2`` it is ``distance / (len(a) +
    len(b))``; in general ``n * deletion + m * insertion``, or less where substituting ``min(n, m)`` symbols is
    cheaper.

    Parameters
    ----------
    a, b : str or sequence of hashable
        As for `edit_distance`.
    insertion, deletion, substitution, transposition, cost, variant
        As for `edit_distance`; insertion and deletion must be finite.

    Returns
    -------
    float
        From 0 to 1; 0 for two empty sequences.

    Raises
    ------
    ValueError
        If insertion or deletion is infinite, or as for `edit_distance`.

    Examples
    --------
    >>> from textprep_ml.distance import normalized_edit_distance
    >>> normalized_edit_distance("abcd", "abce")
    0.25
    """
    costs = make_costs(insertion, deletion, substitution, transposition, cost, variant)
    if math.inf in (costs.insertion, costs.deletion):
        raise ValueError("A normalized distance needs finite insertion and deletion costs.")
    a, b = check_sequence(a, "a"), check_sequence(b, "b")
    worst = costs.worst(len(a), len(b))
    return _distance(a, b, costs, math.inf) / worst if worst else 0.0


def edit_similarity(a: str | Sequence[Hashable], b: str | Sequence[Hashable]) -> float:
    """Compute ``1 - edit_distance(a, b) / max(len(a), len(b))``, unit costs.

    Parameters
    ----------
    a, b : str or sequence of hashable
        As for `edit_distance`.

    Returns
    -------
    float
        From 0 to 1; 1 for two empty sequences.

    Examples
    --------
    >>> from textprep_ml.distance import edit_similarity
    >>> edit_similarity("t", "t!"), edit_similarity("", "")
    (0.5, 1.0)
    """
    return Levenshtein.normalized_similarity(*as_strings([check_sequence(a, "a"), check_sequence(b, "b")]))


def indel_ratio(a: str | Sequence[Hashable], b: str | Sequence[Hashable]) -> float:
    """Compute ``1 - d / (len(a) + len(b))``, where `d` counts insertions and deletions only.

    This is what several libraries call "ratio"; `edit_similarity` is another measure.

    Parameters
    ----------
    a, b : str or sequence of hashable
        As for `edit_distance`.

    Returns
    -------
    float
        From 0 to 1; 1 for two empty sequences.

    Examples
    --------
    >>> from textprep_ml.distance import indel_ratio
    >>> round(indel_ratio("t", "t!"), 4), indel_ratio("", "")
    (0.6667, 1.0)
    """
    return Indel.normalized_similarity(*as_strings([check_sequence(a, "a"), check_sequence(b, "b")]))


def edit_table(
    a: str | Sequence[Hashable],
    b: str | Sequence[Hashable],
    insertion: float = 1,
    deletion: float = 1,
    substitution: float = 1,
    transposition: float | None = None,
    cost: PairCosts | None = None,
    *,
    variant: str = "damerau",
) -> EditTable:
    """Compute the whole table of the dynamic program.

    Parameters
    ----------
    a, b : str or sequence of hashable
        As for `edit_distance`.
    insertion, deletion, substitution, transposition, cost, variant
        As for `edit_distance`.

    Returns
    -------
    EditTable
        ``table[i, j]`` is the distance of ``a[:i]`` and ``b[:j]``. It takes 8 bytes a cell.

    Raises
    ------
    MemoryError
        If it does not fit; the message tells its size.

    Examples
    --------
    >>> from textprep_ml.distance import edit_table
    >>> print(edit_table("cat", "at"))
      # a t
    # 0 1 2
    c 1 1 2
    a 2 1 2
    t 3 2 1
    """
    costs = make_costs(insertion, deletion, substitution, transposition, cost, variant)
    a, b = check_sequence(a, "a"), check_sequence(b, "b")
    rows, columns, pairs = classify(costs, [a], [b])
    values = _empty_table(len(a) + 1, len(b) + 1)
    _kernel.table(*as_strings([a, b]), *costs.for_kernel, *(rows or [""]), *(columns or [""]), pairs, values)

    def pair_cost(i: int, j: int) -> float:
        if a[i] == b[j]:
            return 0
        return costs.substitution if pairs is None else float(pairs[ord(rows[0][i]), ord(columns[0][j])])

    if costs.whole:
        values = values.astype(np.int64)
    distance = values[-1, -1].item()
    alignment = None if distance == math.inf else Alignment(a, b, trace(values, a, b, costs, pair_cost), distance)
    return EditTable(a, b, values, alignment)


def _empty_table(n_rows: int, n_columns: int) -> np.ndarray:
    try:
        return np.empty((n_rows, n_columns))
    except (MemoryError, ValueError):  # the second: more cells than can be counted
        size = f"{8 * n_rows * n_columns / 2**30:,.0f} GB"
        raise MemoryError(
            f"The table of {n_rows - 1:,} by {n_columns - 1:,} symbols takes {size}, more than there is. Take "
            "edit_distance, which needs no table, or cut the texts into lines or sentences that belong together."
        ) from None


def align(
    a: str | Sequence[Hashable],
    b: str | Sequence[Hashable],
    insertion: float = 1,
    deletion: float = 1,
    substitution: float = 1,
    transposition: float | None = None,
    cost: PairCosts | None = None,
    *,
    variant: str = "damerau",
) -> Alignment:
    """Find operations that turn `a` into `b` at the least total cost.

    Among several cheapest alignments one is chosen by rule. What the sequences share at their start and then at their
    end is matched (not with transpositions). What is between is read off the table from its end backwards; in each
    cell the first operation that is cheapest is taken in the order deletion, substitution, insertion, match,
    transposition. Where deletions and insertions stand side by side, the deletions are listed first. With unit costs
    this is the alignment that RapidFuzz gives.

    Parameters
    ----------
    a, b : str or sequence of hashable
        As for `edit_distance`.
    insertion, deletion, substitution, transposition, cost, variant
        As for `edit_distance`.

    Returns
    -------
    Alignment
        Its `operations` have one entry for each match, substitution, insertion and deletion, with positions; a
        transposition covers all symbols from the first to the second. Their costs sum up to the distance.

    Raises
    ------
    ValueError
        If the costs forbid every way from `a` to `b`, or as for `edit_distance`.

    Examples
    --------
    >>> from textprep_ml.distance import align
    >>> alignment = align("kitten", "sittings")
    >>> print(alignment)
    k i t t e n * *
    s i t t i n g s
    s       s   i i
    >>> alignment.counts["substitute"], alignment.distance
    (2, 4)
    >>> [str(edit) for edit in align("q", "z", substitution=float("inf")).operations]
    ['delete q', 'insert z']
    """
    alignment = edit_table(a, b, insertion, deletion, substitution, transposition, cost, variant=variant).alignment
    if alignment is None:
        raise ValueError(
            "There is no alignment: the infinite costs forbid every way from a to b. Allow deletions and insertions."
        )
    return alignment
