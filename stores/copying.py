"""The tables of a catalogue, copied from one database into another.

A source that an earlier version of ragraphs made is read as it is, and left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from sqlalchemy import Engine, Table, delete, func, select

from . import tables
from .queries import (
    add_rows,
    batches,
    column_names,
    count_rows,
    is_postgresql,
    raw_name,
    rows,
    table_names,
    upsert,
)
from .schema import format_of
from .upgrade import EARLIER, upgrade
from .vacuuming import vacuum

_AT_A_TIME = 2_000  # rows in a transaction, each of which waits for the disk

# Derived ones are made anew or copied in another way; properties are the caller's to choose.
_LEFT_OUT = {
    tables.properties,
    tables.array_chunks,
    tables.recent_vectors,
    tables.sentence_vectors_beside,
    tables.question_vectors_beside,
}


def clear_tables(engine: Engine) -> None:
    """Deletes all rows but properties. Blocks."""
    with engine.begin() as connection:
        for table in reversed(tables.metadata.sorted_tables):
            if table is not tables.properties:
                connection.execute(delete(table))


def copy_tables(source: Engine, target: Engine, report: Callable[[int, int], None]) -> None:
    """Copies the rows of all tables, batch by batch, into tables that are empty. Blocks.

    ``report`` is told how many rows are copied, and how many there are. Properties, arrays and the
    lexical index are not copied.
    """
    total, done = sum(count_rows(source, table) for table in _copied(source)), 0
    for table in _copied(source):
        known = column_names(source, table.name)
        query = select(*(column for column in table.columns if column.name in known))
        for batch in batches(rows(source, query), _AT_A_TIME):
            with target.begin() as connection:
                add_rows(connection, table, (row._asdict() for row in batch))
            done += len(batch)
            report(done, total)
    if (format := format_of(source)) in EARLIER:
        with target.begin() as connection:
            upgrade(connection, format)
        vacuum(target)
    _go_on_counting(target)


def copy_properties(source: Engine, target: Engine, without: Collection[str]) -> None:
    """Copies all properties but those named, in one transaction. Blocks."""
    name = tables.properties.c.name
    query = select(tables.properties).where(name.not_in(without))
    with target.begin() as connection:
        upsert(connection, tables.properties, [row._asdict() for row in rows(source, query)])


def uneven_tables(source: Engine, target: Engine) -> list[str]:
    """The names of the tables that have more rows in one database than in the other. Blocks."""
    return [
        table.name
        for table in _copied(source)
        if count_rows(source, table) != count_rows(target, table)
    ]


def _copied(source: Engine) -> Iterator[Table]:
    known = table_names(source) - {table.name for table in _LEFT_OUT}
    return (table for table in tables.metadata.sorted_tables if table.name in known)


def _go_on_counting(engine: Engine) -> None:
    """Lets PostgreSQL number new rows after those that came with their numbers; SQLite does."""
    if not is_postgresql(engine):
        return
    with engine.begin() as connection:
        for table in _copied(engine):
            column = table.autoincrement_column
            if column is not None:
                last = connection.scalar(select(func.max(column)))
                name = raw_name(engine, table.name)
                sequence = func.pg_get_serial_sequence(name, column.name)
                connection.execute(select(func.setval(sequence, last or 1, last is not None)))
