"""The measure of growth finds what grows faster than its input."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.growth import Task, assert_growth


def counting(power: int) -> Callable[[int], Task]:
    def prepare(size: int) -> Task:
        return lambda: sum(1 for _ in range(size**power))

    return prepare


def test_linear_time_passes() -> None:
    assert_growth(counting(1), 50_000)


def test_quadratic_time_fails() -> None:
    with pytest.raises(AssertionError, match="10 times the input took"):
        assert_growth(counting(2), 200)
