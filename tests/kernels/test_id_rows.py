"""Lists of ids from arrays of ids, on both kernels; and batches of texts that are split between threads unevenly."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textprep_ml._kernels import _exists
from textprep_ml._kernels._pure import bpe_encode as pure

MODULES = [pytest.param(pure, id="pure")]
if _exists("bpe_encode"):
    from textprep_ml._kernels import _bpe_encode

    MODULES.append(pytest.param(_bpe_encode, id="compiled"))


def flat(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    ids = np.array([index for row in rows for index in row], dtype=np.int32)
    return ids, np.cumsum([0, *map(len, rows)]).astype(np.int64)


@pytest.mark.parametrize("module", MODULES)
@given(rows=st.lists(st.lists(st.integers(0, 70_000), max_size=8), max_size=8))
def test_rows_undo_flattening(module: ModuleType, rows: list[list[int]]) -> None:
    found = module.rows(*flat(rows))
    assert found == rows
    assert all(type(index) is int for row in found for index in row)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize(
    ("offsets", "message"),
    [([0, 3], "got 0 and 3"), ([-1, 1], "got -1 and 1"), ([2, 1], "got 2 and 1")],
)
def test_wrong_offsets_are_refused(module: ModuleType, offsets: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        module.rows(np.zeros(2, np.int32), np.array(offsets, dtype=np.int64))


@pytest.mark.parametrize("module", MODULES)
def test_negative_ids_are_refused(module: ModuleType) -> None:
    with pytest.raises(ValueError, match="0 or more; got -7"):
        module.rows(np.array([1, -7], np.int32), np.array([0, 2], dtype=np.int64))


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize(
    "sizes",
    [[1], [0, 0], [100_000, 1, 1], [1, 1, 100_000], [1, 50_000, 50_000, 1], [10] * 999, []],
    ids=["one", "empty", "first", "last", "middle", "many", "none"],
)
def test_uneven_batches(module: ModuleType, threads: int, sizes: list[int]) -> None:
    encoder = module.BPEEncoder([b"a", b"b", b"ab"], np.array([[0, 1, 2]], dtype=np.int32), scheme=0)
    texts = [("ab" if number % 2 else "b") * size for number, size in enumerate(sizes)]
    ids, offsets = encoder.encode_batch(texts, threads=threads)
    assert offsets.tolist() == np.cumsum([0, *sizes]).tolist()
    assert ids.tolist() == [2 if number % 2 else 1 for number, size in enumerate(sizes) for _ in range(size)]
