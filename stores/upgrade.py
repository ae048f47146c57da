"""Bringing the database of an index that an earlier version of ragraphs made up to date."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sqlalchemy import Connection

from .pieces import last_lines
from .queries import batches

# In words of their own, since the tables of an earlier format stay as they were.
_TEXT = "VARCHAR NOT NULL DEFAULT ''"
_JSON = "JSON NOT NULL DEFAULT '{}'"


def _with_lines_before(connection: Connection) -> None:
    """Turns format 1 into format 2: passages get the lines before them.

    Readings and replies are kept, as made in unknown words.
    """
    for table, column in (("passages", "before"), ("readings", "words"), ("replies", "words")):
        _add(connection, table, column, _TEXT)
    for batch in batches(list(_lines_before(connection))):
        connection.exec_driver_sql("UPDATE passages SET before = ? WHERE number = ?", batch)


def _with_metadata(connection: Connection) -> None:
    """Turns format 2 into format 3: documents and passages get room for metadata.

    It stays empty until the sources are read again.
    """
    for table in ("documents", "passages"):
        _add(connection, table, "metadata", _JSON)
    _add(connection, "passages", "turns", "JSON NOT NULL DEFAULT '[]'")


_STEPS = {"1": _with_lines_before, "2": _with_metadata}
EARLIER = frozenset(_STEPS)  # the formats that are upgraded


def upgrade(connection: Connection, format: str) -> None:
    """Turns a database of ``format``, one of ``EARLIER``, into one of the next; nothing is lost."""
    _STEPS[format](connection)
    query = "UPDATE properties SET value = ? WHERE name = 'format'"
    connection.exec_driver_sql(query, (str(int(format) + 1),))


def _add(connection: Connection, table: str, column: str, form: str) -> None:
    known = [row.name for row in connection.exec_driver_sql(f"PRAGMA table_info({table})")]
    if known and column not in known:  # else the table is missing, or was made just now
        connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {column} {form}")


def _lines_before(connection: Connection) -> Iterator[tuple[str, int]]:
    ordered = connection.exec_driver_sql(
        'SELECT number, document, text, start, "end" FROM passages ORDER BY document, start, id'
    )
    for last, next in pairwise(ordered):
        if last.document == next.document:
            yield last_lines(last.text, last.end - next.start), next.number
