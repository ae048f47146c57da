"""Indexes in the form that earlier versions of ragraphs left them in."""

from __future__ import annotations

from ragraphs.stores.queries import begin_writing
from raw_sql import sql
from sqlalchemy import Engine

_SINCE_1 = ("passages", "before"), ("readings", "words"), ("replies", "words")
_SINCE_2 = ("documents", "metadata"), ("passages", "metadata"), ("passages", "turns")


def as_in_format(engine: Engine, format: int) -> None:
    """Takes from a database all that formats after ``format``, 1 or 2, have added."""
    with engine.begin() as connection:
        begin_writing(connection)
        sql(connection, "DROP TABLE outdated_entries")
        for table, column in [*_SINCE_2, *(_SINCE_1 if format == 1 else ())]:
            sql(connection, f"ALTER TABLE {table} DROP COLUMN {column}")
        sql(connection, f"UPDATE properties SET value = '{format}' WHERE name = 'format'")
        if format == 2:  # of today's reader
            sql(connection, "UPDATE files SET content = replace(content, '6:', '2:')")
            sql(connection, "UPDATE documents SET content = replace(content, '6:', '2:')")
