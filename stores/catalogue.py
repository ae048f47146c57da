"""The catalogue of an index: its documents, their passages, and its properties."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from sqlalchemy import ColumnElement, Connection, Engine, bindparam, delete, exists, func, select

from ..state.errors import RagraphsError
from ..state.records import Metadata, Passage
from . import lexical_index, tables
from .conditions import metadata_kinds, passage_condition
from .document_titles import DocumentTitles, note_titles
from .file_notes import make_unread, noted_files
from .moved_documents import forget_files_before, take_over
from .passage_rows import beginnings, delete_passages, passage_of, stored_passages, write_passages
from .passage_stamp import PASSAGES, stamp_after
from .phrases import holding_words, said_in_a_row
from .pieces import NewDocument, PlannedPiece, identified
from .postgresql_errors import LostConnectionError
from .properties import keep_property, property_row
from .queries import (
    add_missing,
    batches,
    count_rows,
    delete_with,
    is_one_of,
    lookups,
    persistent,
    plain_rows,
    rows,
    rows_in_order,
    rows_with,
    update_rows,
    upsert,
)
from .vacuuming import vacuum

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORGETTING = "forgetting"  # property: texts are gone, but stored replies may still repeat them

_BESIDE = {
    tables.sentence_vectors: tables.sentence_vectors_beside,
    tables.question_vectors: tables.question_vectors_beside,
}
# Every question asks for several properties: made once, a query takes a third of the time.
_PROPERTY = select(tables.properties.c.value).where(tables.properties.c.name == bindparam("wanted"))
_PROPERTIES = select(tables.properties.c.name, tables.properties.c.value).where(
    tables.properties.c.name.in_(bindparam("wanted", expanding=True))
)


class FailureRow(TypedDict):
    """A failure to read ``place`` (a file, or a row or page of it) of the file ``path``."""

    place: str
    path: str
    reason: str


class DocumentRow(TypedDict):
    """A stored document; ``content`` is its hash, ``passages`` their number."""

    id: str
    path: str
    title: str
    content: str
    passages: int
    metadata: Metadata


@persistent
class Catalogue:
    """Documents, passages, lexical index and properties of one index.

    All methods block, are safe to call from several threads, and leave the database whole.

    >>> catalogue = Catalogue(schema.open_database(folder, create=False))
    >>> [(id, score)] = catalogue.search_terms("Who wrote it?", most=1)
    >>> [passage] = catalogue.passages([id])
    """

    def __init__(
        self,
        engine: Engine,
        where: ColumnElement[bool] | None = None,
        among: NDArray[np.int32] | None = None,
    ) -> None:
        self._engine = engine
        self.titles = DocumentTitles(engine)
        self._where = () if where is None else (where,)
        self._among = among

    @property
    def engine(self) -> Engine:
        """The database that the catalogue is in."""
        return self._engine

    def only(self, where: Mapping[str, Any], among: NDArray[np.int32] | None = None) -> Catalogue:
        """The same catalogue, which finds and shows no passages but those that meet a filter.

        ``among`` may tell the numbers of these passages, so that a search need not look for them.
        Raises RagraphsError for a filter of another form.
        """
        return Catalogue(self._engine, passage_condition(self._engine, where), among)

    def property(self, name: str) -> Any:
        """The property ``name``, or None."""
        with lookups(self._engine) as connection:
            value = connection.scalar(_PROPERTY, {"wanted": name})
        return None if value is None else json.loads(value)

    def properties(self, *names: str) -> list[Any]:
        """The properties ``names``, all at one moment, each None where there is none."""
        with lookups(self._engine) as connection:
            stored = connection.execute(_PROPERTIES, {"wanted": names})
            found = {name: json.loads(value) for name, value in stored}
        return [found.get(name) for name in names]

    def set_property(self, name: str, value: Any) -> None:
        """Keeps ``value`` (anything JSON can hold) under ``name``."""
        self.set_properties({name: value})

    def set_properties(self, values: Mapping[str, Any], *, swap_vectors: bool = False) -> None:
        """Keeps ``values`` by their names, in one transaction.

        With ``swap_vectors``, the tables of vectors made beside those in use take their place.
        """
        with self._engine.begin() as connection:
            upsert(connection, tables.properties, [property_row(*item) for item in values.items()])
            if swap_vectors:
                for table, beside in _BESIDE.items():
                    connection.execute(delete(table))
                    connection.execute(table.insert().from_select(table.c.keys(), select(beside)))
                    connection.execute(delete(beside))

    def ensure_property(self, name: str, value: Any) -> Any:
        """The property ``name``, which becomes ``value`` where there is none."""
        if (found := self.property(name)) is not None:
            return found
        with self._engine.begin() as connection:
            add_missing(connection, tables.properties, [property_row(name, value)])
        return self.property(name)

    def files(self, paths: Sequence[str] | None = None, *, partly: bool = False) -> dict[str, str]:
        """The content hash of every file that was read to its end, or only of these ``paths``.

        With ``partly``, also of files of which the index has only a part.
        """
        return noted_files(self._engine, paths, partly=partly)

    def note_file(self, path: str, content: str | None, failures: Mapping[str, str]) -> None:
        """Records the outcome of the last reading of a file, in place of earlier ones.

        ``content`` is its hash, after ``AGAIN`` where not all of it was read, or None where nobody
        knows it; ``failures`` are reasons by place: the file itself, or a row or page of it.
        """
        files, failed = tables.files, tables.failures
        with self._engine.begin() as connection:
            delete_with(connection, files.c.path, [path])
            delete_with(connection, failed.c.path, [path])
            if content is not None:
                upsert(connection, files, [{"path": path, "content": content}])
            upsert(
                connection,
                failed,
                [{"place": at, "path": path, "reason": why} for at, why in failures.items()],
            )

    def failures(self) -> list[FailureRow]:
        """All failures to read a file, or a part of one, by place."""
        query = select(tables.failures).order_by(tables.failures.c.place)
        return [row._asdict() for row in rows(self._engine, query)]

    def documents(self, path: str | None = None) -> list[DocumentRow]:
        """All documents, or all of the file ``path``, by id."""
        table = tables.documents
        query = select(table).order_by(table.c.id)
        if path is not None:
            query = query.where(table.c.path == path)
        return [row._asdict() for row in rows(self._engine, query)]

    def document(self, id: str) -> DocumentRow | None:
        """The document ``id``; None where there is none."""
        found = list(rows_with(self._engine, select(tables.documents), tables.documents.c.id, [id]))
        return found[0]._asdict() if found else None

    def contents(self, ids: Iterable[str]) -> dict[str, str]:
        """Content hash of each of ``ids`` that is a stored document."""
        table = tables.documents
        query = select(table.c.id, table.c.content)
        return dict(rows_with(self._engine, query, table.c.id, ids))

    def write_documents(self, documents: Sequence[NewDocument]) -> None:
        """Stores documents, in one transaction, in place of their earlier versions.

        Passages whose text is the same as before keep their id, and what a model read in them
        unless other lines stand before them now. ``pieces`` may be longer than memory; an error
        that they raise leaves all of ``documents`` as they were.
        """
        try:
            self._write_documents(documents)
        except LostConnectionError as error:
            if any(isinstance(each.pieces, Iterator) for each in documents):
                raise RagraphsError(str(error)) from error  # they cannot be read again
            raise

    def _write_documents(self, documents: Sequence[NewDocument]) -> None:
        with self._engine.begin() as connection:
            old = stored_passages(connection, [document.id for document in documents])
            forget_files_before(connection, documents)
            upsert(connection, tables.documents, [document.row() for document in documents])
            note_titles(connection, [document for document in documents if document.titles])
            counts = write_passages(connection, documents, old)
            _delete_passages(connection, list(old))
            numbers = {document.id: {"passages": counts[document.id]} for document in documents}
            update_rows(connection, tables.documents, numbers)
            if moved := {each.moved_from: each.id for each in documents if each.moved_from}:
                take_over(connection, moved)
                _remove(connection, [*moved])
            _note_changes(connection, len(documents))

    def planned(self, document: NewDocument) -> Iterator[PlannedPiece]:
        """The pieces of ``document``, and what would be new if they were stored."""
        with self._engine.connect() as connection:
            old = stored_passages(connection, [document.id])
        for id, piece, before in identified(document):
            is_moved = id in old and old[id].before != before
            yield PlannedPiece(id, piece, before, id not in old, is_moved)

    def remove_documents(self, ids: Collection[str]) -> int:
        """Removes documents with all that belongs to them; returns how many there were.

        Their files count as unread, and the failures of a file are forgotten with its last
        document. A file without documents goes by its path.
        """
        removed = 0
        for batch in batches(ids):
            with self._engine.begin() as connection:
                gone = _remove(connection, batch)
                removed += gone
                _note_changes(connection, gone)
        return removed

    def count_documents(self) -> int:
        return count_rows(self._engine, tables.documents)

    def count_file_rows(self, row: str) -> tuple[int, int]:
        """The number of documents whose id has ``row`` behind a file's path, and of these files."""
        of = tables.documents.c
        is_row = func.substr(of.id, 1, func.length(of.path) + len(row)) == of.path + row
        query: Any = select(func.count(), func.count(of.path.distinct())).where(is_row)
        return plain_rows(self._engine, query)[0]

    def count_passages(self) -> int:
        return count_rows(self._engine, tables.passages)

    def passage_ids(self) -> set[str]:
        query = select(tables.passages.c.id).where(*self._where)
        return {id for (id,) in plain_rows(self._engine, query)}

    def passage_numbers(self) -> dict[str, int]:
        """The numbers of all passages by their ids, by document and place."""
        table = tables.passages.c
        query = select(table.id, table.number).order_by(table.document, table.start, table.id)
        return dict(plain_rows(self._engine, query.where(*self._where)))

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages with these ids, in this order; unknown ids are left out."""
        found = rows_in_order(self._engine, tables.passages, ids, *self._where)
        return list(map(passage_of, found))

    def lines_before(self, ids: Iterable[str]) -> dict[str, str]:
        """The lines that stand before each of the passages ``ids`` in its document."""
        table = tables.passages.c
        found = rows_with(self._engine, select(table.id, table.before), table.id, ids)
        return {id: before for id, before in found}

    def passages_of(self, documents: Iterable[str]) -> dict[str, list[Passage]]:
        """The passages of each document, by place."""
        table = tables.passages
        query = select(table).order_by(table.c.start, table.c.id)
        found: dict[str, list[Passage]] = {}
        for row in rows_with(self._engine, query, table.c.document, documents):
            found.setdefault(row.document, []).append(passage_of(row))
        return found

    def beginnings(self, documents: Iterable[str]) -> dict[str, tuple[str, str, str]]:
        """Id, title and text of the first passage of each of the ``documents`` that are stored."""
        found: dict[str, tuple[str, str, str]] = {}
        with lookups(self._engine) as connection:
            for batch in batches(sorted(documents)):
                of_batch = is_one_of(self._engine, tables.passages.c.document, batch)
                for id, document, title, text in connection.execute(beginnings(of_batch)).all():
                    found.setdefault(document, (id, title, text))
        return found

    def all_passages(self) -> Iterator[Passage]:
        """Every passage, by document and place."""
        table = tables.passages
        query = select(table).where(*self._where)
        query = query.order_by(table.c.document, table.c.start, table.c.id)
        return map(passage_of, rows(self._engine, query))

    def outdated_entries(self) -> list[str]:
        """The ids of passages that had other metadata when their vectors were stored."""
        column = tables.outdated_entries.c.passage
        return [id for (id,) in rows(self._engine, select(column).order_by(column))]

    def moved_passages(self) -> dict[str, str]:
        """The passages whose vectors stand under another id, each with that id."""
        return dict(map(tuple, rows(self._engine, select(tables.moved_passages))))

    def note_described(self, passages: Iterable[str]) -> None:
        """Records that the vectors of ``passages`` have their ids and metadata of today."""
        with self._engine.begin() as connection:
            for table in (tables.outdated_entries, tables.moved_passages):
                delete_with(connection, table.c.passage, passages)

    def search_terms(self, question: str, most: int) -> list[tuple[str, float]]:
        """The ids of at most ``most`` passages with BM25 scores (higher is better), best first."""
        with lookups(self._engine) as connection:
            [where] = self._where or (None,)
            return lexical_index.search(connection, question, most, where, self._among)

    def count_holding(self, words: Iterable[str], most: int) -> list[int]:
        """How many passages hold a term of each of ``words``, which are counted up to ``most``."""
        with lookups(self._engine) as connection:
            return lexical_index.counts(connection, list(words), most, *self._where)

    def holding(self, words: str) -> Iterator[Passage]:
        """The passages whose text or title has ``words`` in a row, by document and place.

        Case does not matter, nor how much white space stands between the words.
        """
        is_said = said_in_a_row(words)
        for row in rows(self._engine, holding_words(words).where(*self._where)):
            if is_said(row.text) or is_said(row.title):
                yield passage_of(row)

    def metadata_kinds(self) -> dict[str, dict[str, Any]]:
        """The keys of all metadata with the kinds of values, as ``conditions`` finds them."""
        return metadata_kinds(self._engine)

    def document_dates(self) -> dict[str, str | None]:
        """The date of every document; None where it has none."""
        passages = tables.passages.c
        dates = func.min(passages.metadata["date"].as_string())
        query = select(passages.document, dates).where(*self._where).group_by(passages.document)
        return {document: written for document, written in rows(self._engine, query)}

    def rebuild_terms(self) -> None:
        """Makes the lexical index anew from the passages, in one transaction."""
        with self._engine.begin() as connection:
            lexical_index.form_of(connection).rebuild(connection)

    def vacuum(self) -> bool:
        """Writes the database anew without what was deleted; whether the old bytes are gone.

        They stay in SQLite's write-ahead log while another process reads them, and in PostgreSQL's
        tables while a transaction from before is open anywhere in its database; the log and the
        backups of PostgreSQL are its operator's.
        """
        return vacuum(self._engine)

    def forget_terms(self) -> None:
        """Purges deleted passages from the lexical index, which until then only hides them."""
        with self._engine.begin() as connection:
            lexical_index.form_of(connection).purge(connection)


def _note_changes(connection: Connection, changes: int) -> None:
    before = connection.scalar(_PROPERTY.with_for_update(), {"wanted": PASSAGES})
    stamp = stamp_after(before and json.loads(before), changes)
    keep_property(connection, PASSAGES, stamp)


def _remove(connection: Connection, ids: Sequence[str]) -> int:
    documents, failed = tables.documents, tables.failures
    chosen = documents.c.id.in_(ids)
    paths = {*ids, *connection.scalars(select(documents.c.path).where(chosen))}
    hanging = select(tables.passages.c.id).where(tables.passages.c.document.in_(ids))
    _delete_passages(connection, set(connection.scalars(hanging)))
    removed = connection.execute(delete(documents).where(chosen)).rowcount
    delete_with(connection, tables.document_titles.c.document, ids)
    make_unread(connection, paths)
    has_others = exists().where(documents.c.path == failed.c.path)
    connection.execute(delete(failed).where(failed.c.path.in_(paths), ~has_others))
    return removed


def _delete_passages(connection: Connection, ids: Collection[str]) -> None:
    delete_passages(connection, ids)
    if ids:
        keep_property(connection, FORGETTING, True)
