"""How stores ask their database: for many ids in batches, for many rows as a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    Table,
    bindparam,
    delete,
    func,
    select,
)
from sqlalchemy.dialects.sqlite import insert

T = TypeVar("T")

_BATCH = 500


def batches(items: Iterable[T], size: int = _BATCH) -> Iterator[list[T]]:
    """``items`` in lists of at most ``size``."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def rows(engine: Engine, query: Select[Any]) -> Iterator[Any]:
    """The rows that ``query`` finds, read while they are used."""
    with engine.connect() as connection:
        yield from connection.execution_options(yield_per=_BATCH).execute(query)


def rows_with(
    engine: Engine, query: Select[Any], column: ColumnElement[Any], values: Iterable[Any]
) -> Iterator[Any]:
    """The rows of ``query`` whose ``column`` holds one of ``values``, batch by batch."""
    with engine.connect() as connection:
        for batch in batches(dict.fromkeys(values)):
            yield from connection.execute(query.where(column.in_(batch)))


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
    with engine.connect() as connection:
        for batch in batches(dict.fromkeys(values)):
            placed = query.add_columns(place).where(column.in_(batch)).subquery()
            first = select(placed).where(placed.c.place <= most).order_by(placed.c.place)
            yield from connection.execute(first)


def rows_in_order(
    engine: Engine, table: Table, ids: Iterable[str], *conditions: ColumnElement[bool]
) -> Iterator[Any]:
    """The rows of ``table`` with these ids that meet ``conditions``, in the order of ``ids``."""
    ids, query = list(ids), select(table).where(*conditions)
    found = {row.id: row for row in rows_with(engine, query, table.c.id, ids)}
    return (found[id] for id in ids if id in found)


def count_rows(engine: Engine, table: Table, *conditions: ColumnElement[bool]) -> int:
    """The number of rows of ``table`` that meet all ``conditions``."""
    query = select(func.count()).select_from(table).where(*conditions)
    with engine.connect() as connection:
        return connection.execute(query).scalar_one()


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
    statement = insert(table)
    replaced = {name: statement.excluded[name] for name in new[0] if name not in keys}
    condition = where and where(statement.excluded)
    connection.execute(
        statement.on_conflict_do_update(index_elements=keys, set_=replaced, where=condition),
        list(new),
    )


def add_missing(connection: Connection, table: Table, new: Sequence[dict[str, Any]]) -> None:
    """Inserts those of the ``new`` rows whose primary key is not there yet."""
    if new:
        connection.execute(insert(table).on_conflict_do_nothing(), list(new))


def update_rows(
    connection: Connection, table: Table, changes: Mapping[str, Mapping[str, Any]]
) -> None:
    """Changes some columns of the rows with these ids; unknown ids do no harm."""
    if changes:
        statement = table.update().where(table.c.id == bindparam("at"))
        connection.execute(statement, [{"at": id, **new} for id, new in changes.items()])


def replace_all(connection: Connection, table: Table, new: Iterable[dict[str, Any]]) -> None:
    """Deletes every row of ``table`` and inserts ``new`` ones."""
    connection.execute(delete(table))
    for batch in batches(new):
        connection.execute(table.insert(), batch)


def delete_with(connection: Connection, column: ColumnElement[Any], values: Iterable[Any]) -> None:
    """Deletes the rows whose ``column`` holds one of ``values``; values not there do no harm."""
    for batch in batches(values):
        connection.execute(delete(column.table).where(column.in_(batch)))
