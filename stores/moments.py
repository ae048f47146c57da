"""The database of a catalogue as it is at one moment, while others write to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, Engine, event, text

from .queries import is_postgresql
from .schema import DATABASE, open_file

_ISOLATED = "REPEATABLE READ"


@contextmanager
def at_one_moment(engine: Engine) -> Iterator[Engine]:
    """The database of ``engine`` as it is when the block begins; who writes is not held up. Blocks.

    Of SQLite it is a temporary copy; in PostgreSQL, all connections of the engine that is given
    share a snapshot.

    >>> with at_one_moment(index.engine) as moment:
    ...     print(Catalogue(moment).count_documents())
    """
    moment = _snapshot(engine) if is_postgresql(engine) else _copied_file(engine)
    with moment as found:
        yield found


@contextmanager
def _copied_file(engine: Engine) -> Iterator[Engine]:
    with TemporaryDirectory(prefix="ragraphs-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / DATABASE
        with closing(sqlite3.connect(path)) as copy, closing(engine.raw_connection()) as source:
            source.driver_connection.backup(copy)  # type: ignore[union-attr]  # in one step
        found = open_file(path)
        try:
            yield found
        finally:
            found.dispose()


@contextmanager
def _snapshot(engine: Engine) -> Iterator[Engine]:
    isolated = engine.execution_options(isolation_level=_ISOLATED)
    with isolated.connect() as holder:
        name = holder.scalar(text("SELECT pg_export_snapshot()"))
        found = engine.execution_options(isolation_level=_ISOLATED)

        @event.listens_for(found, "begin")
        def share(connection: Connection) -> None:
            connection.exec_driver_sql(f"SET TRANSACTION SNAPSHOT '{name}'")

        yield found
