"""The catalogue: documents and their passages, and the truth about an index.

SQLAlchemy Core, so that the SQL stays portable; the lexical index (SQLite FTS5) is the one part
that belongs to SQLite, and is kept in the same transactions as the passages.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypedDict, TypeVar

from sqlalchemy import Connection, Engine, bindparam, delete, func, select, text
from sqlalchemy.dialects.sqlite import insert

from ..algorithms.text import terms
from ..state.records import Passage
from . import schema

T = TypeVar("T")

_BATCH = 500
_TITLE_WEIGHT = 3.0
_MOST_QUERY_TERMS = 200


class Piece(NamedTuple):
    """A passage to be: its text and its characters in the document."""

    start: int
    end: int
    text: str


class DocumentRow(TypedDict):
    """What the catalogue knows of a document."""

    id: str
    path: str
    title: str
    content: str
    passages: int


class Catalogue:
    """Documents, passages, lexical index and properties of one index.

    All methods block, are safe to call from several threads, and leave the database whole.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def property(self, name: str) -> Any:
        """The property ``name``, or None."""
        table = schema.properties
        with self._engine.connect() as connection:
            value = connection.scalar(select(table.c.value).where(table.c.name == name))
        return None if value is None else json.loads(value)

    def set_property(self, name: str, value: Any) -> None:
        """Keeps ``value`` (anything JSON can hold) under ``name``."""
        row = {"name": name, "value": json.dumps(value)}
        upsert = insert(schema.properties).values(row)
        with self._engine.begin() as connection:
            connection.execute(
                upsert.on_conflict_do_update(index_elements=["name"], set_={"value": row["value"]})
            )

    def files(self) -> dict[str, str]:
        """The content hash of every file that was read to its end."""
        table = schema.files
        with self._engine.connect() as connection:
            return {path: content for path, content in connection.execute(select(table))}

    def set_file(self, path: str, content: str) -> None:
        """Notes that the file was read to its end, and forgets its failure."""
        upsert = insert(schema.files).values(path=path, content=content)
        failed = schema.failures
        with self._engine.begin() as connection:
            connection.execute(
                upsert.on_conflict_do_update(index_elements=["path"], set_={"content": content})
            )
            connection.execute(
                delete(failed).where((failed.c.path == path) | failed.c.path.startswith(path + "#"))
            )

    def remove_file(self, path: str) -> None:
        """Forgets that the file was read, and its failure."""
        with self._engine.begin() as connection:
            for table in (schema.files, schema.failures):
                connection.execute(delete(table).where(table.c.path == path))

    def failures(self) -> dict[str, str]:
        """Why a file or a row could not be read, by path."""
        with self._engine.connect() as connection:
            query = select(schema.failures).order_by(schema.failures.c.path)
            return {path: reason for path, reason in connection.execute(query)}

    def add_failure(self, path: str, reason: str) -> None:
        """Notes why the file or row at ``path`` could not be read."""
        upsert = insert(schema.failures).values(path=path, reason=reason)
        with self._engine.begin() as connection:
            connection.execute(
                upsert.on_conflict_do_update(index_elements=["path"], set_={"reason": reason})
            )

    def documents(self, path: str | None = None) -> list[DocumentRow]:
        """All documents, or those of one file, by id."""
        table = schema.documents
        query = select(table).order_by(table.c.id)
        if path is not None:
            query = query.where(table.c.path == path)
        with self._engine.connect() as connection:
            return [row._asdict() for row in connection.execute(query)]  # type: ignore[misc]

    def document(self, id: str) -> DocumentRow | None:
        """The document called ``id``."""
        table = schema.documents
        with self._engine.connect() as connection:
            row = connection.execute(select(table).where(table.c.id == id)).first()
            return None if row is None else row._asdict()  # type: ignore[return-value]

    def write_document(
        self, id: str, path: str, title: str, content: str, pieces: Iterable[Piece]
    ) -> None:
        """Stores a document, in one transaction, in place of what it was before.

        Passages whose text is the same as before keep their id. ``pieces`` may be longer than
        memory; an error that it raises leaves the document as it was.
        """
        with self._engine.begin() as connection:
            old = _passage_numbers(connection, id)
            values = {"path": path, "title": title, "content": content, "passages": 0}
            upsert = insert(schema.documents).values(id=id, **values)
            connection.execute(upsert.on_conflict_do_update(index_elements=["id"], set_=values))
            count = _write_passages(connection, id, title, pieces, old)
            _delete_passages(connection, list(old.values()))
            table = schema.documents
            connection.execute(table.update().where(table.c.id == id).values(passages=count))

    def remove_documents(self, ids: Collection[str]) -> None:
        """Removes documents with all that belongs to them."""
        table = schema.documents
        for id in ids:
            with self._engine.begin() as connection:
                _delete_passages(connection, list(_passage_numbers(connection, id).values()))
                connection.execute(delete(table).where(table.c.id == id))

    def count_passages(self) -> int:
        """How many passages there are."""
        with self._engine.connect() as connection:
            return connection.scalar(select(func.count()).select_from(schema.passages)) or 0

    def passage_ids(self) -> set[str]:
        """The ids of all passages."""
        with self._engine.connect() as connection:
            return set(connection.scalars(select(schema.passages.c.id)))

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages with these ids, in this order; unknown ids are left out."""
        found: dict[str, Passage] = {}
        with self._engine.connect() as connection:
            for batch in batches(ids, _BATCH):
                query = select(schema.passages).where(schema.passages.c.id.in_(batch))
                found.update((row.id, _passage(row)) for row in connection.execute(query))
        return [found[id] for id in ids if id in found]

    def all_passages(self) -> Iterator[Passage]:
        """Every passage, by document and place."""
        table = schema.passages
        query = select(table).order_by(table.c.document, table.c.start, table.c.id)
        with self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=_BATCH).execute(query):
                yield _passage(row)

    def search_terms(self, question: str, most: int) -> list[tuple[str, float]]:
        """The ids of at most ``most`` passages with BM25 scores (higher is better), best first."""
        query_terms = list(dict.fromkeys(terms(question)))[:_MOST_QUERY_TERMS]
        if not query_terms:
            return []
        statement = text(
            "SELECT passages.id, -bm25(passage_terms, :weight, 1.0) AS score FROM passage_terms "
            "JOIN passages ON passages.number = passage_terms.rowid "
            "WHERE passage_terms MATCH :terms ORDER BY score DESC, passages.id LIMIT :most"
        )
        match = " OR ".join(f'"{term}"' for term in query_terms)
        values = {"terms": match, "weight": _TITLE_WEIGHT, "most": most}
        with self._engine.connect() as connection:
            return [(id, score) for id, score in connection.execute(statement, values)]

    def rebuild_terms(self) -> None:
        """Writes the lexical index anew from the passages, in one transaction."""
        with self._engine.begin() as connection:
            connection.execute(text("DELETE FROM passage_terms"))
            query = select(schema.passages).order_by(schema.passages.c.number)
            for batch in batches(connection.execute(query).all(), _BATCH):
                _insert_terms(connection, [(row.number, row.title, row.text) for row in batch])


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """``items`` in lists of at most ``size``."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _passage(row: Any) -> Passage:
    return {
        "id": row.id,
        "document": row.document,
        "title": row.title,
        "text": row.text,
        "start": row.start,
        "end": row.end,
    }


def _passage_numbers(connection: Connection, document: str) -> dict[str, int]:
    table = schema.passages
    query = select(table.c.id, table.c.number).where(table.c.document == document)
    return {id: number for id, number in connection.execute(query)}


def _write_passages(
    connection: Connection, document: str, title: str, pieces: Iterable[Piece], old: dict[str, int]
) -> int:
    """Inserts new passages and moves kept ones, which are taken out of ``old``."""
    seen: Counter[bytes] = Counter()
    count = 0
    for batch in batches(pieces, _BATCH):
        new, kept = [], []
        for piece in batch:
            id = _passage_id(document, title, piece.text, seen)
            if (number := old.pop(id, None)) is None:
                new.append({"id": id, "document": document, "title": title, **piece._asdict()})
            else:
                kept.append({"at": number, "start": piece.start, "end": piece.end})
        _insert_passages(connection, new)
        if kept:
            table = schema.passages
            moved: dict[str, Any] = {"start": bindparam("start"), "end": bindparam("end")}
            update = table.update().where(table.c.number == bindparam("at")).values(moved)
            connection.execute(update, kept)
        count += len(batch)
    return count


def _passage_id(document: str, title: str, piece: str, seen: Counter[bytes]) -> str:
    """A hash of the content; the same text again in a document counts up."""
    same = hashlib.blake2b(piece.encode(), digest_size=8).digest()
    seen[same] += 1
    content = json.dumps([document, title, piece, seen[same]])
    return hashlib.blake2b(content.encode(), digest_size=12).hexdigest()


def _insert_passages(connection: Connection, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    connection.execute(schema.passages.insert(), rows)
    ids = [row["id"] for row in rows]
    query = select(schema.passages.c.id, schema.passages.c.number).where(
        schema.passages.c.id.in_(ids)
    )
    numbers = {id: number for id, number in connection.execute(query)}
    _insert_terms(connection, [(numbers[row["id"]], row["title"], row["text"]) for row in rows])


def _insert_terms(connection: Connection, rows: list[tuple[int, str, str]]) -> None:
    connection.execute(
        text("INSERT INTO passage_terms (rowid, title, body) VALUES (:number, :title, :body)"),
        [
            {"number": number, "title": " ".join(terms(title)), "body": " ".join(terms(body))}
            for number, title, body in rows
        ],
    )


def _delete_passages(connection: Connection, numbers: Sequence[int]) -> None:
    for batch in batches(numbers, _BATCH):
        rows = [{"number": number} for number in batch]
        connection.execute(text("DELETE FROM passage_terms WHERE rowid = :number"), rows)
        connection.execute(delete(schema.passages).where(schema.passages.c.number.in_(batch)))
