"""How the database of a catalogue is opened: a file of SQLite."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import time
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, select
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.pool import StaticPool

from ..state.errors import IndexNotFoundError, RagraphsError
from . import lexical_index
from .queries import add_missing, begin_writing
from .read_only import open_read_only
from .tables import metadata, properties
from .upgrade import EARLIER, upgrade

logger = logging.getLogger("ragraphs.stores")

FORMAT = 3
DATABASE = "catalogue.sqlite"
LOCK = "lock"

# SQLite finds a key only as it is written.
json_text = partial(json.dumps, ensure_ascii=False)

_ATTEMPTS, _PAUSE = 100, 0.05
_PRIMARY = 0xFF  # of an error's code; the rest is detail
_IS_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_DERIVED_IS_DAMAGED = {sqlite3.SQLITE_CORRUPT_VTAB, sqlite3.SQLITE_ERROR}


def open_database(folder: Path, *, create: bool) -> Engine:
    """The database of the index in ``folder``.

    Raises IndexNotFoundError where there is none and ``create`` is false, and RagraphsError where
    it cannot be opened or written, is damaged, or is of another format.
    """
    path = folder / DATABASE
    if not path.exists() and not create:
        raise IndexNotFoundError(
            f"There is no index at {folder}; build one with: ragraphs index SOURCE --index {folder}"
        )
    names = set(os.listdir(folder)) if folder.is_dir() else set()
    if DATABASE not in names and names - {LOCK}:
        raise RagraphsError(
            f"The folder {folder} holds other files and no index; name an empty or a new folder "
            "with --index."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        engine = open_read_only(path) if is_read_only(folder) else open_file(path)
        event.listen(engine, "handle_error", partial(_explain, folder))
        missing = set(metadata.tables) - set(inspect(engine).get_table_names())
        if missing and not is_read_only(folder):
            with engine.begin() as connection:
                begin_writing(connection)
                create_tables(connection)
        _bring_up_to_date(engine, folder)
    except OSError as error:
        raise _unusable(folder, error) from error
    return engine


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
    metadata.create_all(connection)
    lexical_index.create(connection)
    add_missing(connection, properties, [{"name": "format", "value": str(FORMAT)}])


def _configure(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA busy_timeout = 30000")
    _use_write_ahead_log(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA secure_delete = ON")


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
    if code in _DERIVED_IS_DAMAGED:
        advice = "make its derived parts anew with: ragraphs index --repair"
    elif code is not None and code & _PRIMARY in _IS_DAMAGED:
        advice = (
            f"its {DATABASE} is damaged: put back a copy of the folder, or index the sources into "
            "a new folder with: ragraphs index SOURCE --index NEW"
        )
    else:
        advice = "check the disk and its permissions, or name another --index."
    return RagraphsError(f"The index at {folder} cannot be read or written ({error}); {advice}")


def _bring_up_to_date(engine: Engine, folder: Path) -> None:
    """Upgrades an earlier format. Raises RagraphsError for a format that is not known."""
    with engine.connect() as connection:
        if _format_of(connection) in EARLIER:
            begin_writing(connection)
            while (earlier := _format_of(connection)) in EARLIER:  # unless another was quicker
                upgrade(connection, earlier)
            connection.commit()
        check_format(connection, folder)


def check_format(connection: Connection, name: object) -> None:
    """Raises RagraphsError where the database of the index ``name`` is of another format."""
    found = _format_of(connection)
    if found != str(FORMAT):
        raise RagraphsError(
            f"The index at {name} was written by another version of ragraphs (format {found}, "
            f"not {FORMAT}); use that version, or build it again under a new name."
        )


def _format_of(connection: Connection) -> str | None:
    return connection.scalar(select(properties.c.value).where(properties.c.name == "format"))
