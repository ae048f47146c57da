"""Notes of an index on the files that it has read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Engine, exists, func, select

from . import tables
from .queries import delete_with, rows, rows_with, upsert

AGAIN = "again "  # stands before the content of a file of which the index has only a part


def noted_files(engine: Engine, paths: Sequence[str] | None, *, partly: bool) -> dict[str, str]:
    """The content hash of every file that was read to its end, or only of these ``paths``.

    With ``partly``, also of files of which the index has only a part.
    """
    return {
        path: content.removeprefix(AGAIN)
        for path, content in rows_with(engine, select(tables.files), tables.files.c.path, paths)
        if partly or not content.startswith(AGAIN)
    }


def listed_documents(
    engine: Engine, ids: Iterable[str] | None = None
) -> Iterator[tuple[str, str, int]]:
    """All documents, or those with ``ids``: the id, the path, and the number of passages."""
    table = tables.documents.c
    query = select(table.id, table.path, table.passages).order_by(table.id)
    found = rows_with(engine, query, table.id, ids)
    return ((id, path, passages) for id, path, passages in found)


def documents_with(engine: Engine, contents: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """Id and path of all documents that have one of ``contents``, by content, in order."""
    table = tables.documents.c
    query = select(table.content, table.id, table.path).order_by(table.id)
    found: dict[str, list[tuple[str, str]]] = {}
    for content, *known in rows_with(engine, query, table.content, contents):
        found.setdefault(content, []).append((known[0], known[1]))
    return found


def repeated_documents(engine: Engine) -> list[tuple[str, str, int]]:
    """Two documents of each content that several have, and how many have it."""
    table = tables.documents
    columns: list[Any] = [func.min(table.c.id), func.max(table.c.id), func.count()]
    # These alone are looked up in the table: the index of contents holds the others.
    several = select(table.c.content).group_by(table.c.content).having(func.count() > 1)
    query = (
        select(*columns)
        .where(table.c.passages > 0, table.c.content.in_(several))
        .group_by(table.c.content)
        .having(func.count() > 1)
    )
    return [(first, last, count) for first, last, count in rows(engine, query)]


def make_unread(connection: Connection, paths: Collection[str]) -> None:
    """Makes the files ``paths`` count as unread, or as read in part where documents are left."""
    files, documents = tables.files, tables.documents
    has_others = exists().where(documents.c.path == files.c.path)
    query = select(files.c.path, files.c.content).where(files.c.path.in_(paths), has_others)
    left = [
        {"path": path, "content": f"{AGAIN}{content.removeprefix(AGAIN)}"}
        for path, content in connection.execute(query)
    ]
    delete_with(connection, files.c.path, paths)
    upsert(connection, files, left)
