"""What is derived from an index and kept in memory as long as it holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from .opening import Index

T = TypeVar("T")


class Kept(Generic[T]):
    """One value for each index, made by ``load`` when the index's ``stamp`` has changed."""

    def __init__(self, stamp: Callable[[Index], str], load: Callable[[Index], T]) -> None:
        self._stamp = stamp
        self._load = load
        self._values: dict[Path, tuple[str, T]] = {}
        self._lock = Lock()

    def of(self, index: Index) -> T:
        """The value of ``index``. Blocks; raises what ``stamp`` and ``load`` raise."""
        stamp = self._stamp(index)
        with self._lock:
            known = self._values.get(index.folder)
            if known is None or known[0] != stamp:
                known = self._values[index.folder] = stamp, self._load(index)
            return known[1]
