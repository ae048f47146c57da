"""What there is to index: the files, the documents that are gone, the settings that hold."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

from langgraph.types import Overwrite
from typing_extensions import TypedDict

from ..context import IndexContext, LayerName
from ..models.embeddings import identity, open_embedder, resolve_auto
from ..models.meter import current_meter
from ..settings import Settings, settings
from ..state.errors import RagraphsError
from ..state.indexing import Failure, IndexState
from ..stores.catalogue import Catalogue
from ..stores.readings import ReadingKind
from ..stores.sources import find_files
from .node import node
from .opening import Index, open_index

DEFAULT_CHUNK_TOKENS = 400
DEFAULT_CLUSTERING = {"max_cluster_size": 10, "report_tokens": 2000}
READ_LAYERS: dict[LayerName, ReadingKind] = {"hops": "questions", "entities": "facts"}
INLINE = "inline"


class Extraction(TypedDict):
    """The settings that decide what a model reads in a passage besides questions."""

    entity_types: list[str]
    examples: str
    claims: bool
    gleanings: int
    joint: bool


@node()
async def scan(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Finds the files to read and the documents to remove, and settles the index's settings."""
    return await asyncio.to_thread(_scan, state, context)


def _scan(state: IndexState, context: IndexContext) -> dict[str, Any]:
    operator = settings()
    _check_input(state)
    files, failures, folders = _find(state.get("sources") or [], operator)
    triples, refused = _find_triples(state.get("triples") or [], operator)
    if triples:
        context = context.model_copy(update={"layers": [*context.layers, "entities"]})
    inline = state.get("documents") or []
    index = open_for_indexing(context, create=bool(files or inline))
    index.replies.watch()
    known = _known(index.catalogue)
    gone = [*_named(state.get("remove") or [], known), *_vanished(known, folders, index.folder)]
    return {
        "index": str(index.folder),
        "embeddings": index.embedder.name,
        "inline": inline,
        "files": [str(file) for file in files],
        "triple_files": [str(file) for file in triples],
        "gone": list(dict.fromkeys(gone)),
        "failures": [*failures, *refused],
        "layers": wanted_layers(index.catalogue, context),
        "plan": None,
        "usage": Overwrite({}),
        "warnings": Overwrite(current_meter().warnings),
    }


def open_for_indexing(context: IndexContext, *, create: bool = True) -> Index:
    """The index that ``context`` names, with its settings recorded.

    A dry run that would make a new index works on one in memory. Raises RagraphsError for settings
    other than those recorded.
    """
    index = open_index(context, create=create and not context.dry_run, in_memory=context.dry_run)
    _settle_embeddings(index.catalogue, context, index.operator)
    _settle_passage_size(index.catalogue, context)
    if not context.dry_run:
        _settle_layers(index.catalogue, context)
    return index


def document_path(file: Path, index: Path) -> str:
    """The name of a file in the index: relative to the folder that the index is in, if below it."""
    if file.is_relative_to(index.parent):
        return file.relative_to(index.parent).as_posix()
    return file.as_posix()


def storable(text: str) -> str:
    """``text`` with a mark for what no database can hold; its length stays the same."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _check_input(state: IndexState) -> None:
    """Raises RagraphsError for what does not have the form that ``IndexInput`` says."""
    for key in ("sources", "documents", "remove", "triples"):
        if isinstance(state.get(key) or [], str | dict):
            raise RagraphsError(f"{key!r} must be a list, even of one.")
    ids: set[str] = set()
    for document in state.get("documents") or []:
        id, text = document.get("id"), document.get("text")
        if not isinstance(id, str) or not id.strip() or storable(id) != id:
            raise RagraphsError("A document has no id; give each one an 'id' and a 'text'.")
        if not isinstance(text, str) or not text.strip():
            raise RagraphsError(f"The document {id!r} has no text; give it a 'text'.")
        if id in ids:
            raise RagraphsError(f"Two documents have the id {id!r}; give each its own.")
        ids.add(id)


def _find(
    sources: Sequence[str], operator: Settings
) -> tuple[list[Path], list[Failure], list[Path]]:
    """The files of all sources, those refused, and the sources that are folders."""
    files: dict[Path, None] = {}
    failures: list[Failure] = []
    folders: list[Path] = []
    for source in sources:
        found = find_files(source, operator.base, operator.root)
        failures += [{"path": item.source, "reason": item.reason} for item in found.refused]
        for file in found.files:
            if (name := storable(str(file))) == str(file):
                files[file] = None
            else:
                reason = f"{name} has a name that is not valid UTF-8; rename it."
                failures.append({"path": name, "reason": reason})
        folder = Path(os.path.abspath(operator.base / Path(source).expanduser()))
        if folder.is_dir():
            folders.append(folder if operator.root is None else folder.resolve())
    return list(files), failures, folders


def _find_triples(sources: Sequence[str], operator: Settings) -> tuple[list[Path], list[Failure]]:
    files, failures, _ = _find(sources, operator)
    for file in files:
        if file.suffix.lower() != ".jsonl":
            raise RagraphsError(f"Triples are read from .jsonl files, which {file.name!r} is not.")
    return files, failures


class _Known(NamedTuple):
    """A document, or a file none of which could be read, by its path."""

    id: str
    path: str


def _known(catalogue: Catalogue) -> list[_Known]:
    documents = [_Known(row["id"], row["path"]) for row in catalogue.documents()]
    unread = {row["path"] for row in catalogue.failures()} - {path for _, path in documents}
    return documents + [_Known(path, path) for path in sorted(unread)]


def _vanished(known: Sequence[_Known], folders: Sequence[Path], index: Path) -> list[str]:
    """The ids of what came from a file below one of the folders that is there no more."""
    paths = {path: index.parent / path for _, path in known if path != INLINE}
    gone = {
        path
        for path, file in paths.items()
        if any(file.is_relative_to(folder) for folder in folders) and _is_gone(file)
    }
    return [id for id, path in known if path in gone]


def _is_gone(file: Path) -> bool:
    try:
        return not stat.S_ISREG(file.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:  # nobody can say, so nothing is removed
        return False


def _named(names: Sequence[str], known: Sequence[_Known]) -> list[str]:
    """The ids of the documents that ``names`` mean: an id, a file, or the end of one of them."""
    ids: list[str] = []
    for name in names:
        exact = [id for id, path in known if name in (id, path)]
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


def _settle_embeddings(catalogue: Catalogue, context: IndexContext, operator: Settings) -> None:
    """Records the embeddings of a new index; an old one keeps those that it was built with."""
    recorded: str | None = catalogue.property("embeddings")
    wanted = context.embeddings
    if operator.root is not None and "@" in wanted and wanted != operator.embeddings:
        raise RagraphsError("A folder of embeddings is the operator's to set: RAGRAPHS_EMBEDDINGS.")
    asked_for = wanted != "auto" and "embeddings" in context.model_fields_set
    if recorded is not None:
        if asked_for and identity(wanted) != identity(recorded):
            raise RagraphsError(
                f"This index was built with the embeddings {identity(recorded)}, not "
                f"{identity(wanted)}; leave --embeddings out, or name a new --index."
            )
        wanted = wanted if asked_for else recorded
    elif wanted == "auto":
        wanted, notice = resolve_auto(operator)
        if notice is not None:
            current_meter().warn(notice)
    open_embedder(wanted, operator)
    if recorded is None or (wanted != recorded and not context.dry_run):
        catalogue.set_property("embeddings", wanted)


def wanted_layers(catalogue: Catalogue, context: IndexContext) -> list[LayerName]:
    """The layers to build: a layer that was built once is kept up to date from then on."""
    recorded = catalogue.property("layers") or []
    wanted = {*recorded, *context.layers}
    if "communities" in wanted:
        wanted.add("entities")
    return [name for name in get_args(LayerName) if name in wanted]


def wanted_reader(catalogue: Catalogue, context: IndexContext) -> str:
    """The model that reads passages for the layers: the one that did, unless another is named."""
    recorded: str | None = catalogue.property("reader")
    named = "model" in context.model_fields_set
    return context.model if named or recorded is None else recorded


class ReadingSettings(NamedTuple):
    """The model that reads passages, how, and what counts as read for every kind of reading."""

    model: str
    extraction: Extraction
    readers: dict[ReadingKind, str]


def reading_settings(
    catalogue: Catalogue, context: IndexContext, layers: Sequence[str]
) -> ReadingSettings:
    """How passages are read for ``layers``. Blocks."""
    model = wanted_reader(catalogue, context)
    extraction = wanted_extraction(catalogue, context)
    return ReadingSettings(model, extraction, readers_of(layers, model, extraction))


def wanted_extraction(catalogue: Catalogue, context: IndexContext) -> Extraction:
    """How entities are extracted: as before, but for what is set now."""
    recorded = catalogue.property("extraction") or {}
    return cast(
        Extraction,
        {
            name: recorded[name]
            if name in recorded and name not in context.model_fields_set
            else getattr(context, name)
            for name in Extraction.__annotations__
        },
    )


def readers_of(
    layers: Sequence[str], reader: str, extraction: Extraction | None
) -> dict[ReadingKind, str]:
    """What each kind of reading that ``layers`` need must have been read by, to count as read."""
    readers: dict[ReadingKind, str] = {"questions": reader, "facts": _labelled(reader, extraction)}
    return {kind: readers[kind] for layer, kind in READ_LAYERS.items() if layer in layers}


def _labelled(reader: str, extraction: Extraction | None) -> str:
    """The model, with a hash of the settings that decide its replies where they are not usual."""
    decisive = {k: v for k, v in (extraction or {}).items() if k != "joint"}
    usual = {name: IndexContext.model_fields[name].default for name in decisive}
    if decisive == usual:
        return reader
    digest = hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
    return f"{reader} ({digest[:8]})"


def _settle_layers(catalogue: Catalogue, context: IndexContext) -> None:
    layers = wanted_layers(catalogue, context)
    wanted: dict[str, Any] = {"layers": layers}
    if READ_LAYERS.keys() & layers:
        wanted["reader"] = wanted_reader(catalogue, context)
    if "entities" in layers:
        wanted["extraction"] = wanted_extraction(catalogue, context)
    if "communities" in layers:
        wanted["clustering"] = _wanted_clustering(catalogue, context)
    for name, value in wanted.items():
        if value != catalogue.property(name):
            catalogue.set_property(name, value)


def _wanted_clustering(catalogue: Catalogue, context: IndexContext) -> dict[str, int]:
    """How communities are made: as set now, else as before."""
    recorded = catalogue.property("clustering") or DEFAULT_CLUSTERING
    return {
        name: before if (given := getattr(context, name)) is None else given
        for name, before in recorded.items()
    }


def _settle_passage_size(catalogue: Catalogue, context: IndexContext) -> None:
    recorded = catalogue.property("passage_size")
    tokens, overlap = recorded or (DEFAULT_CHUNK_TOKENS, 0)
    wanted = [
        tokens if context.chunk_tokens is None else context.chunk_tokens,
        overlap if context.chunk_overlap is None else context.chunk_overlap,
    ]
    if wanted[1] >= wanted[0]:
        raise RagraphsError("--chunk-overlap must be smaller than --chunk-tokens.")
    if recorded is None:
        catalogue.set_property("passage_size", wanted)
    elif wanted != recorded:
        raise RagraphsError(
            f"This index was built with passages of {tokens} tokens that share {overlap}; leave "
            "--chunk-tokens and --chunk-overlap out, or name a new --index."
        )
