"""Opening the database of an index that this user may only read."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import finalize

from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import NullPool

from .upgrade import EARLIER


def open_read_only(path: Path) -> Engine:
    """A database that is opened for each query, since its owner may change it meanwhile."""
    log, shared = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    copy: TemporaryDirectory[str] | None = None
    how = "mode=ro" if _has_pages(log) else "immutable=1"
    # SQLite would have to make the log's index, even to read; an earlier format is upgraded.
    if (_has_pages(log) and not shared.exists()) or _is_earlier(path, how):
        copy = TemporaryDirectory(prefix="ragraphs-")
        for file in filter(Path.exists, (path, log)):
            shutil.copyfile(file, Path(copy.name) / file.name)

    def connect() -> sqlite3.Connection:
        if copy is not None:
            return _connected(Path(copy.name) / path.name, "mode=rw")
        return _connected(path, "mode=ro" if _has_pages(log) else "immutable=1")

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
    if copy is not None:
        finalize(engine, copy.cleanup)
    return engine


def _is_earlier(path: Path, how: str) -> bool:
    try:
        with closing(_connected(path, how)) as connection:
            query = "SELECT value FROM properties WHERE name = 'format'"
            found = connection.execute(query).fetchone()
            return found is not None and found[0] in EARLIER
    except sqlite3.Error:
        return False  # told by whoever reads it next


def _has_pages(log: Path) -> bool:
    return log.exists() and log.stat().st_size > 0


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?{mode}", uri=True, check_same_thread=False)
