"""Reading documents and cutting them into passages."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..algorithms.splitting import split as split_text
from ..algorithms.text import count_tokens
from ..context import IndexContext
from ..state.indexing import Failure, IndexState, Plan
from ..stores.catalogue import Piece
from ..stores.loading import load
from ..stores.loading_types import LoadedDocument, LoadError, LoadFailure
from ..stores.lock import writing
from ..stores.sources import sha256_of
from .node import Progress, node, progress_of
from .opening import Index
from .scan import document_path, open_for_indexing

_READER = "1"  # to be raised when a loader gives another text for the same file
_INLINE = "inline"


@node()
async def split(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Reads what changed, stores its passages, and removes what is gone."""
    return await asyncio.to_thread(_split, state, context, progress_of("split"))


@node()
async def plan(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Says what a run would read and cost, and changes nothing."""
    return await asyncio.to_thread(_plan, state, context, progress_of("plan"))


def _split(state: IndexState, context: IndexContext, report: Progress) -> dict[str, Any]:
    index = open_for_indexing(context)
    with writing(index.folder):
        reading = _Reading(index, keep=True)
        reading.read_all(state, report)
        index.catalogue.remove_documents(state["gone"])
    return {**reading.result(state), "removed": reading.removed + len(state["gone"])}


def _plan(state: IndexState, context: IndexContext, report: Progress) -> dict[str, Any]:
    index = open_for_indexing(context)
    reading = _Reading(index, keep=False)
    reading.read_all(state, report)
    planned: Plan = {
        "documents": reading.counts["added"] + reading.counts["updated"],
        "passages": reading.counts["passages"],
        "embedding_tokens": 0 if index.embedder.local else reading.counts["tokens"],
        "missing_replies": 0,
        "reply_tokens": 0,
    }
    removed = reading.removed + len(state["gone"])
    return {**reading.result(state), "removed": removed, "plan": planned}


class _Reading:
    """One pass over the sources; with ``keep`` its documents are stored, else only counted."""

    def __init__(self, index: Index, *, keep: bool) -> None:
        self.counts: Counter[str] = Counter()
        self.removed = 0
        self._catalogue = index.catalogue
        self._index_folder = index.folder
        self._root = index.operator.root
        self._size: tuple[int, int] = tuple(index.catalogue.property("passage_size"))
        self._keep = keep
        self._read = index.catalogue.files()
        self._failures: list[Failure] = []

    def result(self, state: IndexState) -> dict[str, Any]:
        """The part of the graph's output that reading decides."""
        counts = {name: self.counts[name] for name in ("added", "updated", "unchanged")}
        return {**counts, "failures": [*state["failures"], *self._failures]}

    def read_all(self, state: IndexState, report: Progress) -> None:
        """Reads the documents given inline, and every file that changed."""
        for inline in state.get("documents") or []:
            document = LoadedDocument(
                inline["id"], inline.get("title") or inline["id"], [inline["text"]]
            )
            self._write(inline["id"], _INLINE, document, _hash(document))
        for done, name in enumerate(state["files"], start=1):
            file = Path(name)
            path = document_path(file, self._index_folder)
            try:
                self._read_file(file, path)
            except LoadError as error:
                self._fail(path, str(error))
            report(done, len(state["files"]))

    def _read_file(self, file: Path, path: str) -> None:
        content = f"{_READER}:{sha256_of(file, self._root)}"
        known = {row["id"] for row in self._catalogue.documents(path)}
        if self._read.get(path) == content:
            self.counts["unchanged"] += len(known)
            return
        failed = len(self._failures)
        seen = set()
        for item in load(file, name=path, root=self._root):
            if isinstance(item, LoadFailure):
                self._fail(item.source, item.reason)
                continue
            id = f"{path}#{item.id}" if item.id else path
            seen.add(id)
            try:
                self._write(id, path, item, _hash(item) if item.id else content)
            except LoadError as error:
                self._fail(id, str(error))
        if len(self._failures) == failed:
            self._finish_file(path, content, known - seen)

    def _finish_file(self, path: str, content: str, gone: set[str]) -> None:
        """Documents that a file no longer holds go, but only when all of it could be read."""
        self.removed += len(gone)
        if self._keep:
            self._catalogue.remove_documents(gone)
            self._catalogue.set_file(path, content)

    def _write(self, id: str, path: str, document: LoadedDocument, content: str) -> None:
        known = self._catalogue.document(id)
        if known is not None and known["content"] == content:
            self.counts["unchanged"] += 1
            return
        pieces = self._pieces(document)
        if self._keep:
            self._catalogue.write_document(id, path, document.title, content, pieces)
        else:
            for piece in pieces:
                self.counts["tokens"] += count_tokens(piece.text)
        self.counts["added" if known is None else "updated"] += 1

    def _pieces(self, document: LoadedDocument) -> Iterator[Piece]:
        for span in split_text(document.blocks, *self._size):
            self.counts["passages"] += 1
            yield Piece(*span)

    def _fail(self, path: str, reason: str) -> None:
        self._failures.append({"path": path, "reason": reason})
        if self._keep:
            self._catalogue.add_failure(path, reason)


def _hash(document: LoadedDocument) -> str:
    content = json.dumps([document.title, "".join(document.blocks)])
    return f"{_READER}:{hashlib.sha256(content.encode()).hexdigest()}"
