"""The tables of the catalogue, and how its database is opened."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    text,
)
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import StaticPool

from ..state.errors import IndexNotFoundError, RagraphsError

FORMAT = 1
DATABASE = "catalogue.sqlite"
LOCK = "lock"

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
)
failures = Table(
    "failures",
    metadata,
    Column("path", String, primary_key=True),
    Column("reason", Text, nullable=False),
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
)

TERM_INDEX = text(
    "CREATE VIRTUAL TABLE IF NOT EXISTS passage_terms USING fts5("
    "title, body, detail = 'column', tokenize = \"unicode61 remove_diacritics 0 tokenchars '.'\")"
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
    if not path.exists() and folder.is_dir() and set(os.listdir(folder)) - {LOCK}:
        raise RagraphsError(
            f"The folder {folder} holds other files and no index; name an empty or a new folder "
            "with --index."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        engine = create_engine(
            f"sqlite:///{path}",
            connect_args={"check_same_thread": False, "isolation_level": "IMMEDIATE"},
        )
        event.listen(engine, "connect", _configure)
        with engine.begin() as connection:
            metadata.create_all(connection)
            connection.execute(TERM_INDEX)
    except (OSError, DatabaseError) as error:
        reason = getattr(error, "orig", None) or error
        raise RagraphsError(
            f"The index at {folder} cannot be opened for writing ({reason}); choose a folder that "
            "you may write to with --index."
        ) from error
    _check_format(engine, folder)
    return engine


def open_memory() -> Engine:
    """An empty catalogue that lives as long as the engine does."""
    engine = create_engine(
        "sqlite://", connect_args={"check_same_thread": False}, poolclass=StaticPool
    )
    with engine.begin() as connection:
        metadata.create_all(connection)
        connection.execute(TERM_INDEX)
    return engine


def _configure(connection: Any, _record: Any) -> None:
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "busy_timeout = 30000"):
        connection.execute(f"PRAGMA {pragma}")


def _check_format(engine: Engine, folder: Path) -> None:
    with engine.begin() as connection:
        found = connection.execute(properties.select().where(properties.c.name == "format")).first()
        if found is None:
            connection.execute(properties.insert().values(name="format", value=str(FORMAT)))
        elif found.value != str(FORMAT):
            raise RagraphsError(
                f"The index at {folder} was written by another version of ragraphs (format "
                f"{found.value}, not {FORMAT}); build it again in a new folder."
            )
