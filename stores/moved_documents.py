"""Documents that come from another file than before: what hangs on their passages goes with them.

The functions work within a transaction of their caller.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from ..state.places import section_of
from . import tables
from .passage_rows import delete_passages
from .pgvector_tables import rename_vectors
from .pieces import NewDocument
from .queries import add_missing, batches, delete_with, upsert

_HANGING = (
    *(tables.readings.c.passage, tables.reading_codes.c.passage, tables.reply_passages.c.passage),
    *(tables.sentence_vectors.c.passage, tables.sentence_vectors_beside.c.passage),
)


def forget_files_before(connection: Connection, documents: Collection[NewDocument]) -> None:
    """Makes files count as unread whose documents now come from another file."""
    paths = {document.id: document.path for document in documents}
    table = tables.documents
    query = select(table.c.id, table.c.path).where(table.c.id.in_(paths))
    moved = [path for id, path in connection.execute(query) if path != paths[id]]
    delete_with(connection, tables.files.c.path, moved)


def take_over(connection: Connection, moved: Mapping[str, str]) -> None:
    """Gives each new document the readings and vectors of the one that it was ``moved`` from.

    A passage keeps them whose title, headings and text are the same, with the lines before it; the
    one of before is deleted. Both documents are stored.
    """
    for batch in batches(_same_passages(connection, moved)):
        for column in _HANGING:
            at_id = update(column.table).where(column == bindparam("old"))
            connection.execute(at_id.values({column: bindparam("new")}), batch)
        rename_vectors(connection, batch)
        new = [{"passage": pair["new"]} for pair in batch]
        add_missing(connection, tables.outdated_entries, new)
        told = [{"passage": pair["new"], "before": pair["old"]} for pair in batch]
        upsert(connection, tables.moved_passages, told)
        delete_passages(connection, [pair["old"] for pair in batch])


def _same_passages(connection: Connection, moved: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The old and the new id of every passage that is the same in both documents."""
    old, new = _by_content(connection, [*moved]), _by_content(connection, [*moved.values()])
    for (document, *content), id in old.items():
        if (same := (moved[str(document)], *content)) in new:
            yield {"old": id, "new": new[same]}


def _by_content(connection: Connection, documents: Sequence[str]) -> dict[tuple[Any, ...], str]:
    """The ids of passages by document, place and all that is read in them."""
    table = tables.passages
    query = select(table).where(table.c.document.in_(documents)).order_by(table.c.start)
    found: dict[tuple[Any, ...], str] = {}
    for row in connection.execute(query, execution_options={"yield_per": 500}):
        text = hashlib.blake2b(row.text.encode()).digest()
        read = (row.title, section_of(row.title, row.metadata), row.before)
        found[row.document, row.start, row.end, text, *read] = row.id
    return found
