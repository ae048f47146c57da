"""The titles that documents could have: one that many share says nothing of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, Engine, func, select

from . import tables
from .pieces import NewDocument
from .queries import delete_with, rows, upsert

_MANY = 3  # documents of one title


def chosen_title(titles: Sequence[str], shared: frozenset[str]) -> str:
    """The first of ``titles`` that is not ``shared``; else the last one, the file's name.

    >>> chosen_title(["Abstract", "pep-0008"], frozenset({"Abstract"}))
    'pep-0008'
    """
    return next((title for title in titles if title not in shared), titles[-1])


class DocumentTitles:
    """The titles of the documents in a database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def shared(self) -> frozenset[str]:
        """The titles that are the first choice of three documents or more."""
        first = tables.document_titles.c.first
        query = select(first).group_by(first).having(func.count() >= _MANY)
        with self._engine.connect() as connection:
            return frozenset(connection.scalars(query))

    def outdated(self) -> Iterator[tuple[str, str]]:
        """Documents that are to be called otherwise now, each with its new title."""
        shared = self.shared()
        found, stored = tables.document_titles.c, tables.documents.c
        query = select(stored.id, stored.title, found.first, found.others)
        query = query.join_from(
            tables.documents, tables.document_titles, stored.id == found.document
        )
        for id, title, first, others in rows(self._engine, query.order_by(stored.id)):
            if title != (chosen := chosen_title([first, *others], shared)):
                yield id, chosen


def note_titles(connection: Connection, documents: Sequence[NewDocument]) -> None:
    """Records the titles of documents that have more than one."""
    delete_with(connection, tables.document_titles.c.document, [each.id for each in documents])
    upsert(
        connection,
        tables.document_titles,
        [
            {"document": each.id, "first": each.titles[0], "others": list(each.titles[1:])}
            for each in documents
            if len(each.titles) > 1
        ],
    )
