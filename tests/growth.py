"""Measuring how time and memory grow with the input."""

import gc
import math
import time
import tracemalloc
from collections.abc import Callable

Task = Callable[[], object]


def cpu_seconds(task: Task, repeats: int = 4) -> float:
    """Measure the processor time of a call, the best of several.

    The collector is off meanwhile: it walks what all other tests left behind, which is not what is measured.
    """
    times = []
    enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repeats):
            begin = time.process_time()
            task()
            times.append(time.process_time() - begin)
    finally:
        if enabled:
            gc.enable()
    return min(times)


def assert_growth(
    prepare: Callable[[int], Task], size: int, at_most: float = 20, times: int = 10, floor: float = 1e-3
) -> None:
    """Check that so many times the input takes at most so many times as long, ten and twenty if nothing else is said.

    What `prepare` does to make the call of a size is not measured. Short and long inputs are measured by turns, and the
    best of each is compared, until the long one is fast enough: another process that fills the caches for a moment
    makes no failure, and where all is well one turn does. Below a millisecond the clock and fixed costs decide.
    """
    short, long = prepare(size), prepare(times * size)
    best_short = best_long = math.inf
    for _ in range(8):
        best_short = min(best_short, cpu_seconds(short, repeats=2))
        best_long = min(best_long, cpu_seconds(long, repeats=1))
        if best_long <= at_most * max(best_short, floor):
            return
    raise AssertionError(f"{times} times the input took {best_long:.4f} s, where {best_short:.4f} s were the measure.")


def peak_memory(task: Task, repeats: int = 3) -> int:
    """Measure how many bytes a call holds at most, the least of several: what others left only adds to it."""
    peaks = []
    for _ in range(repeats):
        gc.collect()
        tracemalloc.start()
        try:
            task()
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return min(peaks)
