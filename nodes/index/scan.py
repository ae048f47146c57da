"""Finding the files to index and the documents to remove."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from langgraph.types import Overwrite

from ...context import IndexContext
from ...index.concurrency import to_its_end
from ...index.layers import read_for
from ...index.opening import Index, open_index
from ...index.readers import language_model
from ...index.recorded import changes_settings, layers_to_build, open_to_try, wanted_reader
from ...index.upgrading import bring_up_to_date
from ...models.documents import given_documents
from ...models.meter import current_meter
from ...settings import Settings, settings, told
from ...state.errors import RagraphsError
from ...state.index import Failure, IndexState
from ...state.records import Document
from ...stores.catalogue import Catalogue
from ...stores.file_notes import listed_documents
from ...stores.loading.reader import FileReader
from ...stores.loading.sources import INLINE, endings_of, find_files, is_gone, told_hidden
from ...stores.loading.types import PLAIN, Limits
from ...stores.metadata import storable
from ..node import node
from .given import check_given, check_size
from .graph_cards import vanished_cards
from .split import DocumentReader
from .triples import GraphRead, graph_documents

_SAMPLE = 30
_ROWS = 30
T = TypeVar("T")
_PACKED = 200  # of any other file, more characters than bytes may come


@node(begins=True)
async def scan(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Finds the files to read and the documents to remove, and tries the settings of the run.

    Only where the reader of passages can be opened is a new index made.
    """
    return await scanned(state, context)


async def scanned(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """The update of ``scan``."""
    loader = FileReader(Limits.by(settings()))
    found, index, reader = await to_its_end(
        _scan_by, loader, state, context, threads=None, stop=loader.stop
    )
    if reader is not None:
        await language_model(index, context, reader)
    if not context.dry_run and (found["files"] or found["inline"]):
        await asyncio.to_thread(open_index, context, create=True)
    return found


def _scan_by(
    loader: FileReader, state: IndexState, context: IndexContext
) -> tuple[dict[str, Any], Index, str | None]:
    with loader:
        return _scan(state, context, loader)


def _scan(
    state: IndexState, context: IndexContext, loader: FileReader
) -> tuple[dict[str, Any], Index, str | None]:
    """The update of ``scan``, and the index with the model whose key is to be looked for first."""
    operator = settings()
    if not context.dry_run:
        bring_up_to_date(context.index)
    if isinstance(given := state.get("documents"), list):
        state = {**state, "documents": given_documents(given)}
    check_given(state)
    files, skipped, failures, folders = _find(state.get("sources") or [], operator)
    triples, refused = _find_triples(state.get("triples") or [], operator)
    if triples:
        context = context.model_copy(update={"layers": [*context.layers, "entities"]})
    given_triples = [_name(file, operator) for file in triples]
    drawn = _graph(given_triples, context, operator)
    inline = [*(state.get("documents") or []), *drawn.cards]
    names = [_name(file, operator) for file in files]
    size = check_size(inline, files, operator)
    characters = size if {file.suffix.lower() for file in files} <= PLAIN else size * _PACKED
    bounds = (operator.bound("max_passages"), operator.bound("max_documents"))
    if any(most is not None and characters > most for most in bounds):
        _check_passages(inline, names, context, loader)
    beginnings = _beginnings(inline, files, operator.root, loader)
    reads = bool(files or inline or triples)
    index = open_to_try(context, new=bool(files or inline), texts=beginnings)
    layers = layers_to_build(index.catalogue, context)
    # A run that only removes goes as far as it can without the reader's key.
    asks = read_for(layers) and (reads or changes_settings(index, context))
    reader = wanted_reader(index.catalogue, context) if asks else None
    named = state.get("remove") or []
    known = _known(index.catalogue, named, bool(folders))
    gone = [*_named(named, known), *_vanished(known, folders, index.home)]
    if drawn.whole:
        gone += vanished_cards(index.catalogue.documents(INLINE), *drawn)
    found = {
        "index": told(index.name, operator),
        "embeddings": index.embedder.name,
        "inline": inline,
        "files": names,
        "triple_files": given_triples,
        "gone": list(dict.fromkeys(gone)),
        "failures": [*failures, *refused],
        "skipped": endings_of(skipped),
        "layers": layers,
        "plan": None,
        "usage": Overwrite({}),
        "warnings": Overwrite(current_meter().warnings),
    }
    return found, index, reader


def _graph(files: Sequence[str], context: IndexContext, operator: Settings) -> GraphRead:
    """The graph in ``files`` of triples, which has no card where all are attached to documents."""
    if not files:
        return GraphRead([], [])
    home = open_to_try(context.model_copy(update={"dry_run": True})).home
    return graph_documents(files, operator, home)


def _beginnings(
    inline: Sequence[Document], files: Sequence[Path], root: Path | None, reader: FileReader
) -> Iterator[str]:
    """The beginnings of some of the documents, by which their languages are told."""
    yield from (document["text"] for document in _some(inline))
    for file in _some(files):
        yield from reader.beginnings(file, _ROWS, root=root)


def _some(items: Sequence[T]) -> Sequence[T]:
    return items[:: len(items) // _SAMPLE + 1]


def _check_passages(
    inline: list[Document], files: list[str], context: IndexContext, reader: FileReader
) -> None:
    """Raises RagraphsError where a run would make more than the operator allows; stores nothing.

    A row of a file is a document, so that only reading tells how many there are.
    """
    planned = open_to_try(context.model_copy(update={"dry_run": True}))
    reading = DocumentReader(planned, counts_only=True, reader=reader)
    reading.read_all({"inline": inline, "files": files}, lambda done, total: None)


class _ScannedFiles(NamedTuple):
    """Files of all sources, those skipped and refused, and the sources that are folders."""

    files: list[Path]
    skipped: list[Path]
    failures: list[Failure]
    folders: list[Path]


def _find(sources: Sequence[str], operator: Settings) -> _ScannedFiles:
    files: dict[Path, None] = {}
    skipped: dict[Path, None] = {}
    hidden: dict[Path, None] = {}
    failures: list[Failure] = []
    folders: list[Path] = []
    for source in sources:
        found = find_files(source, operator.base, operator.root)
        skipped.update(dict.fromkeys(found.skipped))
        hidden.update(dict.fromkeys(found.hidden))
        failures += [
            {"path": told(item.source, operator), "reason": told(item.reason, operator)}
            for item in found.refused
        ]
        for file in found.files:
            if (name := storable(str(file))) == str(file):
                files[file] = None
            else:
                reason = f"{name} has a name that is not valid UTF-8; rename it."
                failures.append({"path": name, "reason": reason})
        folder = Path(os.path.abspath(operator.base / Path(source).expanduser()))
        if folder.is_dir():
            folders.append(folder if operator.root is None else folder.resolve())
    if said := told_hidden(hidden):
        current_meter().warn(said)
    return _ScannedFiles(list(files), list(skipped), failures, folders)


def _name(file: Path, operator: Settings) -> str:
    """The path of a file; with a root, what of it lies below the root, since states are shown."""
    return str(file if operator.root is None else file.relative_to(operator.base))


def _find_triples(sources: Sequence[str], operator: Settings) -> tuple[list[Path], list[Failure]]:
    files, _, failures, _ = _find(sources, operator)
    for file in files:
        if file.suffix.lower() != ".jsonl":
            raise RagraphsError(f"Triples are read from .jsonl files, which {file.name!r} is not.")
    return files, failures


class _Known(NamedTuple):
    """A document, or a file none of which could be read, by its path."""

    id: str
    path: str


def _known(catalogue: Catalogue, named: Sequence[str], every: bool) -> list[_Known]:
    """The documents that ``named`` may mean; with ``every``, all that there are."""
    meant = [_Known(id, path) for id, path, _ in listed_documents(catalogue.engine, named)]
    if not every and {one.id for one in meant} == set(named):
        return meant
    documents = [_Known(id, path) for id, path, _ in listed_documents(catalogue.engine)]
    unread = {row["path"] for row in catalogue.failures()} - {path for _, path in documents}
    return documents + [_Known(path, path) for path in sorted(unread)]


def _vanished(known: Sequence[_Known], folders: Sequence[Path], home: Path) -> list[str]:
    """Ids of documents whose source file, inside an indexed folder, no longer exists."""
    paths = {path: home / path for _, path in known if path != INLINE and folders}
    gone = {
        path
        for path, file in paths.items()
        if any(file.is_relative_to(folder) for folder in folders) and is_gone(file)
    }
    return [id for id, path in known if path in gone]


def _named(names: Sequence[str], known: Sequence[_Known]) -> list[str]:
    """The ids of the documents that ``names`` mean: an id, a file, or the end of one of them."""
    ids: list[str] = []
    for name in names:
        # An id first: the name of a file may be the id of another's row.
        exact = [id for id, _ in known if name == id] or [id for id, path in known if name == path]
        ending = {path for _, path in known if path.endswith("/" + name)}
        ending |= {id for id, _ in known if id.endswith(("/" + name, "#" + name))}
        if not exact and len(ending) > 1:
            raise RagraphsError(
                f"{name!r} may be any of {', '.join(sorted(ending)[:5])}; name one in full."
            )
        matched = exact or [id for id, path in known if id in ending or path in ending]
        if not matched:
            raise RagraphsError(
                f"There is no document {name!r} in the index; ragraphs status --documents lists "
                "them."
            )
        ids += matched
    return ids
