"""How much room the tables of an index take in PostgreSQL."""

from __future__ import annotations

from sqlalchemy import Engine, text

from .queries import schema_name

_SIZES = text(
    "SELECT relname, pg_total_relation_size(pg_class.oid) FROM pg_class "
    "JOIN pg_namespace ON pg_namespace.oid = relnamespace "
    "WHERE nspname = :schema AND relkind = 'r'"
)


def table_sizes(engine: Engine) -> dict[str, int]:
    """The bytes of each table with its indexes, in a database of PostgreSQL. Blocks."""
    schema = {"schema": schema_name(engine)}
    with engine.connect() as connection:
        return {name: size for name, size in connection.execute(_SIZES, schema)}
