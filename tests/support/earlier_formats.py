"""Indexes in the form that earlier versions of ragraphs left them in."""

from __future__ import annotations

from ragraphs.stores.queries import begin_writing
from sqlalchemy import Engine, text

_SINCE_1 = ("passages", "before"), ("readings", "words"), ("replies", "words")
_SINCE_2 = ("documents", "metadata"), ("passages", "metadata"), ("passages", "turns")


def as_in_format(engine: Engine, format: int) -> None:
    """Takes from a database all that formats after ``format``, 1 or 2, have added."""
    with engine.begin() as connection:
        begin_writing(connection)
        connection.execute(text("DROP TABLE outdated_entries"))
        for table, column in [*_SINCE_2, *(_SINCE_1 if format == 1 else ())]:
            connection.execute(text(f"ALTER TABLE {table} DROP COLUMN {column}"))
        connection.execute(text(f"UPDATE properties SET value = '{format}' WHERE name = 'format'"))
        if format == 2:  # of today's reader
            connection.execute(text("UPDATE files SET content = replace(content, '4:', '2:')"))
            connection.execute(text("UPDATE documents SET content = replace(content, '4:', '2:')"))
