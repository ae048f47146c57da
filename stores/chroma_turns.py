"""Turns of processes at one folder of embedded Chroma, which guards its files against nobody."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_FILE = "turns"
_LENGTH = 32


class FolderTurn:
    """A turn at a folder; ``stamp`` changes whenever anybody is about to write there."""

    def __init__(self, file: int | None) -> None:
        self._file = file
        self.stamp = b"" if file is None else os.pread(file, _LENGTH, 0)

    def about_to_write(self) -> None:
        """Changes the stamp, so that all others open the vectors anew afterwards."""
        if self._file is not None:
            self.stamp = uuid.uuid4().hex.encode()
            os.pwrite(self._file, self.stamp, 0)


@contextmanager
def turn_at(folder: Path | None, alone: bool) -> Iterator[FolderTurn]:
    """A turn at ``folder``, ``alone`` or beside others that are not. Blocks.

    Chroma puts its index of vectors into several files, one after the other: who opens them
    meanwhile hangs or dies, and then writes what it read. Without a folder, and where it can only
    be read or the system knows no such locks, nobody waits.
    """
    if (file := _opened(folder)) is None:
        yield FolderTurn(None)
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield FolderTurn(file)
    finally:
        os.close(file)


def _opened(folder: Path | None) -> int | None:
    if folder is None or fcntl is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / _FILE, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        return None
