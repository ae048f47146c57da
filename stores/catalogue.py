"""The catalogue: documents and their passages, and the truth about an index.

SQLAlchemy Core, so that the SQL stays portable; the lexical index (SQLite FTS5) is the one part
that belongs to SQLite, and is kept in the same transactions as the passages.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypedDict, TypeVar

from sqlalchemy import Connection, Engine, bindparam, delete, func, select, text
from sqlalchemy.dialects.sqlite import insert

from ..language.analyser import terms
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


class NewDocument(NamedTuple):
    """A document to be: the file it comes from, the hash of its content, and its pieces."""

    id: str
    path: str
    title: str
    content: str
    pieces: Iterable[Piece]


class FailureRow(TypedDict):
    """What could not be read: a place (a file, or a row or page of it), its file, and why."""

    place: str
    path: str
    reason: str


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
        with self._engine.begin() as connection:
            _put_property(connection, name, value)

    def settle(self, name: str, value: Any) -> Any:
        """The property ``name``, which becomes ``value`` where there is none."""
        row = {"name": name, "value": json.dumps(value)}
        with self._engine.begin() as connection:
            connection.execute(insert(schema.properties).values(row).on_conflict_do_nothing())
        return self.property(name)

    def files(self) -> dict[str, str]:
        """The content hash of every file that was read to its end."""
        table = schema.files
        with self._engine.connect() as connection:
            return {path: content for path, content in connection.execute(select(table))}

    def note_file(self, path: str, content: str | None, failures: Mapping[str, str]) -> None:
        """Notes how the last reading of a file went, in place of what was noted before.

        ``content`` is its hash, None where not all of it was read; ``failures`` are reasons by
        place: the file itself, or a row or page of it.
        """
        files, failed = schema.files, schema.failures
        rows = [{"place": at, "path": path, "reason": why} for at, why in failures.items()]
        with self._engine.begin() as connection:
            connection.execute(delete(files).where(files.c.path == path))
            connection.execute(delete(failed).where(failed.c.path == path))
            if content is not None:
                connection.execute(files.insert().values(path=path, content=content))
            if rows:
                connection.execute(failed.insert(), rows)

    def failures(self, path: str | None = None) -> list[FailureRow]:
        """What could not be read of any file, or of one, by place."""
        table = schema.failures
        query = select(table).order_by(table.c.place)
        if path is not None:
            query = query.where(table.c.path == path)
        with self._engine.connect() as connection:
            return [row._asdict() for row in connection.execute(query)]  # type: ignore[misc]

    def documents(self, path: str | None = None) -> list[DocumentRow]:
        """All documents, or those of one file, by id."""
        table = schema.documents
        query = select(table).order_by(table.c.id)
        if path is not None:
            query = query.where(table.c.path == path)
        with self._engine.connect() as connection:
            return [row._asdict() for row in connection.execute(query)]  # type: ignore[misc]

    def contents(self, ids: Iterable[str]) -> dict[str, str]:
        """The content hashes of those of the documents that there are."""
        table = schema.documents
        found: dict[str, str] = {}
        with self._engine.connect() as connection:
            for batch in batches(ids, _BATCH):
                query = select(table.c.id, table.c.content).where(table.c.id.in_(batch))
                found.update((id, content) for id, content in connection.execute(query))
        return found

    def write_documents(self, documents: Sequence[NewDocument]) -> None:
        """Stores documents, in one transaction, in place of what they were before.

        Passages whose text is the same as before keep their id. ``pieces`` may be longer than
        memory; an error that they raise leaves all of ``documents`` as they were.
        """
        if not documents:
            return
        table = schema.documents
        rows = [
            {"id": new.id, "path": new.path, "title": new.title, "content": new.content}
            for new in documents
        ]
        with self._engine.begin() as connection:
            old = _passage_numbers(connection, [document.id for document in documents])
            _forget_moved(connection, documents)
            upsert = insert(table).values(passages=0)
            replaced = {name: upsert.excluded[name] for name in ("path", "title", "content")}
            connection.execute(
                upsert.on_conflict_do_update(index_elements=["id"], set_=replaced), rows
            )
            counts = _write_passages(connection, documents, old)
            _delete_passages(connection, list(old.values()))
            connection.execute(
                table.update().where(table.c.id == bindparam("document")),
                [{"document": row["id"], "passages": counts[row["id"]]} for row in rows],
            )

    def new_pieces(self, document: NewDocument) -> Iterator[Piece]:
        """Those of the document's pieces that are no passages of it yet."""
        with self._engine.connect() as connection:
            old = _passage_numbers(connection, [document.id])
        for id, piece in _identified(document):
            if id not in old:
                yield piece

    def remove_documents(self, ids: Collection[str]) -> int:
        """Removes documents with all that belongs to them; how many there were.

        Their files count as unread, and what could not be read of a file is forgotten with its
        last document. A file without documents goes by its path.
        """
        removed = 0
        for batch in batches(ids, _BATCH):
            with self._engine.begin() as connection:
                removed += _remove(connection, batch)
        return removed

    def count_documents(self) -> int:
        """How many documents there are."""
        with self._engine.connect() as connection:
            return connection.scalar(select(func.count()).select_from(schema.documents)) or 0

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

    def passages_of(self, documents: Iterable[str]) -> dict[str, list[Passage]]:
        """The passages of each document, by place."""
        table = schema.passages
        found: dict[str, list[Passage]] = {}
        with self._engine.connect() as connection:
            for batch in batches(documents, _BATCH):
                query = select(table).where(table.c.document.in_(batch))
                for row in connection.execute(query.order_by(table.c.start, table.c.id)):
                    found.setdefault(row.document, []).append(_passage(row))
        return found

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
        """Makes the lexical index anew from the passages, in one transaction."""
        table = schema.passages
        query = select(table.c.number, table.c.title, table.c.text).order_by(table.c.number)
        with self._engine.begin() as connection:
            schema.begin_writing(connection)
            connection.execute(text("DROP TABLE IF EXISTS passage_terms"))
            connection.execute(schema.TERM_INDEX)
            last = 0
            while True:
                rows = connection.execute(query.where(table.c.number > last).limit(_BATCH)).all()
                if not rows:
                    break
                _insert_terms(connection, [(row.number, row.title, row.text) for row in rows])
                last = rows[-1].number

    def forget_terms(self) -> None:
        """Takes the terms of texts that are gone out of the lexical index, which but hides them."""
        with self._engine.begin() as connection:
            schema.begin_writing(connection)
            merged = "INSERT INTO passage_terms (passage_terms) VALUES ('optimize')"
            connection.execute(text(merged))


FORGETTING = "forgetting"  # texts are gone, whose traces in stored replies are not gone yet


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """``items`` in lists of at most ``size``."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _put_property(connection: Connection, name: str, value: Any) -> None:
    row = {"name": name, "value": json.dumps(value)}
    upsert = insert(schema.properties).values(row)
    connection.execute(
        upsert.on_conflict_do_update(index_elements=["name"], set_={"value": row["value"]})
    )


def _passage(row: Any) -> Passage:
    return {
        "id": row.id,
        "document": row.document,
        "title": row.title,
        "text": row.text,
        "start": row.start,
        "end": row.end,
    }


def _passage_numbers(connection: Connection, documents: Sequence[str]) -> dict[str, int]:
    table = schema.passages
    query = select(table.c.id, table.c.number).where(table.c.document.in_(documents))
    return {id: number for id, number in connection.execute(query)}


def _forget_moved(connection: Connection, documents: Sequence[NewDocument]) -> None:
    """A file one of whose documents now comes from elsewhere counts as unread."""
    paths = {document.id: document.path for document in documents}
    table = schema.documents
    query = select(table.c.id, table.c.path).where(table.c.id.in_(paths))
    moved = [path for id, path in connection.execute(query) if path != paths[id]]
    if moved:
        connection.execute(delete(schema.files).where(schema.files.c.path.in_(moved)))


def _remove(connection: Connection, ids: Sequence[str]) -> int:
    documents, files, failed = schema.documents, schema.files, schema.failures
    chosen = documents.c.id.in_(ids)
    paths = {*ids, *connection.scalars(select(documents.c.path).where(chosen))}
    _delete_passages(connection, list(_passage_numbers(connection, ids).values()))
    removed = connection.execute(delete(documents).where(chosen)).rowcount
    connection.execute(delete(files).where(files.c.path.in_(paths)))
    unread = failed.c.path.in_(paths) & failed.c.path.not_in(select(documents.c.path))
    connection.execute(delete(failed).where(unread))
    return removed


def _write_passages(
    connection: Connection, documents: Sequence[NewDocument], old: dict[str, int]
) -> Counter[str]:
    """Inserts new passages and moves kept ones, which are taken out of ``old``."""
    counts: Counter[str] = Counter()
    pieces = ((new, *found) for new in documents for found in _identified(new))
    for batch in batches(pieces, _BATCH):
        counts.update(document.id for document, _, _ in batch)
        fresh, kept = [], []
        for document, id, piece in batch:
            if (number := old.pop(id, None)) is None:
                row = {"id": id, "document": document.id, "title": document.title}
                fresh.append(row | piece._asdict())
            else:
                kept.append({"at": number, "start": piece.start, "end": piece.end})
        _insert_passages(connection, fresh)
        if kept:
            table = schema.passages
            connection.execute(table.update().where(table.c.number == bindparam("at")), kept)
    return counts


def _identified(document: NewDocument) -> Iterator[tuple[str, Piece]]:
    seen: Counter[bytes] = Counter()
    for piece in document.pieces:
        yield _passage_id(document.id, document.title, piece.text, seen), piece


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
        chosen = schema.passages.c.number.in_(batch)
        ids = select(schema.passages.c.id).where(chosen)
        for table in (schema.readings, schema.sentence_vectors):
            connection.execute(delete(table).where(table.c.passage.in_(ids)))
        connection.execute(delete(schema.passages).where(chosen))
    if numbers:
        _put_property(connection, FORGETTING, True)
