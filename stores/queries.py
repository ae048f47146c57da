"""How stores ask their database: for many ids in batches, for many rows as a stream."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import wraps
from inspect import isfunction, isgeneratorfunction
from itertools import chain, islice
from operator import itemgetter
from threading import Event
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    CursorResult,
    Engine,
    FromClause,
    Select,
    Table,
    any_,
    bindparam,
    delete,
    func,
    inspect,
    literal,
    select,
)
from sqlalchemy.dialects import sqlite

from .postgresql_errors import LostConnectionError, explained

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

logger = logging.getLogger("ragraphs.stores")

T = TypeVar("T")

PATIENCE = 30.0  # seconds for which a server that answered before may be away from a writer
PAUSE = 0.5
patience: ContextVar[float] = ContextVar("patience", default=3.0)  # of others, in seconds

_BATCH = 500

_Row: TypeAlias = tuple[Any, ...]


def persistent(store: type[T]) -> type[T]:
    """Makes each public method of ``store`` try again where the server was lost in the middle.

    Such a method is one transaction, or reads only. A method that yields is left as it is.
    """
    for name, method in list(vars(store).items()):
        if isfunction(method) and not isgeneratorfunction(method) and not name.startswith("_"):
            setattr(store, name, persisting(method))
    return store


def persisting(method: Callable[..., T]) -> Callable[..., T]:
    """Makes one transaction try again where the server was lost in the middle."""

    @wraps(method)
    def persist(*given: Any, **named: Any) -> T:
        # What can be read only once is kept for the next time.
        given = tuple(list(one) if isinstance(one, Iterator) else one for one in given)
        deadline = 0.0
        while True:
            try:
                return method(*given, **named)
            except LostConnectionError:
                deadline = deadline or time.monotonic() + patience.get()
                if time.monotonic() >= deadline:
                    raise
                logger.info("the PostgreSQL server was lost; the change is made again")
                time.sleep(PAUSE)

    return persist


class RunEndedError(Exception):
    """Nobody waits any more for the work that a thread does."""


# Set in the context of a thread that works for a run.
run_ended: ContextVar[Event | None] = ContextVar("run_ended", default=None)


def batches(items: Iterable[T], size: int = _BATCH) -> Iterator[list[T]]:
    """``items`` in lists of at most ``size``; raises RunEndedError where their run has ended."""
    ended, iterator = run_ended.get(), iter(items)
    while batch := list(islice(iterator, size)):
        if ended is not None and ended.is_set():
            raise RunEndedError
        yield batch


def is_one_of(
    of: Connection | Engine, column: ColumnElement[Any], values: Sequence[Any]
) -> ColumnElement[bool]:
    """Whether ``column`` holds one of ``values``, which PostgreSQL gets as one array."""
    if is_postgresql(of):
        return column == any_(literal(values, ARRAY(column.type)))
    return column.in_(values)


def lookups(engine: Engine) -> Connection:
    """A connection for queries of which each may see another moment.

    PostgreSQL gets no transaction around them, which would be two messages more. Where the engine
    shows one moment (``moments``), they share its transaction.
    """
    if is_postgresql(engine) and "isolation_level" not in engine.get_execution_options():
        return engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    return engine.connect()


def rows(engine: Engine, query: Select[Any]) -> Generator[Any, None, None]:
    """The rows that ``query`` finds, read while they are used."""
    with (
        engine.connect() as connection,
        connection.execution_options(yield_per=_BATCH).execute(query) as found,
    ):
        yield from chain.from_iterable(found.partitions())  # in half the time of one by one


def plain_rows(engine: Engine, query: Select[Any]) -> list[_Row]:
    """The rows of ``query`` as the driver gives them, for many rows of numbers and names."""
    with engine.connect() as connection:
        return _as_given(connection.execute(query))


def _as_given(found: CursorResult[Any]) -> list[_Row]:
    with found:
        return list(found.cursor_strategy.fetchall(found, found.cursor))


def plain_rows_with(
    engine: Engine, query: Select[Any], column: ColumnElement[Any], values: Iterable[Any] | None
) -> Iterator[Any]:
    """The rows of ``rows_with`` as the driver gives them, like ``plain_rows``, unless of all."""
    return rows_with(engine, query, column, values, _as_given)


def rows_with(
    engine: Engine,
    query: Select[Any],
    column: ColumnElement[Any],
    values: Iterable[Any] | None,
    read: Callable[[CursorResult[Any]], Iterable[Any]] = CursorResult.all,
) -> Generator[Any, None, None]:
    """The rows of ``query`` whose ``column`` holds one of ``values``, batch by batch; None: all."""
    if values is None:
        yield from rows(engine, query)
        return
    with lookups(engine) as connection:
        for batch in batches(dict.fromkeys(values)):
            yield from read(connection.execute(query.where(is_one_of(engine, column, batch))))


def first_rows_with(
    engine: Engine,
    query: Select[Any],
    column: ColumnElement[Any],
    values: Iterable[Any],
    most: int | None,
    order: Sequence[ColumnElement[Any]],
) -> Iterator[Any]:
    """The rows of ``query`` whose ``column`` holds one of ``values``, in the ``order`` of columns.

    Of each value come the first ``most`` rows; all where ``most`` is None.
    """
    if most is None:
        yield from rows_with(engine, query.order_by(*order), column, values)
        return
    place = func.row_number().over(partition_by=column, order_by=list(order)).label("place")
    with lookups(engine) as connection:
        for batch in batches(dict.fromkeys(values)):
            placed = query.add_columns(place).where(is_one_of(engine, column, batch)).subquery()
            first = select(placed).where(placed.c.place <= most).order_by(placed.c.place)
            yield from connection.execute(first).all()


def rows_in_order(
    engine: Engine, table: FromClause, ids: Iterable[str], *conditions: ColumnElement[bool]
) -> Iterator[Any]:
    """The rows of ``table`` with these ids that meet ``conditions``, in the order of ``ids``."""
    ids, query = list(ids), select(table).where(*conditions)
    found = {row.id: row for row in rows_with(engine, query, table.c.id, ids)}
    return (found[id] for id in ids if id in found)


def count_rows(engine: Engine, table: FromClause, *conditions: ColumnElement[bool]) -> int:
    """The number of rows of ``table`` that meet all ``conditions``."""
    query = select(func.count()).select_from(table).where(*conditions)
    with lookups(engine) as connection:
        return connection.execute(query).scalar_one()


def is_postgresql(of: Connection | Engine) -> bool:
    """Whether the database is PostgreSQL; else it is SQLite."""
    return of.dialect.name == "postgresql"


def insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that can say, in the database's own dialect, what to do on a conflict."""
    if not is_postgresql(connection):
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)


def close_database(engine: Engine) -> None:
    """Closes a database that is an index's own; connections to a server serve other indexes too."""
    if not is_postgresql(engine):
        engine.dispose()


def schema_name(of: Connection | Engine) -> str | None:
    """The schema of an index in PostgreSQL; None in SQLite."""
    name: str | None = of.engine.get_execution_options().get("schema")
    return name


def raw_name(of: Connection | Engine, table: str) -> str:
    """The name of ``table`` in SQL that is not made by SQLAlchemy, which writes the schema itself.

    No session is relied on to look for tables in a schema: a pooler may give it to another index.
    """
    schema = schema_name(of)
    return f'"{table}"' if schema is None else f'"{schema}"."{table}"'


def table_names(of: Connection | Engine) -> set[str]:
    """The tables that the database has of the index. Blocks."""
    return set(inspect(of).get_table_names(schema_name(of)))


def column_names(of: Connection | Engine, table: str) -> set[str]:
    """The columns that ``table`` has in the database. Blocks."""
    return {column["name"] for column in inspect(of).get_columns(table, schema_name(of))}


def begin_writing(connection: Connection) -> None:
    """Takes SQLite's write lock now; its Python driver would not before a CREATE or a DROP."""
    if not is_postgresql(connection):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def advisory_key(engine: Engine, purpose: str) -> int:
    """The number of PostgreSQL's advisory lock on an index for ``purpose``."""
    text = f"{purpose} {schema_name(engine)}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big", signed=True)


def upsert(
    connection: Connection,
    table: Table,
    new: Sequence[dict[str, Any]],
    where: Callable[[Any], ColumnElement[bool]] | None = None,
) -> None:
    """Inserts ``new`` rows, each in place of the one with the same primary key.

    Given ``where``, only rows for which it is true, given the columns of the new one, give way.
    """
    if not new:
        return
    keys = table.primary_key.columns.keys()
    statement = insert(connection, table)
    replaced = {name: statement.excluded[name] for name in new[0] if name not in keys}
    condition = where and where(statement.excluded)
    connection.execute(
        statement.on_conflict_do_update(index_elements=keys, set_=replaced, where=condition),
        _in_order(new, keys),
    )


def add_missing(connection: Connection, table: Table, new: Sequence[dict[str, Any]]) -> None:
    """Inserts the ``new`` rows whose primary key is not there yet."""
    if new:
        rows = _in_order(new, table.primary_key.columns.keys())
        connection.execute(insert(connection, table).on_conflict_do_nothing(), rows)


def _in_order(new: Sequence[dict[str, Any]], keys: Sequence[str]) -> list[dict[str, Any]]:
    """The rows by their keys, so that two who write the same ones do not wait for each other."""
    return sorted(new, key=lambda row: [row[key] for key in keys])


def update_rows(
    connection: Connection, table: Table, changes: Mapping[str, Mapping[str, Any]]
) -> None:
    """Changes some columns of the rows with these ids; unknown ids do no harm."""
    if changes:
        statement = table.update().where(table.c.id == bindparam("at"))
        connection.execute(statement, [{"at": id, **new} for id, new in sorted(changes.items())])


def replace_all(
    connection: Connection, table: Table, new: Iterable[dict[str, Any]]
) -> list[dict[str, Any]] | None:
    """Makes the ``new`` rows all of ``table``; of those that it has already none is written.

    No two are equal. Where the database numbers them, all that they hold tells them apart. Returns
    the rows that went and those that came; None where all went or came.
    """
    rows = iter(new)
    first = next(rows, None)
    if first is None:
        return None if connection.execute(delete(table)).rowcount else []
    rows = chain([first], rows)
    if connection.execute(select(table).limit(1)).first() is None:
        add_rows(connection, table, rows)
        return None
    names = list(first)
    gone, old, added = _differences(connection, table, names, rows)
    if gone:
        same = (key == bindparam(f"old_{key.name}") for key in table.primary_key.columns)
        connection.execute(delete(table).where(*same), gone)
    came = [dict(zip(names, row, strict=True)) for row in added]
    add_rows(connection, table, came)
    return [*(dict(zip(names, row, strict=True)) for row in old), *came]


def _differences(
    connection: Connection, table: Table, names: Sequence[str], new: Iterable[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[_Row], list[_Row]]:
    """The keys of stored rows that no ``new`` one is like, these, and the new rows not there.

    Both are gone through in one order: every database compares texts by their code points.
    """
    primary = table.primary_key.columns
    order = list(primary) if set(primary.keys()) <= set(names) else [table.c[one] for one in names]
    key_of = itemgetter(*(names.index(column.name) for column in order))
    wanted = sorted((tuple(row[name] for name in names) for row in new), key=key_of)
    query = select(
        *(table.c[name] for name in names), *(one.label(f"old_{one.name}") for one in primary)
    )
    stored = connection.execute(query.order_by(*order), execution_options={"yield_per": _BATCH})
    gone, old, added, place = list[dict[str, Any]](), list[_Row](), list[_Row](), 0
    for row in stored:
        held = tuple(row[: len(names)])
        if wanted[place : place + 1] != [held]:
            while place < len(wanted) and key_of(wanted[place]) < key_of(held):
                added.append(wanted[place])
                place += 1
        if wanted[place : place + 1] == [held]:
            place += 1
        else:
            old.append(held)
            gone.append({f"old_{one.name}": row[len(names) + at] for at, one in enumerate(primary)})
    return gone, old, added + wanted[place:]


def add_rows(connection: Connection, table: Table, new: Iterable[dict[str, Any]]) -> None:
    """Inserts the ``new`` rows in the fastest way that the database has."""
    if is_postgresql(connection):
        copy_rows(connection, table, new)
        return
    for batch in batches(new):
        connection.execute(table.insert(), batch)


def copy_rows(
    connection: Connection, table: Table, new: Iterable[dict[str, Any]], form: str = "TEXT"
) -> None:
    """Inserts rows by PostgreSQL's COPY, ten times as fast as by statements.

    In the ``form`` BINARY numbers are of the size that Python gives them.
    """
    rows = iter(new)
    if (first := next(rows, None)) is None:
        return
    driver: Any = connection.connection
    name, quoted = raw_name(connection, table.name), ", ".join(f'"{name}"' for name in first)
    sent = f"COPY {name} ({quoted}) FROM STDIN (FORMAT {form})"
    types = ((name, table.c[name].type.dialect_impl(connection.dialect)) for name in first)
    written = [(name, type.bind_processor(connection.dialect)) for name, type in types]
    try:
        with driver.cursor() as cursor, cursor.copy(sent) as copy:
            for row in chain([first], rows):
                copy.write_row([put(row[name]) if put else row[name] for name, put in written])
    except driver.dbapi_connection.Error as error:
        sentence = explained(error, is_disconnect=driver.dbapi_connection.closed)
        if sentence is None:
            raise
        raise sentence from error


def delete_with(connection: Connection, column: ColumnElement[Any], values: Iterable[Any]) -> None:
    """Deletes the rows whose ``column`` holds one of ``values``; values not there do no harm."""
    for batch in batches(values):
        connection.execute(delete(column.table).where(is_one_of(connection, column, batch)))
