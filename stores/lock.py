"""One writer at a time: a lock file beside SQLite's database, an advisory lock in PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from threading import RLock

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, event, func, select
from sqlalchemy.exc import InvalidRequestError

from ..state.errors import IndexBusyError, RagraphsError
from .postgresql_errors import LostConnectionError
from .queries import PATIENCE, advisory_key, is_postgresql, patience, upsert
from .schema import LOCK
from .tables import properties

WRITER = "writer"  # property: the token of the last writer of an index in PostgreSQL
_HEARTBEAT = 5.0  # seconds
_SECOND_CONNECTION = 10.0  # seconds
_WHILE_HELD = {  # a machine that died without a word is noticed within two minutes
    "idle_in_transaction_session_timeout": 0,
    "tcp_keepalives_idle": 30,
    "tcp_keepalives_interval": 10,
    "tcp_keepalives_count": 6,
}
_tokens: ContextVar[frozenset[str]] = ContextVar("tokens", default=frozenset())


@asynccontextmanager
async def writing(engine: Engine, name: str) -> AsyncIterator[None]:
    """Locks the index ``name`` in ``engine`` for one writer.

        async with writing(catalogue.engine, "notes"):
            catalogue.write_documents(documents)

    Raises IndexBusyError where another one has it. The lock of a process that was killed is free at
    once; the lock of a machine that died, when PostgreSQL has noticed it, within two minutes. Where
    PostgreSQL itself restarts, the lock is taken again, and the writer is stopped if another one
    was quicker. No transaction of a writer that lost its lock to another one is committed.
    """
    folder = Path(engine.url.database or "").parent
    async with _advisory(engine, name) if is_postgresql(engine) else _file(folder, name):
        before = patience.set(PATIENCE)
        try:
            yield
        finally:
            patience.reset(before)


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
    lock = _AdvisoryLock(engine, name)
    if not await _begun(lock):
        raise _taken(name)
    writer = asyncio.current_task()
    assert writer is not None
    lost: list[BaseException] = []

    async def watch() -> None:
        try:
            held = True
            while held:
                await asyncio.sleep(_HEARTBEAT)
                held = await asyncio.to_thread(lock.hold)
            lost.append(_taken(name))
        except RagraphsError as error:
            lost.append(error)
        writer.cancel()

    watcher = asyncio.create_task(watch())
    tokens = _tokens.set(_tokens.get() | {lock.token})
    event.listen(engine, "commit", lock.fence)
    try:
        yield
    except asyncio.CancelledError:
        if not lost:
            raise
        writer.uncancel()
        raise lost[0] from None
    finally:
        event.remove(engine, "commit", lock.fence)
        _tokens.reset(tokens)
        watcher.cancel()
        await asyncio.shield(_ended(lock, watcher))


async def _begun(lock: _AdvisoryLock) -> bool:
    """Whether ``lock`` was taken. Raises RagraphsError behind a pooler of one connection."""
    marking: list[asyncio.Task[None]] = []
    try:
        if not await asyncio.to_thread(lock.take):
            return False
        marking.append(asyncio.create_task(asyncio.to_thread(lock.mark)))
        if not (await asyncio.wait(marking, timeout=_SECOND_CONNECTION))[0]:
            raise RagraphsError(
                f"PostgreSQL gives no second connection within {_SECOND_CONNECTION:.0f} s, and a "
                "writer needs two; give the pooler before it a pool_size of 2 or more."
            )
        await marking[0]
    except BaseException:
        await asyncio.shield(_ended(lock, *marking))
        raise
    return True


async def _ended(lock: _AdvisoryLock, *last: asyncio.Task[None]) -> None:
    """Gives ``lock`` back after the ``last`` that is done with it, though the writer be cancelled.

    Where one waits for the connection of the lock, that comes first.
    """
    done = not last or (await asyncio.wait(last, timeout=_SECOND_CONNECTION))[0]
    await asyncio.to_thread(lock.end)
    if not done:
        await asyncio.wait(last)


class _AdvisoryLock:
    """An advisory lock of a transaction, which is open for as long as the lock is held.

    A pooler leaves the session of the server to an open transaction alone. While it idles, it
    holds no snapshot, so that it keeps no deleted rows alive. Every writer leaves a ``token`` in
    the index; a commit of one whose token is gone is refused.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self.token = uuid.uuid4().hex
        self._engine, self._key, self._name = engine, advisory_key(engine, "write"), name
        self._connection: Connection | None = None
        self._has_ended = False
        self._one_at_a_time = RLock()

    def take(self) -> bool:
        """Whether the lock is now this one's."""
        with self._one_at_a_time:
            if self._has_ended:
                return False
            connection = self._engine.connect()
            taken = bool(connection.scalar(select(func.pg_try_advisory_xact_lock(self._key))))
            if not taken:
                connection.close()
                return False
            for setting, value in _WHILE_HELD.items():
                connection.exec_driver_sql(f"SET LOCAL {setting} = {value}")
            self._connection = connection
        return True

    def mark(self) -> None:
        """Leaves the token, by which commits of an earlier writer are refused."""
        with self._engine.begin() as connection:
            upsert(connection, properties, [{"name": WRITER, "value": json.dumps(self.token)}])

    def hold(self) -> bool:
        """Whether the lock still is this one's, or is again, and was nobody's meanwhile."""
        with self._one_at_a_time:
            try:
                if self._connection is not None:
                    self._connection.scalar(select(1))
                return True
            except LostConnectionError:
                self.free()
                if not self.take():
                    return False
        with self._engine.connect() as connection:
            return self._is_marked(connection)

    def fence(self, connection: Connection) -> None:
        """Refuses a commit of this writer where another one has begun since."""
        if self.token in _tokens.get() and not self._is_marked(connection, shared=True):
            raise RagraphsError(
                f"Another run has begun to write to the index at {self._name}, since this one had "
                "lost its lock; nothing of this change is kept. Run the same command again."
            )

    def _is_marked(self, connection: Connection, shared: bool = False) -> bool:
        """Whether the token is this one's, and with ``shared`` stays so until the commit."""
        query = select(properties.c.value).where(properties.c.name == WRITER)
        found = connection.scalar(query.with_for_update(read=True) if shared else query)
        return found is not None and json.loads(found) == self.token

    def free(self) -> None:
        """Gives the lock back; where its connection is lost, the server has done so."""
        with self._one_at_a_time:
            if (connection := self._connection) is None:
                return
            self._connection = None
            with suppress(LostConnectionError, InvalidRequestError):
                connection.close()

    def end(self) -> None:
        """Gives the lock back for good, also where a thread is just about to take it."""
        with self._one_at_a_time:
            self._has_ended = True
            self.free()


def _taken(name: str) -> IndexBusyError:
    return IndexBusyError(
        f"Another run is writing to the index at {name}; wait until it has finished."
    )
