"""SQL as it is written, for tests of damaged and of earlier databases."""

from __future__ import annotations

from typing import Any

from ragraphs.stores.queries import schema_name
from sqlalchemy import Connection, CursorResult, text


def sql(connection: Connection, statement: str, **values: Any) -> CursorResult[Any]:
    """The result of ``statement`` among the tables of one index."""
    if schema := schema_name(connection):
        connection.exec_driver_sql(f'SET LOCAL search_path TO "{schema}"')
    return connection.execute(text(statement), values)
