"""One writer at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ..state.errors import RagraphsError
from .schema import LOCK


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Holds the index in ``folder`` for one writer. Raises RagraphsError when another has it.

    The operating system frees the lock of a process that was killed.
    """
    try:
        lock = FileLock(folder / LOCK, timeout=0)
        with lock:
            yield
    except Timeout as error:
        raise RagraphsError(
            f"Another run is writing to the index at {folder}; wait until it has finished."
        ) from error
