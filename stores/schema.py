"""How the database of a catalogue is opened, a file of SQLite, and brought up to date."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import time
from functools import cache, partial
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    Index,
    create_engine,
    create_mock_engine,
    event,
    inspect,
    select,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.pool import StaticPool

from ..state.errors import IndexNotFoundError, RagraphsError
from .lexical_index import form_of
from .queries import add_missing, begin_writing, is_postgresql, schema_name, table_names, upsert
from .read_only import open_read_only
from .tables import metadata, properties
from .upgrade import EARLIER, upgrade
from .vacuuming import vacuum

logger = logging.getLogger("ragraphs.stores")

FORMAT = 6
_FORMAT_ROW = {"name": "format", "value": str(FORMAT)}
DATABASE = "catalogue.sqlite"
LOCK = "lock"

# SQLite finds a key only as it is written.
json_text = partial(json.dumps, ensure_ascii=False)

_ATTEMPTS, _PAUSE = 100, 0.05
_CACHED = 32 << 10  # kilobytes of pages that a connection keeps, of which it uses what it needs
_LARGEST_LOG = 1 << 20  # bytes that are kept of the log of a large transaction, once it is applied
_PRIMARY = 0xFF  # of an error's code; the rest is detail
_IS_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_DERIVED_IS_DAMAGED = {sqlite3.SQLITE_CORRUPT_VTAB, sqlite3.SQLITE_ERROR}


def open_database(folder: Path, *, create: bool, any_format: bool = False) -> Engine:
    """The database of the index in ``folder``, which opening does not change.

    A user who may only read a database of an earlier format gets a copy, which is up to date.
    Raises IndexNotFoundError where there is none and ``create`` is false, and RagraphsError where
    it cannot be opened or written, is damaged, or is of another format; with ``any_format``, of one
    that this version cannot bring up to date.
    """
    path = folder / DATABASE
    try:
        if not path.exists() and not create:
            raise _missing(folder)
        names = set(os.listdir(folder)) if folder.is_dir() else set()
        if DATABASE not in names and any(name.partition(".")[0] != LOCK for name in names):
            raise RagraphsError(
                f"The folder {folder} holds other files and no index; name an empty or a new "
                "folder with --index."
            )
        folder.mkdir(parents=True, exist_ok=True)
        engine = open_read_only(path) if is_read_only(folder) else open_file(path)
        event.listen(engine, "handle_error", partial(_explain, folder))
        try:
            if not has_tables(engine):
                if not create:
                    raise _missing(folder)
                bring_up_to_date(engine)
            elif is_read_only(folder) and format_of(engine) in EARLIER:  # of a copy
                bring_up_to_date(engine)
            check_format(engine, folder, any_format)
        except BaseException:
            engine.dispose()
            raise
    except OSError as error:
        raise _unusable(folder, error) from error
    return engine


def _missing(folder: Path) -> IndexNotFoundError:
    return IndexNotFoundError(
        f"There is no index at {folder}; build one with: ragraphs index SOURCE --index {folder}"
    )


def is_read_only(folder: Path) -> bool:
    """Whether the index in ``folder`` is one that this user may only read."""
    path = folder / DATABASE
    return path.exists() and not (os.access(folder, os.W_OK) and os.access(path, os.W_OK))


def open_file(path: Path) -> Engine:
    """The database in the file ``path``, to be read and written by several processes."""
    engine = create_engine(
        f"sqlite:///{path}",
        connect_args={"check_same_thread": False, "isolation_level": "IMMEDIATE"},
        json_serializer=json_text,
    )
    event.listen(engine, "connect", _configure)
    return engine


def open_memory() -> Engine:
    """An empty catalogue that lives as long as the engine does."""
    engine = create_engine(
        "sqlite://",
        connect_args={"check_same_thread": False},
        json_serializer=json_text,
        poolclass=StaticPool,
    )
    with engine.begin() as connection:
        create_tables(connection)
    return engine


def create_tables(connection: Connection) -> None:
    """Makes the tables that the database lacks, in the transaction of ``connection``."""
    present = table_names(connection)
    if present or is_postgresql(connection):
        missing = [table for name, table in metadata.tables.items() if name not in present]
        metadata.create_all(connection, missing, checkfirst=False)
    else:
        for statement in _definitions():
            connection.exec_driver_sql(statement)
    form_of(connection).create(connection)
    add_missing(connection, properties, [_FORMAT_ROW])


def _lacking(of: Connection | Engine) -> list[Index]:
    """The indexes of tables, some of them newer than the format, that the database lacks."""
    found = inspect(of).get_multi_indexes(schema_name(of)).values()
    there = {one["name"] for own in found for one in own}
    every = (one for table in metadata.tables.values() for one in table.indexes)
    return [one for one in every if one.name not in there]


@cache
def _definitions() -> list[str]:
    """The statements that make all tables in an empty file of SQLite, written once."""
    made: list[str] = []
    dialect = sqlite.dialect()

    def write(sql: Any, *_: Any, **__: Any) -> None:
        made.append(str(sql.compile(dialect=dialect)))

    metadata.create_all(create_mock_engine("sqlite://", write), checkfirst=False)
    return made


def _configure(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA busy_timeout = 30000")
    _use_write_ahead_log(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA journal_size_limit = {_LARGEST_LOG}")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(f"PRAGMA cache_size = -{_CACHED}")


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Tries again while others open the new database: SQLite's busy timeout does not cover this."""
    for left in reversed(range(_ATTEMPTS)):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or not left:
                raise
            logger.debug("the database is locked by others; it is tried again")
        time.sleep(_PAUSE)


def _explain(folder: Path, context: ExceptionContext) -> None:
    """Turns SQLite's failures (a full disk, a damaged file) into one sentence."""
    error = context.original_exception
    if isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError:
        raise _unusable(folder, error) from error


def _unusable(folder: Path, error: BaseException) -> RagraphsError:
    code = getattr(error, "sqlite_errorcode", None)
    if str(error).removeprefix("no such table: ") in metadata.tables:  # an earlier version's
        advice = f"bring it up to date with: ragraphs index --index {folder}"
    elif code in _DERIVED_IS_DAMAGED:
        advice = "make its derived parts anew with: ragraphs index --repair"
    elif code is not None and code & _PRIMARY in _IS_DAMAGED:
        advice = (
            f"its {DATABASE} is damaged: put back a copy of the folder, or index the sources into "
            "a new folder with: ragraphs index SOURCE --index NEW"
        )
    else:
        advice = "check the disk and its permissions, or name another --index."
    return RagraphsError(f"The index at {folder} cannot be read or written ({error}); {advice}")


def has_tables(engine: Engine) -> bool:
    """Whether the database holds an index at all."""
    return properties.name in table_names(engine)


def is_up_to_date(engine: Engine) -> bool:
    """Whether the database has the format, all tables and indexes of this version. Blocks."""
    missing = set(metadata.tables) - table_names(engine) or _lacking(engine)
    return not missing and format_of(engine) == str(FORMAT)


def bring_up_to_date(engine: Engine) -> None:
    """Makes the tables and indexes that the database lacks, upgrades an earlier format. Blocks.

    It is all done or nothing. Only the writer of the index does this. A file then gets smaller.
    """
    with engine.begin() as connection:
        begin_writing(connection)
        create_tables(connection)
        found = _format(connection)
        if found in EARLIER:
            upgrade(connection, found)
            upsert(connection, properties, [_FORMAT_ROW])
        for index in _lacking(connection):
            index.create(connection)
    if found in EARLIER and not is_postgresql(engine):
        vacuum(engine)


def check_format(engine: Engine, name: object, any_format: bool = False) -> None:
    """Raises RagraphsError where the database of the index ``name`` is of another format.

    With ``any_format``, one that can be brought up to date is good enough.
    """
    found = format_of(engine)
    if found == str(FORMAT) or (any_format and found in EARLIER):
        return
    if found in EARLIER:
        raise RagraphsError(
            f"The index at {name} was written by an earlier version of ragraphs; bring it up to "
            f"date with: ragraphs index --index {name}. Nothing is lost."
        )
    raise RagraphsError(
        f"The index at {name} was written by another version of ragraphs (format {found}, "
        f"not {FORMAT}); use that version, or build it again under a new name."
    )


def format_of(engine: Engine) -> str | None:
    """The format of the database, as it was written. Blocks."""
    with engine.connect() as connection:
        return _format(connection)


def _format(connection: Connection) -> str | None:
    return connection.scalar(select(properties.c.value).where(properties.c.name == "format"))
