"""One writer at a time, in turn: by lock files beside SQLite's database, or PostgreSQL's locks."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from threading import RLock

from filelock import Timeout
from sqlalchemy import Connection, Engine, event, func, select, text
from sqlalchemy.exc import InvalidRequestError

from ..state.errors import IndexBusyError, RagraphsError
from .file_turns import FileTurn
from .postgresql_errors import LostConnectionError
from .properties import keep_property
from .queries import PATIENCE, advisory_key, is_postgresql, patience
from .tables import properties

WRITER = "writer"  # property: the token of the last writer of an index in PostgreSQL
Waits = Callable[[int], None]
_HEARTBEAT = 5.0  # seconds
_PAUSE = 0.2  # seconds between two looks at the queue
_PLAIN = "SELECT 1"  # without a parameter: it ends the portal before it, which has a snapshot
_SECOND_CONNECTION = 10.0  # seconds
_WHILE_HELD = {  # a machine that died without a word is noticed within two minutes
    "idle_in_transaction_session_timeout": 0,
    "tcp_keepalives_idle": 30,
    "tcp_keepalives_interval": 10,
    "tcp_keepalives_count": 6,
}
_PLACES = (
    "FROM pg_locks WHERE locktype = 'advisory' AND classid = :queue AND objsubid = 2 AND granted "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_LAST = text(f"SELECT coalesce(max(objid::bigint), 0) + 1 {_PLACES}")
_JOIN = text("SELECT :last WHERE pg_try_advisory_xact_lock(:queue, :last)")
_AHEAD = text(f"SELECT count(*) {_PLACES} AND objid::bigint < :number")
_tokens: ContextVar[frozenset[str]] = ContextVar("tokens", default=frozenset())


@asynccontextmanager
async def writing(engine: Engine, name: str, waits: Waits | None = None) -> AsyncIterator[None]:
    """Locks the index ``name`` in ``engine`` for one writer.

        async with writing(catalogue.engine, "notes", print):
            catalogue.write_documents(documents)

    Where others write or wait to write, it ``waits`` its turn, in the order in which they came, and
    tells that function how many are ahead; without one it raises IndexBusyError.

    The lock of a process that was killed is free at
    once; the lock of a machine that died, when PostgreSQL has noticed it, within two minutes. Where
    PostgreSQL itself restarts, the lock is taken again, and the writer is stopped if another one
    was quicker. No transaction of a writer that lost its lock to another one is committed.
    """
    shared, folder = is_postgresql(engine), Path(engine.url.database or "").parent
    async with _advisory(engine, name, waits) if shared else _file(folder, name, waits):
        before = patience.set(PATIENCE)
        try:
            yield
        finally:
            patience.reset(before)


async def _in_turn(turn: FileTurn | _AdvisoryLock, name: str, waits: Waits | None) -> None:
    """Takes the lock of ``turn`` once all who came before have ended. Raises IndexBusyError."""
    await asyncio.to_thread(turn.join)
    while (ahead := await asyncio.to_thread(turn.ahead)) or not await asyncio.to_thread(turn.take):
        if waits is None:
            raise _taken(name)
        waits(ahead or 1)
        await asyncio.sleep(_PAUSE)


@asynccontextmanager
async def _file(folder: Path, name: str, waits: Waits | None) -> AsyncIterator[None]:
    turn = FileTurn(folder)
    try:
        try:
            await _in_turn(turn, name, waits)
        except Timeout as error:
            raise _taken(name) from error
        except OSError as error:
            raise RagraphsError(
                f"The index at {name} cannot be locked for writing ({error.strerror or error}); "
                "ask its owner for permission to write, or name another --index."
            ) from error
        yield
    finally:
        await asyncio.shield(asyncio.to_thread(turn.end))


@asynccontextmanager
async def _advisory(engine: Engine, name: str, waits: Waits | None) -> AsyncIterator[None]:
    lock = _AdvisoryLock(engine, name)
    await _begin(lock, name, waits)
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


async def _begin(lock: _AdvisoryLock, name: str, waits: Waits | None) -> None:
    """Takes ``lock`` in turn. Raises RagraphsError behind a pooler of one connection."""
    marking: list[asyncio.Task[None]] = []
    try:
        await _in_turn(lock, name, waits)
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
    the index; a commit of one whose token is gone is refused. A place in the queue is another
    advisory lock of the transaction, with a number.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self.token = uuid.uuid4().hex
        self._engine, self._key, self._name = engine, advisory_key(engine, "write"), name
        self._queue = {"queue": advisory_key(engine, "queue") & 0x7FFFFFFF}
        self._connection: Connection | None = None
        self._number: int | None = None
        self._has_ended = False
        self._one_at_a_time = RLock()

    def join(self) -> None:
        """Takes the last place of the queue."""
        with self._one_at_a_time:
            connection = self._connected()
            while self._number is None and connection is not None:
                last = {"last": connection.scalar(_LAST, self._queue)}
                self._number = connection.scalar(_JOIN, self._queue | last)

    def ahead(self) -> int:
        """The number of writers that came before this one and have not ended.

        Where the connection was lost, the place is, too.
        """
        with self._one_at_a_time:
            try:
                if (connection := self._connected()) is None:
                    return 0
                number = {"number": self._number}
                return int(connection.scalar(_AHEAD, self._queue | number) or 0)
            except LostConnectionError:
                self.free()
        self.join()
        return self.ahead()

    def take(self) -> bool:
        """Whether the lock is now this one's."""
        with self._one_at_a_time:
            if (connection := self._connected()) is None:
                return False
            taken = connection.scalar(select(func.pg_try_advisory_xact_lock(self._key)))
            connection.exec_driver_sql(_PLAIN)
            return bool(taken)

    def _connected(self) -> Connection | None:
        """The connection of the lock, opened where there is none; None once it has ended."""
        if self._connection is None and not self._has_ended:
            connection = self._engine.connect()
            for setting, value in _WHILE_HELD.items():
                connection.exec_driver_sql(f"SET LOCAL {setting} = {value}")
            self._connection = connection
        return self._connection

    def mark(self) -> None:
        """Leaves the token, by which commits of an earlier writer are refused."""
        with self._engine.begin() as connection:
            keep_property(connection, WRITER, self.token)

    def hold(self) -> bool:
        """Whether the lock still is this one's, or is again, and was nobody's meanwhile."""
        with self._one_at_a_time:
            try:
                if self._connection is not None:
                    self._connection.exec_driver_sql(_PLAIN)
                return True
            except LostConnectionError:
                self.free()
                if not self.take():
                    self.free()
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
            self._connection = self._number = None
            with suppress(LostConnectionError, InvalidRequestError):
                connection.close()

    def end(self) -> None:
        """Gives the lock back for good, also where a thread is just about to take it."""
        with self._one_at_a_time:
            self._has_ended = True
            self.free()


def _taken(name: str) -> IndexBusyError:
    return IndexBusyError(
        f"Another run is writing to the index at {name}; try again when it has finished, or wait "
        "your turn with: ragraphs index --wait"
    )
