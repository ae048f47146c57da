"""The time and the memory of this process."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """The seconds that ``work`` takes, and its result."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def peak_megabytes() -> float:
    """The peak memory of this process, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
