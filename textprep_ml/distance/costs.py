"""What an edit costs: checked once, in one place, and turned into what the kernels take."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from textprep_ml._validation import shorten

#: Costs of single substitutions: a function, a mapping from pairs of symbols, or (symbol, symbol, cost) rows.
PairCosts: TypeAlias = Callable[[Any, Any], float] | Mapping[tuple[Any, Any], float] | Iterable[tuple[Any, Any, float]]

VARIANTS = ("damerau", "osa")

_LARGEST_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class Costs:
    """Checked costs of the edit operations.

    Attributes
    ----------
    insertion, deletion, substitution : float
        Costs of one operation, 0 or more; the substitution of equal symbols is free.
    transposition : float
        Cost of exchanging two symbols; infinite where there is none.
    unrestricted : bool
        Whether symbols between the two may be edited.
    pairs : callable, mapping or None
        Costs of single substitutions.
    whole : bool
        Whether every cost is an int, so that distances are ints too.
    """

    insertion: float
    deletion: float
    substitution: float
    transposition: float
    unrestricted: bool
    pairs: Callable[[Any, Any], float] | Mapping[tuple[Any, Any], float] | None
    whole: bool

    @property
    def swaps(self) -> bool:
        """Whether there are transpositions."""
        return self.transposition < math.inf

    @property
    def unit(self) -> bool:
        """Whether every operation costs 1."""
        swap = self.transposition if self.swaps else 1
        return self.pairs is None and self.insertion == self.deletion == self.substitution == swap == 1

    @property
    def for_kernel(self) -> tuple[float, float, float, float, bool]:
        """The arguments that every kernel function takes after its strings."""
        return self.insertion, self.deletion, self.substitution, self.transposition, self.unrestricted

    def worst(self, n: int, m: int) -> float:
        """Give the largest distance that sequences of `n` and `m` symbols can have.

        Parameters
        ----------
        n, m : int
            Lengths.

        Returns
        -------
        float
            Deleting and inserting everything, or substituting what can be where that is cheaper for every pair of
            symbols.
        """
        replaced = n * self.deletion + m * self.insertion
        if callable(self.pairs):
            return replaced
        dearest = max([self.substitution, *(self.pairs or {}).values()])
        common = min(n, m)
        if dearest == math.inf:
            return replaced
        return min(replaced, common * dearest + (n - common) * self.deletion + (m - common) * self.insertion)


def check_cost(value: Any, name: str) -> float:
    """Check one cost.

    Parameters
    ----------
    value : object
        What came.
    name : str
        What the error message calls it.

    Returns
    -------
    int or float
        The cost, 0 or more; it may be infinite, which forbids the operation.

    Raises
    ------
    TypeError
        If it is no number.
    ValueError
        If it is negative or not a number.
    """
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        raise TypeError(
            f"{name} must be a number, the cost of one operation, but got {type(value).__name__}: {shorten(value)}."
        )
    if math.isnan(value) or value < 0:
        raise ValueError(
            f"{name} must be a cost of 0 or more, but got {shorten(value)}. Use float('inf') to forbid an operation."
        )
    return value if type(value) is int and value < _LARGEST_EXACT else float(value)


def make_costs(
    insertion: Any, deletion: Any, substitution: Any, transposition: Any, cost: PairCosts | None, variant: Any
) -> Costs:
    """Check the cost parameters that all functions of this package share.

    Parameters
    ----------
    insertion, deletion, substitution : float
        Costs of one operation.
    transposition : float or None
        Cost of exchanging two symbols; None forbids it.
    cost : callable, mapping, iterable of rows, or None
        Costs of single substitutions.
    variant : {"damerau", "osa"}
        Which transpositions there are.

    Returns
    -------
    Costs
        The checked costs.

    Raises
    ------
    TypeError
        If a value has the wrong type.
    ValueError
        If a cost is negative or not a number, or the variant is unknown or does not allow these costs.
    """
    insertion = check_cost(insertion, "insertion")
    deletion = check_cost(deletion, "deletion")
    substitution = check_cost(substitution, "substitution")
    swap = math.inf if transposition is None else check_cost(transposition, "transposition")
    if variant not in VARIANTS:
        raise ValueError(f"variant must be 'damerau' or 'osa', but got {shorten(variant)}.")
    unrestricted = variant == "damerau" and swap < math.inf
    if unrestricted and 2 * swap < insertion + deletion:
        raise ValueError(
            f"variant='damerau' needs 2 * transposition >= insertion + deletion, but got transposition={swap}, "
            f"insertion={insertion}, deletion={deletion}. Raise it or take variant='osa'."
        )
    pairs = _check_pairs(cost)
    numbers = [insertion, deletion, substitution, *([] if transposition is None else [swap])]
    if pairs is not None:
        numbers += [0.5] if callable(pairs) else list(pairs.values())
    whole = all(type(number) is int for number in numbers)
    return Costs(insertion, deletion, substitution, swap, unrestricted, pairs, whole)


def _check_pairs(cost: Any) -> Callable[[Any, Any], float] | dict[tuple[Any, Any], float] | None:
    if cost is None or callable(cost):
        return cost
    pairs = {}
    try:
        rows = [(*key, value) for key, value in cost.items()] if isinstance(cost, Mapping) else list(cost)
        triples = [(source, target, value) for source, target, value in rows]
    except (TypeError, ValueError):
        raise TypeError(
            "cost must be a function of two symbols, a mapping such as {('0', 'o'): 0.2}, or rows "
            f"(source, target, cost), but got {type(cost).__name__}: {shorten(cost)}."
        ) from None
    for source, target, value in triples:
        pairs[source, target] = check_cost(value, f"cost of {source!r} to {target!r}")
    return pairs


def check_sequence(value: Any, name: str) -> str | list[Hashable]:
    """Check one sequence: a string is a sequence of characters, everything else of tokens.

    Parameters
    ----------
    value : object
        What came.
    name : str
        What the error message calls it.

    Returns
    -------
    str or list
        An exact string, or the tokens.

    Raises
    ------
    TypeError
        If it is no sequence, or holds something that has no hash value.
    """
    if type(value) is str:
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, Sequence):
        raise TypeError(
            f"{name} must be a string or a sequence of tokens, but got {type(value).__name__}: {shorten(value)}."
        )
    for place, token in enumerate(value):
        if not isinstance(token, Hashable):
            raise TypeError(
                f"Token {place} of {name} is {type(token).__name__}: {shorten(token)}. Tokens must be hashable."
            )
    return list(value)


def as_strings(sequences: Sequence[str | list[Hashable]]) -> list[str]:
    """Give sequences as strings: equal tokens become equal characters, different ones different characters.

    Parameters
    ----------
    sequences : sequence of str or list
        All sequences that will be compared with one another.

    Returns
    -------
    list of str
        The same list where all are strings.

    Raises
    ------
    ValueError
        If there are more different tokens than code points.
    """
    if all(type(sequence) is str for sequence in sequences):
        return list(sequences)  # type: ignore[arg-type]
    numbers: dict[Hashable, str] = {}
    strings = []
    for sequence in sequences:
        for token in sequence:
            if token not in numbers:
                if len(numbers) > 0x10FFFF:
                    raise ValueError("Sequences with more than 1,114,112 different tokens cannot be compared.")
                numbers[token] = chr(len(numbers))
        strings.append("".join([numbers[token] for token in sequence]))
    return strings


def classify(
    costs: Costs, X: Sequence[Sequence[Hashable]], Y: Sequence[Sequence[Hashable]]
) -> tuple[list[str], list[str], np.ndarray | None]:
    """Number the symbols for the table of pair costs.

    Parameters
    ----------
    costs : Costs
        The costs.
    X, Y : sequences of sequences
        What is compared with what.

    Returns
    -------
    rows, columns : list of str
        For every sequence, characters that number the row or column of each symbol; empty without pair costs.
    table : ndarray of shape (n_rows, n_columns), or None
        The cost of each substitution.
    """
    if costs.pairs is None:
        return [], [], None
    if callable(costs.pairs):
        sources: list[Hashable] = list(dict.fromkeys(token for sequence in X for token in sequence))
        targets: list[Hashable] = list(dict.fromkeys(token for sequence in Y for token in sequence))
    else:
        sources = list(dict.fromkeys(source for source, _ in costs.pairs))
        targets = list(dict.fromkeys(target for _, target in costs.pairs))
    table = np.full(
        (len(sources) + 1, len(targets) + 1), costs.substitution, dtype=np.float64
    )  # row and column 0: all other symbols
    if callable(costs.pairs):
        for i, source in enumerate(sources, start=1):
            for j, target in enumerate(targets, start=1):
                if source != target:
                    table[i, j] = check_cost(costs.pairs(source, target), f"cost({source!r}, {target!r})")
    else:
        row_of = {source: i for i, source in enumerate(sources, start=1)}
        column_of = {target: j for j, target in enumerate(targets, start=1)}
        for (source, target), value in costs.pairs.items():
            table[row_of[source], column_of[target]] = value
    return _numbered(X, sources), _numbered(Y, targets), table


def _numbered(sequences: Sequence[Sequence[Hashable]], symbols: list[Hashable]) -> list[str]:
    numbers = {symbol: chr(index) for index, symbol in enumerate(symbols, start=1)}
    return ["".join([numbers.get(token, "\0") for token in sequence]) for sequence in sequences]
