"""The compiled kernel and its twin do the same, and the compiled one refuses what would leave its memory."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textprep_ml._kernels import _exists
from textprep_ml._kernels._pure import tagging as pure

COMPILED = [import_module("textprep_ml._kernels._tagging")] if _exists("tagging") else []
ALL = [pure, *COMPILED]
KERNELS = [pytest.param(kernel, id=kernel.__name__.rpartition(".")[2]) for kernel in ALL]

N_TAGS = 3
PAIR_BASE = 40
HEIGHT = PAIR_BASE + (N_TAGS + 1) ** 2


def problem(seed: int, lengths: list[int]) -> dict[str, Any]:
    random = np.random.RandomState(seed)
    n = sum(lengths)
    fixed = np.where(random.rand(n) < 0.2, random.randint(0, N_TAGS, n), -1)
    weights = random.randint(-5, 6, (HEIGHT, 4)).astype(np.int32)
    weights[: N_TAGS + 1] = 0
    return {
        "rows": random.randint(0, PAIR_BASE, (n, 6)).astype(np.int32),
        "crossed": random.choice([0, 8, 12, 30], (n, 2)).astype(np.int32),
        "fixed": fixed.astype(np.int32),
        "starts": np.cumsum([0, *lengths]).astype(np.int32),
        "pair_base": PAIR_BASE,
        "weights": weights,
        "n_tags": N_TAGS,
    }


def decoded(kernel: ModuleType, **given: Any) -> list[int]:
    out = np.full(len(given["fixed"]), -7, dtype=np.int32)
    kernel.decode(**given, out=out)
    return out.tolist()


@given(seed=st.integers(0, 10_000), lengths=st.lists(st.integers(0, 5), max_size=4))
def test_decoding_agrees(seed: int, lengths: list[int]) -> None:
    results = [decoded(kernel, **problem(seed, lengths)) for kernel in ALL]
    assert all(result == results[0] for result in results)
    fixed = problem(seed, lengths)["fixed"].tolist()
    assert all(tag == given for tag, given in zip(results[0], fixed, strict=True) if given >= 0)


@given(seed=st.integers(0, 10_000), lengths=st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_training_agrees(seed: int, lengths: list[int]) -> None:
    results = []
    for kernel in ALL:
        given = problem(seed, lengths)
        random = np.random.RandomState(seed)
        gold = random.randint(0, N_TAGS, len(given["fixed"])).astype(np.int32)
        totals = np.zeros(given["weights"].shape, dtype=np.int64)
        step = 1
        for _ in range(2):
            order = random.permutation(len(lengths)).astype(np.int32)
            errors, step = kernel.train_epoch(**given, gold=gold, order=order, totals=totals, step=step)
        results.append((errors, step, given["weights"].tolist(), totals.tolist()))
        assert not given["weights"][: N_TAGS + 1].any()
    assert all(result == results[0] for result in results)


@given(seed=st.integers(0, 10_000), lengths=st.lists(st.integers(0, 5), max_size=4))
def test_rows_agree(seed: int, lengths: list[int]) -> None:
    random = np.random.RandomState(seed)
    n = sum(lengths)
    attributes = random.randint(0, 4, (5, 2)).astype(np.int32)
    results = []
    for kernel in ALL:
        static, crossed = np.full((n, 4), -7, dtype=np.int32), np.full((n, 1), -7, dtype=np.int32)
        kernel.fill_rows(
            attributes,
            np.random.RandomState(seed + 1).randint(1, 5, n).astype(np.int32),
            np.cumsum([0, *lengths]).astype(np.int32),
            np.array([(-1, 0, 5), (0, 1, 9), (2, 0, 13)], dtype=np.int32),
            np.array([(1, 1, 17)], dtype=np.int32),
            np.array([(-1, 0, 40)], dtype=np.int32),
            np.array([1 << 32 | 2, 2 << 32 | 1, 3 << 32 | 3], dtype=np.int64),
            4,
            static,
            crossed,
        )
        results.append((static.tolist(), crossed.tolist()))
    assert all(result == results[0] for result in results)


def test_rows_by_hand() -> None:
    """Words 1 and 2 have the values 2 and 1 in the one slot; the boundary, word 0, has 3."""
    for kernel in ALL:
        static, crossed = np.empty((2, 3), dtype=np.int32), np.empty((2, 1), dtype=np.int32)
        kernel.fill_rows(
            np.array([[3], [2], [0]], dtype=np.int32),
            np.array([1, 2], dtype=np.int32),
            np.array([0, 2], dtype=np.int32),
            np.array([(-1, 0, 10), (0, 0, 20)], dtype=np.int32),
            np.array([(0, 0, 30)], dtype=np.int32),
            np.array([(-1, 0, 60)], dtype=np.int32),
            np.array([3 << 32 | 2], dtype=np.int64),
            5,
            static,
            crossed,
        )
        assert static.tolist() == [[12, 21, 60], [11, 0, 0]]
        assert crossed.tolist() == [[35], [0]]


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": np.array([[HEIGHT]], dtype=np.int32)},
        {"rows": np.array([[-1]], dtype=np.int32)},
        {"crossed": np.array([[HEIGHT - N_TAGS]], dtype=np.int32)},
        {"fixed": np.array([N_TAGS], dtype=np.int32)},
        {"fixed": np.array([], dtype=np.int32)},
        {"starts": np.array([0, 2], dtype=np.int32)},
        {"starts": np.array([1, 1], dtype=np.int32)},
        {"starts": np.array([0, 2, 1], dtype=np.int32)},
        {"pair_base": PAIR_BASE + 1},
        {"n_tags": 0},
        {"n_tags": 5000},
        {"weights": np.zeros((HEIGHT, 2), dtype=np.int32)},
        {"out": np.zeros(2, dtype=np.int32)},
    ],
)
def test_compiled_kernel_refuses_what_would_leave_its_memory(changes: dict[str, Any]) -> None:
    given = {**problem(0, [1]), "out": np.zeros(1, dtype=np.int32), **changes}
    for kernel in COMPILED:
        with pytest.raises(ValueError, match=r"\w"):
            kernel.decode(**given)
