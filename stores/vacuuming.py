"""Writing a database anew, so that nothing of what was deleted is left in its files."""

from __future__ import annotations

from sqlalchemy import Connection, Engine, text

from .queries import is_postgresql, raw_name, table_names

_OLDER = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid() AND age(backend_xmin) > age(:now ::xid)"
)


def vacuum(engine: Engine) -> bool:
    """Writes the database anew; whether no bytes of what was deleted are left in its files.

    PostgreSQL's write-ahead log and backups are not among these files.
    """
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        return _postgresql(connection) if is_postgresql(engine) else _sqlite(connection)


def _sqlite(connection: Connection) -> bool:
    connection.exec_driver_sql("VACUUM")
    busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar_one()
    return not busy


def _postgresql(connection: Connection) -> bool:
    """Waits for those who read a table; older transactions of others keep deleted rows alive."""
    now = connection.exec_driver_sql("SELECT pg_current_xact_id()::xid::text").scalar_one()
    older = connection.execute(_OLDER, {"now": now}).scalar_one()
    for table in table_names(connection):
        connection.exec_driver_sql(f"VACUUM FULL {raw_name(connection, table)}")
    return not older
