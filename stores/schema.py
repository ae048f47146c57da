"""The tables of the catalogue, and how its database is opened."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import time
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    inspect,
    select,
    text,
)
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.pool import StaticPool

from ..state.errors import IndexNotFoundError, RagraphsError
from .read_only import open_read_only
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

metadata = MetaData()

properties = Table(
    "properties",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", Text, nullable=False),
)
files = Table(
    "files",
    metadata,
    Column("path", String, primary_key=True),
    Column("content", String, nullable=False),
)
documents = Table(
    "documents",
    metadata,
    Column("id", String, primary_key=True),
    Column("path", String, nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("content", String, nullable=False),
    Column("passages", Integer, nullable=False),
    Column("metadata", JSON, nullable=False, server_default="{}"),
)
passages = Table(
    "passages",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("document", ForeignKey("documents.id"), nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("before", Text, nullable=False, server_default=""),
    Column("metadata", JSON, nullable=False, server_default="{}"),
    Column("turns", JSON, nullable=False, server_default="[]"),
)
# Passages beside whose vectors other metadata stands than here.
outdated_entries = Table(
    "outdated_entries",
    metadata,
    Column("passage", ForeignKey("passages.id"), primary_key=True),
)
failures = Table(
    "failures",
    metadata,
    Column("place", String, primary_key=True),
    Column("path", String, nullable=False, index=True),
    Column("reason", Text, nullable=False),
)
readings = Table(
    "readings",
    metadata,
    Column("passage", ForeignKey("passages.id"), primary_key=True),
    Column("kind", String, primary_key=True),
    Column("model", String, nullable=False),
    Column("value", Text),
    Column("reason", Text),
    Column("words", String, nullable=False, server_default=""),
)
sentence_vectors = Table(
    "sentence_vectors",
    metadata,
    Column("passage", ForeignKey("passages.id"), primary_key=True),
    Column("sentences", Integer, nullable=False),
    Column("dimension", Integer, nullable=False),
    Column("vectors", LargeBinary, nullable=False),
)
question_vectors = Table(
    "question_vectors",
    metadata,
    Column("id", String, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)
# Vectors that are made anew stand beside those in use until all are there.
sentence_vectors_beside = sentence_vectors.to_metadata(metadata, name="sentence_vectors_beside")
question_vectors_beside = question_vectors.to_metadata(metadata, name="question_vectors_beside")
entities = Table(
    "entities",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", Text, nullable=False),
    Column("type", String, nullable=False),
    Column("description", Text, nullable=False),
    Column("pending", Boolean, nullable=False),
)
descriptions = Table(
    "descriptions",
    metadata,
    Column("entity", String, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("text", Text, nullable=False),
)
aliases = Table(
    "aliases",
    metadata,
    Column("entity", String, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("spelling", Text, nullable=False),
    Column("name", Text, nullable=False, index=True),
)
entity_passages = Table(
    "entity_passages",
    metadata,
    Column("entity", String, primary_key=True),
    Column("passage", String, primary_key=True, index=True),
)
mentions = Table(
    "mentions",
    metadata,
    Column("passage", String, primary_key=True),
    Column("start", Integer, primary_key=True),
    Column("end", Integer, primary_key=True),
    Column("entity", String, primary_key=True, index=True),
)
relations = Table(
    "relations",
    metadata,
    Column("id", String, primary_key=True),
    Column("source", String, nullable=False, index=True),
    Column("target", String, nullable=False, index=True),
    Column("relation", Text, nullable=False),
    Column("weight", Float, nullable=False),
)
relation_passages = Table(
    "relation_passages",
    metadata,
    Column("relation", String, primary_key=True),
    Column("passage", String, primary_key=True),
)
claims = Table(
    "claims",
    metadata,
    Column("id", String, primary_key=True),
    Column("subject", String, nullable=False, index=True),
    Column("object", String, nullable=False),
    Column("passage", String, nullable=False),
    Column("claim", Text, nullable=False),
)
merges = Table(
    "merges",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("kept", Text, nullable=False),
    Column("kept_id", String, nullable=False),
    Column("merged", Text, nullable=False),
    Column("merged_id", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("score", Float, nullable=False),
)
corrections = Table(
    "corrections",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("action", String, nullable=False),
    Column("a", Text, nullable=False),
    Column("b", Text, nullable=False),
)
communities = Table(
    "communities",
    metadata,
    Column("id", String, primary_key=True),
    Column("level", Integer, nullable=False, index=True),
    Column("parent", String, nullable=False, index=True),
    Column("size", Integer, nullable=False),
    Column("title", Text),
    Column("summary", Text),
    Column("rating", Float),
    Column("findings", Text),
    Column("writer", String),
)
community_members = Table(
    "community_members",
    metadata,
    Column("community", String, primary_key=True),
    Column("entity", String, primary_key=True, index=True),
)
replies = Table(
    "replies",
    metadata,
    Column("key", String, primary_key=True),
    Column("prompt", String, nullable=False),
    Column("model", String, nullable=False),
    Column("value", Text, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("words", String, nullable=False, server_default=""),
)

# The passages that a reply was made from. The row without a passage says that there are no others;
# where it is missing, the reply may hold any text of the index.
reply_passages = Table(
    "reply_passages",
    metadata,
    Column("key", String, primary_key=True),
    Column("passage", String, primary_key=True),
)

# The files of a layer's arrays, of an index in a database; elsewhere they are files of its folder.
array_chunks = Table(
    "array_chunks",
    metadata,
    Column("arrays", String, primary_key=True),
    Column("file", String, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("data", LargeBinary, nullable=False),
)

# No character of a term separates tokens, since without positions FTS5 has no phrases.
TERM_INDEX = text(
    "CREATE VIRTUAL TABLE IF NOT EXISTS passage_terms USING fts5("
    "title, body, detail = 'column', tokenize = \"ascii tokenchars '.,'''\")"
)


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
        engine = open_read_only(path) if is_read_only(folder) else _read_and_write(path)
        event.listen(engine, "handle_error", partial(_explain, folder))
        missing = set(metadata.tables) - set(inspect(engine).get_table_names())
        if missing and not is_read_only(folder):
            with engine.begin() as connection:
                begin_writing(connection)
                _create_tables(connection)
        _bring_up_to_date(engine, folder)
    except OSError as error:
        raise _unusable(folder, error) from error
    return engine


def is_read_only(folder: Path) -> bool:
    """Whether the index in ``folder`` is one that this user may only read."""
    path = folder / DATABASE
    return path.exists() and not (os.access(folder, os.W_OK) and os.access(path, os.W_OK))


def _read_and_write(path: Path) -> Engine:
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
        _create_tables(connection)
    return engine


def begin_writing(connection: Connection) -> None:
    """Takes SQLite's write lock now; its Python driver would not before a CREATE or a DROP."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _create_tables(connection: Connection) -> None:
    metadata.create_all(connection)
    connection.execute(TERM_INDEX)
    row = {"name": "format", "value": str(FORMAT)}
    connection.execute(insert(properties).values(row).on_conflict_do_nothing())


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
        found = _format_of(connection)
    if found != str(FORMAT):
        raise RagraphsError(
            f"The index at {folder} was written by another version of ragraphs (format {found}, "
            f"not {FORMAT}); use that version, or build it again in a new folder."
        )


def _format_of(connection: Connection) -> str | None:
    return connection.scalar(select(properties.c.value).where(properties.c.name == "format"))
