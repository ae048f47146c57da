"""One writer at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ..state.errors import RagraphsError
from .schema import LOCK


@asynccontextmanager
async def writing(folder: Path) -> AsyncIterator[None]:
    """Locks the index in ``folder`` for one writer. Raises RagraphsError where another one has it.

    The operating system frees the lock of a process that was killed.
    """
    lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
    try:
        await asyncio.to_thread(lock.acquire)
    except Timeout as error:
        raise RagraphsError(
            f"Another run is writing to the index at {folder}; wait until it has finished."
        ) from error
    except OSError as error:
        raise RagraphsError(
            f"The index at {folder} cannot be locked for writing ({error.strerror or error}); ask "
            "its owner for permission to write, or name another --index."
        ) from error
    try:
        yield
    finally:
        await asyncio.to_thread(lock.release)
