"""One writer at a time: a lock file beside SQLite's database, an advisory lock in PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from threading import RLock

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import InvalidRequestError

from ..state.errors import IndexBusyError, RagraphsError
from .postgresql_errors import LostConnectionError
from .queries import advisory_key, is_postgresql
from .schema import LOCK

_HEARTBEAT = 5.0  # seconds


@asynccontextmanager
async def writing(engine: Engine, name: str) -> AsyncIterator[None]:
    """Locks the index ``name`` in ``engine`` for one writer.

        async with writing(catalogue.engine, "notes"):
            catalogue.write_documents(documents)

    Raises IndexBusyError where another one has it. The lock of a process that was killed is free at
    once; that of a machine that died, when PostgreSQL has noticed it, within two minutes. Where
    PostgreSQL itself restarts, the lock is taken again, and the writer is stopped if another one
    was quicker.
    """
    if is_postgresql(engine):
        async with _advisory(engine, name):
            yield
    else:
        async with _file(Path(engine.url.database or "").parent, name):
            yield


@asynccontextmanager
async def _file(folder: Path, name: str) -> AsyncIterator[None]:
    lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
    try:
        await asyncio.to_thread(lock.acquire)
    except Timeout as error:
        raise _taken(name) from error
    except OSError as error:
        raise RagraphsError(
            f"The index at {name} cannot be locked for writing ({error.strerror or error}); ask "
            "its owner for permission to write, or name another --index."
        ) from error
    try:
        yield
    finally:
        await asyncio.to_thread(lock.release)


@asynccontextmanager
async def _advisory(engine: Engine, name: str) -> AsyncIterator[None]:
    lock = _AdvisoryLock(engine)
    if not await asyncio.to_thread(lock.take):
        raise _taken(name)
    writer = asyncio.current_task()
    assert writer is not None
    lost: list[BaseException] = []

    async def watch() -> None:
        try:
            while await asyncio.to_thread(lock.hold):
                await asyncio.sleep(_HEARTBEAT)
            lost.append(_taken(name))
        except RagraphsError as error:
            lost.append(error)
        writer.cancel()

    watcher = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:
        if not lost:
            raise
        writer.uncancel()
        raise lost[0] from None
    finally:
        watcher.cancel()
        await asyncio.wait([watcher])
        await asyncio.to_thread(lock.free)


class _AdvisoryLock:
    """An advisory lock of a session, which holds as long as its connection does."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._key = engine, advisory_key(engine, "write")
        self._connection: Connection | None = None
        self._one_at_a_time = RLock()

    def take(self) -> bool:
        """Whether the lock is now this one's."""
        with self._one_at_a_time:
            connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            taken = bool(connection.scalar(select(func.pg_try_advisory_lock(self._key))))
            if taken:
                self._connection = connection
            else:
                connection.close()
        return taken

    def hold(self) -> bool:
        """Whether the lock still is this one's, or is again."""
        with self._one_at_a_time:
            try:
                if self._connection is not None:
                    self._connection.scalar(select(1))
                return True
            except LostConnectionError:
                self.free()
                return self.take()

    def free(self) -> None:
        """Gives the lock back; where its connection is lost, the server has done so."""
        with self._one_at_a_time:
            if (connection := self._connection) is None:
                return
            self._connection = None
            with connection, suppress(LostConnectionError, InvalidRequestError):
                connection.scalar(select(func.pg_advisory_unlock(self._key)))


def _taken(name: str) -> IndexBusyError:
    return IndexBusyError(
        f"Another run is writing to the index at {name}; wait until it has finished."
    )
