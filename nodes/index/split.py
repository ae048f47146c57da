"""Reading documents and cutting them into passages."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from ...algorithms.splitting import split_text
from ...context import Context, IndexContext
from ...index import rebuilding
from ...index.cluster.parts import in_parts
from ...index.concurrency import to_its_end
from ...index.opening import Index
from ...index.progress import FileProgress, Progress, progress_of
from ...index.titles import renew_titles
from ...language.analyser import count_tokens
from ...state.errors import RagraphsError
from ...state.index import Failure, IndexState
from ...state.records import Document
from ...stores.document_titles import chosen_title
from ...stores.file_notes import AGAIN
from ...stores.loading.blocks import sliced
from ...stores.loading.booklets import Booklets
from ...stores.loading.dating import dated
from ...stores.loading.reader import FileReader, ReadingStoppedError
from ...stores.loading.sources import INLINE, document_id, document_path, sha256_of
from ...stores.loading.types import DocumentBlock, Limits, LoadedDocument, LoadError, LoadFailure
from ...stores.metadata import storable
from ...stores.pieces import NewDocument, Piece, PlannedPiece
from ..node import node
from ..run import Run, Update
from .given import given_metadata, require
from .moved import MovedDocuments
from .places import Places
from .price import GROUP_DOCUMENTS, ReadingPrice


class ToRead(TypedDict, total=False):
    """Documents given inline, paths of files to read, and ids of documents to remove."""

    inline: Sequence[Document]
    files: Sequence[str]
    gone: Sequence[str]


def to_read(state: IndexState) -> ToRead:
    """The documents of a run, and those to remove."""
    return {"inline": state["inline"], "files": state["files"], "gone": state["gone"]}


_READER = "9"  # to be raised when a loader gives other text or metadata for the same file
_GROUP_CHARACTERS = 1_000_000
_FILES = 32  # for one worker of a cluster


@node()
async def split(state: IndexState, run: Run[IndexContext]) -> Update:
    """Stores the passages of new and changed documents, and removes documents that are gone.

    With ``repair``, vectors and the lexical index are made anew; with ``purge``, written anew.
    """
    results: list[Any] = [await _stored(state, run)]
    for other in state.get("along", ()):
        try:
            results.append(await _stored(other, run))
        except RagraphsError as error:
            results.append(error)
    await to_its_end(renew_titles, run.index)
    repair, purge = run.context.repair, run.context.purge
    if repair or purge:
        await to_its_end(partial(rebuilding.begin, anew=repair, purge=purge), run.index)
    return {**results[0], "along": results}


async def _stored(state: IndexState, run: Run[IndexContext]) -> Update:
    """Stores one change, and returns its counts and failures."""
    reading = await run.in_thread(DocumentReader, ())
    await read_documents(reading, {"inline": state["inline"]}, lambda done, total: None)
    files, operator = state["files"], run.index.operator
    if operator.root is None:  # the paths from this process's folder, for all machines
        files = [str(operator.base / name) for name in files]
    parts = await in_parts(
        run.index, run.context, _read_files, files, progress_of("split"), most=_FILES, asks=False
    )
    for counts, failures in parts:
        reading.add(counts, failures)
    await to_its_end(reading.remove, state["gone"])
    return reading.result(state)


async def _read_files(
    index: Index, context: Context, files: Sequence[str], report: Progress
) -> tuple[Counter[str], list[Failure]]:
    """Reads some of the files; what is counted, and what could not be read."""
    reading = await asyncio.to_thread(DocumentReader, index, files)
    await read_documents(reading, {"files": files}, report)
    return reading.counts, reading.failures


async def read_documents(reading: DocumentReader, given: ToRead, report: Progress) -> None:
    """Reads all documents of ``given`` in a thread, which ends with this task."""
    await to_its_end(reading.read_all, given, report, threads=None, stop=reading.stop)


def content_of(file: Path, root: Path | None) -> str:
    """The content of a file as an index records it. Blocks; raises LoadError."""
    return f"{_READER}:{sha256_of(file, root)}"


class DocumentReader:
    """One pass over the sources, whose documents are stored; with ``price``, only counted.

    It knows which of ``files``, or of all, were read before. With ``counts_only`` it ends with a
    RagraphsError at the most that the operator allows a run.
    """

    def __init__(
        self,
        index: Index,
        files: Sequence[str] | None = None,
        price: ReadingPrice | None = None,
        *,
        counts_only: bool = False,
        reader: FileReader | None = None,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._stopped = False
        self._within: FileProgress | None = None
        self._files = reader or FileReader(Limits.by(index.operator))
        self._catalogue = index.catalogue
        self._home = index.home
        self._moved = MovedDocuments(index)
        self._root = index.operator.root
        self._base = index.operator.base
        self._size: tuple[int, int] = tuple(index.catalogue.property("passage_size"))
        self._keep = price is None and not counts_only
        self._operator = index.operator if counts_only else None
        self._price = price
        paths = files and [document_path(self._base / name, index.home) for name in files]
        self._read = index.catalogue.files(paths)
        self._shared = index.catalogue.titles.shared()
        self.failures: list[Failure] = []

    def result(self, state: IndexState) -> dict[str, Any]:
        """The part of the graph's output that reading decides."""
        names = ("added", "updated", "unchanged", "removed")
        counts = {name: self.counts[name] for name in names}
        return {**counts, "failures": [*state["failures"], *self.failures]}

    def add(self, counts: Counter[str], failures: Sequence[Failure]) -> None:
        """Adds what others have read."""
        self.counts.update(counts)
        self.failures += failures

    def read_all(self, given: ToRead, report: Progress) -> None:
        """Reads the documents given inline and every file that changed; removes what is gone."""
        with suppress(ReadingStoppedError), self._files:
            self._read_all(given, report)

    def stop(self) -> None:
        """Ends ``read_all`` in another thread soon, in the middle of a file if need be."""
        self._stopped = True
        self._files.stop()

    def _read_all(self, given: ToRead, report: Progress) -> None:
        for group in _groups(map(_loaded, given.get("inline", []))):
            self._write([self._new(item, item.id, INLINE) for item in group])
        files = given.get("files", [])
        for done, name in enumerate(files):
            self._go_on()
            with suppress(OSError):
                size = (self._base / name).stat().st_size
                self._within = FileProgress(report, done, len(files), size)
            self._read_file(self._base / name)
            report(done + 1, len(files))
        self.remove(given.get("gone", []))

    def _read_file(self, file: Path) -> None:
        path = document_path(file, self._home)
        known = {row["id"] for row in self._catalogue.documents(path)}
        failures: dict[str, str] = {}
        content = None
        try:
            content = content_of(file, self._root)
            if self._read.get(path) == content:
                self.counts["unchanged"] += len(known)
            else:
                self._read_changed(file, path, content, known, failures)
        except LoadError as error:
            failures[path] = str(error)
        if failures or self._read.get(path) != content:
            self._note(path, f"{AGAIN}{content}" if content and failures else content, failures)
        self.failures += [{"path": place, "reason": why} for place, why in failures.items()]

    def _read_changed(
        self, file: Path, path: str, content: str, known: set[str], failures: dict[str, str]
    ) -> None:
        if path in self._read:
            self._note(path, None, {})
        seen: set[str] = set()
        for group in _groups(self._items(file, path, failures)):
            ids = [document_id(path, item.id) for item in group]
            self._write(
                [
                    self._new(item, id, path, None if item.id else content)
                    for id, item in zip(ids, group, strict=True)
                ]
            )
            seen.update(ids)
        if not failures:
            # Only when all of it could be read is it sure what a file no longer holds.
            self.remove(known - seen)

    def _items(self, file: Path, path: str, failures: dict[str, str]) -> Iterator[LoadedDocument]:
        """The documents of a file, each id once; what is left out goes to ``failures``."""
        seen: set[str] = set()
        for item in self._files.load(file, name=path, root=self._root):
            if isinstance(item, LoadFailure):
                failures[item.source] = item.reason
            elif item.id in seen:
                failures[document_id(path, item.id)] = (
                    f"{path} has the id {item.id!r} twice; only the first was kept."
                )
            else:
                seen.add(item.id)
                yield item

    def _write(self, documents: Sequence[NewDocument]) -> None:
        known = self._catalogue.contents(document.id for document in documents)
        changed = [new for new in documents if known.get(new.id) not in (None, new.content)]
        changed += self._moved.followed([new for new in documents if new.id not in known])
        if self._keep:
            self._catalogue.write_documents(changed)
        else:
            for document in changed:
                self._count(document)
        if self._operator:
            self.counts["documents"] += len(documents)
            require(self.counts["documents"], "documents", self._operator.bound("max_documents"))
        for document in changed:
            is_known = document.id in known or document.moved_from
            self.counts["updated" if is_known else "added"] += 1
        self.counts["unchanged"] += len(documents) - len(changed)

    def _count(self, document: NewDocument) -> None:
        before = self._catalogue.document(document.moved_from) if document.moved_from else None
        if before and (before["title"], before["content"]) == (document.title, document.content):
            return
        pieces: list[PlannedPiece] = []
        for planned in self._catalogue.planned(document):
            if self._price and self._price.reads:
                pieces.append(planned)
            if not planned.is_new:
                continue
            self.counts["passages"] += 1
            if self._operator:
                most = self._operator.bound("max_passages")
                require(self.counts["passages"], "passages", most)
            else:
                self.counts["tokens"] += count_tokens(planned.piece.text)
        if self._price and pieces:
            self._price.add_document(document.id, document.title, pieces)

    def _new(
        self, item: LoadedDocument, id: str, path: str, content: str | None = None
    ) -> NewDocument:
        """A document to be; ``content`` is the hash of its file, for one that is no row."""
        titles = (item.title, *item.others)
        return NewDocument(
            id,
            path,
            chosen_title(titles, self._shared),
            content or _content_of(item),
            self._pieces(item, "" if path == INLINE else path),
            item.metadata,
            titles,
        )

    def _pieces(self, document: LoadedDocument, path: str) -> Iterator[Piece]:
        places, booklets = Places(document.metadata, path), Booklets()
        blocks = sliced(places.noted(booklets.parted(document.blocks)))
        try:
            for span in split_text(blocks, *self._size):
                self._go_on()
                if self._within:
                    self._within.add(span.text)
                if booklets.leaves_out(span.start):
                    continue
                yield Piece(*span, *places.within(span.start, span.end))
        except (RagraphsError, ReadingStoppedError, OSError):
            raise
        except Exception as error:
            told = f"{path} cannot be cut into passages ({type(error).__name__}: {error})."
            raise LoadError(told) from error

    def _go_on(self) -> None:
        if self._stopped:
            raise ReadingStoppedError

    def _note(self, path: str, content: str | None, failures: dict[str, str]) -> None:
        if self._keep:
            self._catalogue.note_file(path, content, failures)

    def remove(self, ids: Collection[str]) -> None:
        """Removes documents."""
        if self._keep:
            self.counts["removed"] += self._catalogue.remove_documents(ids)
        else:
            self.counts["removed"] += len(self._catalogue.contents(ids).keys() - self._moved.ids)


def _groups(items: Iterable[LoadedDocument]) -> Iterator[list[LoadedDocument]]:
    """Rows to store together; a document that is a file stands alone, since it streams."""
    group: list[LoadedDocument] = []
    characters = 0
    for item in items:
        group.append(item)
        characters += sum(map(len, item.blocks)) if item.id else _GROUP_CHARACTERS
        if characters >= _GROUP_CHARACTERS or len(group) == GROUP_DOCUMENTS:
            yield group
            group, characters = [], 0
    if group:
        yield group


def _loaded(given: Document) -> LoadedDocument:
    title, text = storable(given.get("title") or given["id"]), [storable(given["text"])]
    return dated(LoadedDocument(given["id"], title, text, given_metadata(given)), Path())


def _content_of(item: LoadedDocument) -> str:
    """The hash of a document that is a row of its file, or was given inline."""
    parts = [list(block.places) for block in item.blocks if isinstance(block, DocumentBlock)]
    told = json.dumps([item.title, item.metadata, parts], sort_keys=True)
    digest = hashlib.sha256(told.encode())
    for block in item.blocks:  # not as JSON, which may take twelve times as much
        digest.update(block.encode())
    return f"{_READER}:{digest.hexdigest()}"
