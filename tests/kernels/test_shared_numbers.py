"""Lists of ids share one integer object for equal ids, and give its references back."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest

from textprep_ml._kernels import _exists

pytestmark = pytest.mark.skipif(not _exists("bpe_encode"), reason="numbers are shared by the compiled kernel")


def test_every_reference_is_given_back() -> None:
    from textprep_ml._kernels._bpe_encode import rows

    ids = np.array([70_000, 3, 70_000] * 50_000, np.int32)
    found = rows(ids, np.array([1, 1, 90_000, 150_000], dtype=np.int64))
    assert [len(row) for row in found] == [0, 89_999, 60_000]
    assert all(gc.is_tracked(row) for row in found)
    some = found[1][1]
    assert some == 70_000
    assert sys.getrefcount(some) == sum(number is some for row in found for number in row) + 2
    assert sys.getrefcount(some) == sum(map(len, found)) * 2 // 3 + 2
    del found
    assert sys.getrefcount(some) == 2


def test_rows_that_overlap_ids_of_others_are_refused() -> None:
    from textprep_ml._kernels._bpe_encode import rows

    with pytest.raises(ValueError, match="got 2 and 1"):
        rows(np.array([1, 2, 3], np.int32), np.array([0, 2, 1], dtype=np.int64))
