"""Measuring how time grows with the input."""

import gc
import time
from collections.abc import Callable


def cpu_seconds(call: Callable[[], object], repeats: int = 4) -> float:
    """Measure the processor time of a call, the best of several.

    The collector is off meanwhile: it walks what all other tests left behind, which is not what is measured.
    """
    times = []
    enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repeats):
            begin = time.process_time()
            call()
            times.append(time.process_time() - begin)
    finally:
        if enabled:
            gc.enable()
    return min(times)
