"""The compiled kernel, its twin and a naive recursion give the same distances."""

from __future__ import annotations

import math
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA, DamerauLevenshtein, Levenshtein

from textprep_ml._kernels import _exists
from textprep_ml._kernels._pure import distance as pure

COMPILED = [import_module("textprep_ml._kernels._distance")] if _exists("distance") else []
ALL = [pure, *COMPILED]
KERNELS = [pytest.param(kernel, id=kernel.__name__.rpartition(".")[2]) for kernel in ALL]

WORDS = st.text(st.sampled_from("abcé\ud800😀"), max_size=9)
COSTS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf])
FINITE = st.sampled_from([0.25, 0.5, 1.0, 1.5, 3.0])


def recursive(a: str, b: str, insertion: float, deletion: float, substitution: float, transposition: float) -> float:
    """Restricted distance straight from its definition."""

    @cache
    def distance(i: int, j: int) -> float:
        ways = [0.0] if i == j == 0 else []
        if i:
            ways.append(distance(i - 1, j) + deletion)
        if j:
            ways.append(distance(i, j - 1) + insertion)
        if i and j:
            ways.append(distance(i - 1, j - 1) + (0.0 if a[i - 1] == b[j - 1] else substitution))
        if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
            ways.append(distance(i - 2, j - 2) + transposition)
        return min(ways)

    return distance(len(a), len(b))


def measure(
    kernel: ModuleType, a: str, b: str, *costs: float, unrestricted: bool = False, limit: float = math.inf
) -> float:
    return kernel.distance(a, b, *costs, unrestricted, limit, "", "", None)


@pytest.mark.parametrize("kernel", KERNELS)
@given(a=WORDS, b=WORDS, insertion=COSTS, deletion=COSTS, substitution=COSTS, transposition=COSTS)
def test_restricted_distance_is_the_definition(kernel: ModuleType, a: str, b: str, **costs: float) -> None:
    order = [costs[name] for name in ("insertion", "deletion", "substitution", "transposition")]
    assert measure(kernel, a, b, *order) == recursive(a, b, *order)


@pytest.mark.parametrize("kernel", KERNELS)
@given(a=WORDS, b=WORDS)
def test_unit_costs_agree_with_rapidfuzz(kernel: ModuleType, a: str, b: str) -> None:
    assert measure(kernel, a, b, 1, 1, 1, math.inf) == Levenshtein.distance(a, b)
    assert measure(kernel, a, b, 1, 1, 1, 1) == OSA.distance(a, b)
    assert measure(kernel, a, b, 1, 1, 1, 1, unrestricted=True) == DamerauLevenshtein.distance(a, b)


@given(a=WORDS, b=WORDS, insertion=FINITE, deletion=FINITE, substitution=COSTS, extra=FINITE)
def test_unrestricted_kernels_agree_and_are_cheapest(
    a: str, b: str, insertion: float, deletion: float, substitution: float, extra: float
) -> None:
    swap = (insertion + deletion) / 2 + extra
    results = [measure(kernel, a, b, insertion, deletion, substitution, swap, unrestricted=True) for kernel in ALL]
    assert len(set(results)) == 1
    assert results[0] <= recursive(a, b, insertion, deletion, substitution, swap)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("unrestricted", [False, True])
@given(a=WORDS, b=WORDS, limit=st.sampled_from([0.0, 1.0, 2.0, 3.5]))
def test_limit_only_cuts(kernel: ModuleType, unrestricted: bool, a: str, b: str, limit: float) -> None:
    whole = measure(kernel, a, b, 1, 1, 1.5, 1, unrestricted=unrestricted)
    cut = measure(kernel, a, b, 1, 1, 1.5, 1, unrestricted=unrestricted, limit=limit)
    assert cut == (whole if whole <= limit else math.inf)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("unrestricted", [False, True])
@given(a=WORDS, b=WORDS)
def test_table_holds_the_distances_of_all_beginnings(kernel: ModuleType, unrestricted: bool, a: str, b: str) -> None:
    out = np.empty((len(a) + 1, len(b) + 1))
    kernel.table(a, b, 1, 2, 1.5, 1.75, unrestricted, "", "", None, out)
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            assert out[i, j] == measure(kernel, a[:i], b[:j], 1, 2, 1.5, 1.75, unrestricted=unrestricted)


@pytest.mark.parametrize("kernel", KERNELS)
def test_batches_with_pair_costs(kernel: ModuleType) -> None:
    X, Y = ["l0g", "", "0"], ["log", "o"]
    rows, columns = ["\0\x01\0", "", "\x01"], ["\0\x01\0", "\x01"]
    pairs = np.array([[1.0, 1.0], [1.0, 0.25]])
    out = np.full((3, 2), np.nan)
    kernel.distances(X, Y, 1, 1, 1, math.inf, False, math.inf, rows, columns, pairs, out)
    assert out.tolist() == [[0.25, 2.25], [3.0, 1.0], [2.25, 0.25]]


@pytest.mark.skipif(
    not _exists("distance"), reason="the compiled kernel guards its memory; without it there is none to guard"
)
@pytest.mark.parametrize("arguments", [{"out": np.empty((2, 2))}, {"X": [b"a"]}, {"rows": []}])
def test_compiled_kernel_refuses_what_would_leave_its_memory(arguments: dict[str, Any]) -> None:
    given = {
        "X": ["a"],
        "Y": ["b"],
        "rows": ["\0"],
        "columns": ["\0"],
        "pairs": np.ones((1, 1)),
        "out": np.empty((1, 1)),
        **arguments,
    }
    names = ("rows", "columns", "pairs", "out")
    for kernel in COMPILED:
        with pytest.raises((TypeError, ValueError)):
            kernel.distances(given["X"], given["Y"], 1, 1, 1, math.inf, False, math.inf, *map(given.__getitem__, names))
