"""Bringing the database of an index that an earlier version of ragraphs made up to date."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sqlalchemy import Connection

from .pieces import last_lines
from .queries import batches

EARLIER = 1  # the format that is upgraded
# In words of their own, since the tables of an earlier format stay as they were.
_COLUMNS = (("passages", "before"), ("readings", "words"), ("replies", "words"))


def upgrade(connection: Connection) -> None:
    """Turns a database of format 1 into one of format 2; nothing is lost.

    Passages get the lines before them; what a model read or replied is kept, as of unknown words.
    """
    for table, column in _COLUMNS:
        known = [row.name for row in connection.exec_driver_sql(f"PRAGMA table_info({table})")]
        if known and column not in known:  # else the table is missing, or was made just now
            added = f"ALTER TABLE {table} ADD COLUMN {column} VARCHAR NOT NULL DEFAULT ''"
            connection.exec_driver_sql(added)
    for batch in batches(list(_lines_before(connection))):
        connection.exec_driver_sql("UPDATE passages SET before = ? WHERE number = ?", batch)
    connection.exec_driver_sql("UPDATE properties SET value = '2' WHERE name = 'format'")


def _lines_before(connection: Connection) -> Iterator[tuple[str, int]]:
    ordered = connection.exec_driver_sql(
        'SELECT number, document, text, start, "end" FROM passages ORDER BY document, start, id'
    )
    for last, next in pairwise(ordered):
        if last.document == next.document:
            yield last_lines(last.text, last.end - next.start), next.number
