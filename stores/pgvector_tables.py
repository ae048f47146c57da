"""The tables of vectors that pgvector compares, and the extension itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, get_args

from sqlalchemy import JSON, Column, Connection, MetaData, Table, bindparam, func, select, text
from sqlalchemy.schema import CreateTable
from sqlalchemy.types import UserDefinedType

from ..state.errors import RagraphsError, UnavailableError
from .queries import advisory_key, delete_with, is_postgresql, raw_name, table_names
from .tables import WORD
from .vectors import FIRST, PARTS, Collection

_PREFIX = "vectors_"
_OLDEST = (0, 8)  # which goes on searching its index where a filter leaves too few
_EXTENSION = text("SELECT installed_version FROM pg_available_extensions WHERE name = 'vector'")
_MAKE_EXTENSION = "CREATE EXTENSION IF NOT EXISTS vector"
# Beside its id, where both are read in half the time.
_INLINE = "ALTER TABLE {} ALTER COLUMN vector SET STORAGE PLAIN, ALTER COLUMN id SET STORAGE PLAIN"
_MOST_INLINE = 3_500
_KEY = int.from_bytes(b"pgvector", "big", signed=True)


class Numbers(UserDefinedType[Any]):
    """A type of pgvector, ``vector`` or ``halfvec``, which takes an array, and bytes by COPY."""

    cache_ok = True

    def __init__(self, name: str, dimensions: int | None = None) -> None:
        self.name = name
        self.dimensions = dimensions

    def get_col_spec(self, **_: Any) -> str:
        return self.name if self.dimensions is None else f"{self.name}({self.dimensions})"

    def bind_processor(self, dialect: Any) -> Callable[[Any], str | bytes]:
        return lambda given: given if isinstance(given, bytes) else str(given.tolist())


HALF, FULL = Numbers("halfvec"), Numbers("vector")


def vector_table(generation: str, collection: str, dimensions: int | None = None) -> Table:
    """The table of a collection of vectors; their number of ``dimensions`` is for making it."""
    return Table(
        _name(generation, collection),
        MetaData(),
        Column("id", WORD, primary_key=True),
        Column("metadata", JSON, nullable=False),
        Column("vector", Numbers("halfvec", dimensions), nullable=False),
    )


def generation_tables(generation: str) -> set[str]:
    """The names of the tables that a generation of vectors may have."""
    return {_name(generation, collection) for collection in get_args(Collection)}


def _name(generation: str, collection: str) -> str:
    part = "" if generation == FIRST else f"_{generation.removeprefix(FIRST + PARTS)}"
    return f"{_PREFIX}{collection}{part}"


def vector_tables(connection: Connection, collection: str = "") -> set[str]:
    """The tables of vectors that the database has of the index, of one collection or of all."""
    begin = f"{_PREFIX}{collection}"
    return {name for name in table_names(connection) if name.startswith(begin)}


def make_table(connection: Connection, table: Table) -> None:
    """Makes ``table`` where there is none; of several who do so at once, one."""
    there = func.to_regclass(raw_name(connection, table.name)).is_not(None)
    if not connection.scalar(select(there)):
        key = advisory_key(connection.engine, "vectors")
        connection.execute(select(func.pg_advisory_xact_lock(key)))
        connection.execute(CreateTable(table, if_not_exists=True))
        if getattr(table.c.vector.type, "dimensions", 0) < _MOST_INLINE:
            connection.exec_driver_sql(_INLINE.format(raw_name(connection, table.name)))


def delete_vectors(connection: Connection, passages: Iterable[str]) -> None:
    """Deletes the vectors of ``passages``, where they stand in this database."""
    if is_postgresql(connection):
        for name in vector_tables(connection, "passages"):
            table = Table(name, MetaData(), Column("id", WORD))
            delete_with(connection, table.c.id, passages)


def rename_vectors(connection: Connection, pairs: Sequence[Mapping[str, str]]) -> None:
    """Gives vectors of passages their ``new`` id for the ``old`` one, where they stand here."""
    if is_postgresql(connection):
        for name in vector_tables(connection, "passages"):
            table = Table(name, MetaData(), Column("id", WORD))
            put = table.update().where(table.c.id == bindparam("old"))
            connection.execute(put.values(id=bindparam("new")), pairs)


def need_pgvector(connection: Connection) -> None:
    """Makes the extension pgvector where it is missing. Raises RagraphsError where it cannot."""
    found = connection.execute(_EXTENSION).one_or_none()
    if found is not None and found.installed_version is None:
        connection.execute(select(func.pg_advisory_xact_lock(_KEY)))
        try:
            connection.exec_driver_sql(_MAKE_EXTENSION)
        except UnavailableError:
            raise
        except RagraphsError as error:  # no right to make it
            raise _needs_pgvector() from error
        found = connection.execute(_EXTENSION).one()
    if found is None or _parts(found.installed_version) < _OLDEST:
        raise _needs_pgvector()


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _needs_pgvector() -> RagraphsError:
    return RagraphsError(
        "The PostgreSQL server needs the extension pgvector, 0.8 or newer, to keep vectors; "
        "install its package there and let a superuser run: CREATE EXTENSION vector (of an older "
        "one: ALTER EXTENSION vector UPDATE), or set RAGRAPHS_CHROMA_URL to a Chroma server."
    )
