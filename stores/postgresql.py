"""How the database of a catalogue is opened: a schema of PostgreSQL for each index."""

from __future__ import annotations

import hashlib
import logging
import re
import time
from functools import cache, partial
from threading import Lock
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    NullPool,
    QueuePool,
    create_engine,
    event,
    func,
    select,
    text,
)
from sqlalchemy.engine import URL, ExceptionContext, make_url
from sqlalchemy.exc import ArgumentError, InvalidatePoolError, NoSuchModuleError, TimeoutError
from sqlalchemy.pool import PoolProxiedConnection

from ..state.errors import IndexNotFoundError, RagraphsError, UnavailableError
from .pgvector_tables import need_pgvector
from .postgresql_errors import LostConnectionError, code_of, explained
from .properties import keep_property, property_in
from .queries import PAUSE, advisory_key, patience, schema_name, table_names
from .schema import check_format, create_tables, json_text
from .tables import properties

logger = logging.getLogger("ragraphs.stores")

NAME = "name"  # property: the name of the index, of which its schema's may be a digest
_SCHEMAS = "SELECT schemaname FROM pg_tables WHERE tablename = :table AND schemaname LIKE :like"
_POOL, _USED = "ragraphs", "ragraphs_used"
_KEPT, _MOST = 5, 20  # connections that are kept open, and that there are at most
_RESTED = 0.1  # seconds after which a connection may be lost unnoticed, as by a restart
_PREFIX = "ragraphs_"
_LIKE = r"ragraphs\_%"
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_]{0,49}")  # a name of PostgreSQL has at most 63 bytes
_opening = Lock()  # two threads at a time would each open a pool
_ALIVE = {  # a machine that died without a word is noticed within a minute
    "tcp_user_timeout": 30_000,  # ms until a send must be acknowledged
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 6,
}


def open_shared(
    url: str, name: str, *, create: bool, any_format: bool = False, with_vectors: bool = False
) -> Engine:
    """The database of the index ``name`` on the PostgreSQL server at ``url``.

        engine = open_shared("postgresql+psycopg://user:password@host/db", "notes", create=True)
        print(Catalogue(engine).count_documents())

    Each index is a schema, which every statement names: behind a pooler, sessions are shared with
    other indexes. All indexes of a database share a pool of connections, at most 20, or as many as
    ``pool_size`` in the address says. ``with_vectors`` they stand there too, by pgvector. A server
    that was once reached may be away for ``patience`` seconds. Raises
    IndexNotFoundError where there is none and ``create`` is false, UnavailableError where the
    server does not answer, and RagraphsError where it cannot be used, or the index is of another
    format, as ``schema.open_database`` has it; no message shows the password.
    """
    schema = schema_of(name)
    engine = _engine(url).execution_options(schema=schema, schema_translate_map={None: schema})
    with engine.begin() as connection:
        if create:
            if with_vectors:
                need_pgvector(connection)
            _make(connection, name)
        elif not _exists(connection):
            raise IndexNotFoundError(
                f"There is no index {name} in the database; build one with: ragraphs index "
                f"SOURCE --index {name}"
            )
    check_format(engine, name, any_format)
    return engine


def shared_names(url: str) -> list[str]:
    """The names of all indexes in the database at ``url``. Blocks; raises as ``open_shared``."""
    with _engine(url).connect() as connection:
        schemas = connection.scalars(text(_SCHEMAS), {"table": properties.name, "like": _LIKE})
        return sorted(_name_in(connection, schema) for schema in schemas.all())


def _name_in(connection: Connection, schema: str) -> str:
    of_index = connection.execution_options(schema_translate_map={None: schema})
    return property_in(of_index, NAME) or schema.removeprefix(_PREFIX)


def rename_shared(engine: Engine, name: str) -> None:
    """Gives the index in ``engine`` another name. Blocks."""
    with engine.begin() as connection:
        keep_property(connection, NAME, name)
        old = schema_name(engine)
        connection.exec_driver_sql(f'ALTER SCHEMA "{old}" RENAME TO "{schema_of(name)}"')


def drop_shared(engine: Engine) -> None:
    """Deletes the index in ``engine`` with all its tables. Blocks."""
    with engine.begin() as connection:
        connection.exec_driver_sql(f'DROP SCHEMA "{schema_name(engine)}" CASCADE')


def reach_server(url: str, seconds: int) -> None:
    """Connects to the database at ``url``, waiting at most so many seconds.

    Raises RagraphsError where it does not answer, or refuses.
    """
    plain_engine(url, seconds, poolclass=NullPool).connect().close()


def plain_engine(url: str, seconds: int, **pool: Any) -> Engine:
    """The database at ``url`` without the schema of an index, for statements that name theirs.

    They are not prepared, for behind a pooler each may come to another connection. To connect takes
    at most so many seconds. Raises RagraphsError for an address that cannot be used.
    """
    given = {"connect_timeout": seconds, "application_name": "ragraphs", "prepare_threshold": None}
    engine = create_engine(
        _checked(url)[0], connect_args=_ALIVE | given, hide_parameters=True, **pool
    )
    event.listen(engine, "handle_error", _explain)
    return engine


def schema_of(name: str) -> str:
    """The schema of the index ``name``, of at most 63 bytes, and of no other.

    >>> schema_of("notes")
    'ragraphs_notes'
    """
    if _PLAIN.fullmatch(name):
        return _PREFIX + name
    shown = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[-20:]
    # The second underscore tells it apart from all plain names.
    return f"{_PREFIX}_{shown}_{hashlib.sha256(name.encode()).hexdigest()[:24]}"


def _engine(url: str) -> Engine:
    """The database at ``url``, opened once, with its pool of connections."""
    with _opening:
        return _opened(url)


@cache
def _opened(url: str) -> Engine:
    checked, most = _checked(url)
    logging.getLogger("psycopg").setLevel(logging.ERROR)  # it warns of losses, which we tell
    engine = create_engine(
        checked,
        connect_args={
            **_ALIVE,
            "connect_timeout": 10,
            "application_name": "ragraphs",
            "prepare_threshold": None,  # a pooler's next session does not know what was prepared
        },
        json_serializer=json_text,
        poolclass=_Pool,
        pool_size=min(most, _KEPT),
        max_overflow=max(most - _KEPT, 0),
        pool_logging_name=_POOL,
        hide_parameters=True,
    )
    # It shows a traceback where a cursor of a lost connection cannot be closed.
    named = f"{_Pool.__module__}.{_Pool.__qualname__}.{_POOL}"
    logging.getLogger(named).setLevel(logging.CRITICAL)
    event.listen(engine, "handle_error", _explain)
    event.listen(engine, "do_connect", partial(_connect, list[bool]()))
    event.listen(engine, "connect", _configure)
    event.listen(engine, "checkin", _note_use)
    event.listen(engine, "checkout", partial(_try, engine.dialect))
    return engine


class _Pool(QueuePool):
    """Connections of all indexes of a database."""

    def connect(self) -> PoolProxiedConnection:
        try:
            return super().connect()
        except TimeoutError as error:
            raise UnavailableError(
                f"All {self.size() + self._max_overflow} connections to the PostgreSQL server are "
                "in use; try again later, or allow more by ?pool_size=40 in RAGRAPHS_DATABASE."
            ) from error


def _checked(url: str) -> tuple[URL, int]:
    """The address, and how many connections it allows."""
    try:
        parsed = make_url(url)
        most = max(int(str(parsed.query.get("pool_size", _MOST))), 1)
        parsed = parsed.difference_update_query(["pool_size"])
        if parsed.drivername not in ("postgresql", "postgresql+psycopg"):
            raise ArgumentError(parsed.drivername)
        parsed = parsed.set(drivername="postgresql+psycopg")
        parsed.get_dialect().import_dbapi()
    except ImportError:
        raise RagraphsError(
            "RAGRAPHS_DATABASE needs the driver of PostgreSQL; install it with: "
            "pip install 'ragraphs[postgres]'"
        ) from None
    except (ArgumentError, NoSuchModuleError, ValueError):
        raise RagraphsError(
            "RAGRAPHS_DATABASE is no address of a PostgreSQL database; write it as "
            "postgresql+psycopg://USER:PASSWORD@HOST/NAME"
        ) from None
    return parsed, most


def _connect(reached: list[bool], dialect: Any, _record: Any, cargs: Any, cparams: Any) -> Any:
    """Connects; where the server was ``reached`` before, tries for ``patience`` seconds."""
    deadline = time.monotonic() + (patience.get() if reached else 0)
    while True:
        try:
            connection = dialect.connect(*cargs, **cparams)
        except dialect.dbapi.OperationalError as error:
            if code_of(error) or time.monotonic() >= deadline:
                raise
            logger.info("the PostgreSQL server does not answer; it is tried again")
            time.sleep(PAUSE)
        else:
            reached[:] = [True]
            return connection


def _note_use(_connection: Any, record: Any) -> None:
    record.info[_USED] = time.monotonic()


def _try(dialect: Any, connection: Any, record: Any, _proxy: Any) -> None:
    """Tries a connection that has rested; where it is lost, none of its pool is used any more."""
    now = time.monotonic()
    if now - record.info.get(_USED, now) > _RESTED:
        try:
            dialect.do_ping(connection)
        except dialect.dbapi.Error:
            raise InvalidatePoolError from None


def _configure(connection: Any, _record: Any) -> None:
    from psycopg.types.string import StrDumper

    class Storable(StrDumper):
        """Writes a mark for the one character that PostgreSQL cannot hold in a text."""

        def dump(self, text: str) -> Any:
            return super().dump(text.replace("\0", "\ufffd"))

    connection.adapters.register_dumper(str, Storable)


def _exists(connection: Connection) -> bool:
    query = "SELECT count(*) FROM pg_namespace WHERE nspname = :schema"
    return bool(connection.scalar(text(query), {"schema": schema_name(connection)}))


def _make(connection: Connection, name: str) -> None:
    """Makes the schema and its tables, where there are none; of several at once one does."""
    if _exists(connection) and properties.name in table_names(connection):
        return
    key = advisory_key(connection.engine, "make")
    connection.execute(select(func.pg_advisory_xact_lock(key)))
    connection.exec_driver_sql(f'CREATE SCHEMA IF NOT EXISTS "{schema_of(name)}"')
    create_tables(connection)
    keep_property(connection, NAME, name)


def _explain(context: ExceptionContext) -> None:
    """Turns failures of the server into one sentence, without address, user and password."""
    error = explained(context.original_exception, context.is_disconnect, context.connection is None)
    if isinstance(error, LostConnectionError) and not code_of(context.original_exception):
        context.is_disconnect = True  # the pool then opens new connections
    if error is not None and not (context.is_pre_ping and context.is_disconnect):
        raise error from context.original_exception
