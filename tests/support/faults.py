"""Writes of a process, counted; from the N-th on none is done, as when the process is killed."""

from __future__ import annotations

import errno
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from ragraphs.index import opening
from ragraphs.stores.chroma import ChromaVectors
from sqlalchemy import Engine, event

_FILES = (
    (os, "replace"), (os, "rename"), (os, "unlink"), (os, "rmdir"), (os, "mkdir"), (np, "save"),
)  # fmt: skip
_CHROMA = ("add", "describe", "remove", "delete_all_but", "note_written")
_READS = ("SELECT", "PRAGMA", "BEGIN", "WITH")


class Faults:
    """Writes to files, to the database and to Chroma, of which the ``at``-th fails, and all later.

    Nothing is written any more, so that what stands on the disk is what a kill would leave.
    """

    def __init__(self, at: int | None = None) -> None:
        self.at, self.count = at, 0

    @property
    def has_struck(self) -> bool:
        """Whether a write failed."""
        return self.at is not None and self.count >= self.at

    def note(self, *_: Any) -> None:
        """Counts a write that is about to be done; raises OSError in its place."""
        self.count += 1
        if self.has_struck:
            raise OSError(errno.EIO, "the process was killed here")

    def statement(self, connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if not statement.lstrip().upper().startswith(_READS):
            self.note()


@contextmanager
def counted_writes(at: int | None = None) -> Iterator[Faults]:
    """Counts the writes of the block; the ``at``-th of them and all later ones fail."""
    faults = Faults(at)
    with pytest.MonkeyPatch.context() as patch:
        for module, name in _FILES:
            patch.setattr(module, name, _noted(faults, getattr(module, name)))
        for name in _CHROMA:
            patch.setattr(ChromaVectors, name, _noted(faults, getattr(ChromaVectors, name)))
        listeners = (("before_cursor_execute", faults.statement), ("commit", faults.note))
        for name, listener in listeners:
            event.listen(Engine, name, listener)
        try:
            yield faults
        finally:
            for name, listener in listeners:
                event.remove(Engine, name, listener)


def _noted(faults: Faults, function: Any) -> Any:
    def write(*given: Any, **named: Any) -> Any:
        faults.note()
        return function(*given, **named)

    return write


def reopen() -> None:
    """Forgets all open indexes, as a new process has none."""
    with opening._lock:
        for index in opening._open.values():
            index.vectors.close()
        opening._open.clear()
        opening._alive.clear()
    gc.collect()
    opening._close_dropped()
