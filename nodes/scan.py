"""What there is to index: the files, the documents that are gone, the settings that hold."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph.types import Overwrite

from ..context import IndexContext, Settings, settings
from ..models.embeddings import identity, open_embedder, resolve_auto
from ..models.meter import current_meter
from ..state.errors import RagraphsError
from ..state.indexing import Failure, IndexState
from ..stores.catalogue import Catalogue, DocumentRow
from ..stores.sources import find_files
from .node import node
from .opening import Index, open_index

DEFAULT_CHUNK_TOKENS = 400


@node()
async def scan(state: IndexState, context: IndexContext) -> dict[str, Any]:
    """Finds the files to read and the documents to remove, and settles the index's settings."""
    return await asyncio.to_thread(_scan, state, context)


def _scan(state: IndexState, context: IndexContext) -> dict[str, Any]:
    operator = settings()
    _check_documents(state)
    files, failures, folders = _find(state.get("sources") or [], operator)
    index = open_for_indexing(context, create=bool(files or state.get("documents")))
    known = index.catalogue.documents()
    gone = [*_named(state.get("remove") or [], known), *_vanished(known, folders, index.folder)]
    return {
        "index": str(index.folder),
        "embeddings": index.embedder.name,
        "files": [str(file) for file in files],
        "gone": list(dict.fromkeys(gone)),
        "failures": failures,
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
    return index


def document_path(file: Path, index: Path) -> str:
    """The name of a file in the index: relative to the folder that the index is in, if below it."""
    if file.is_relative_to(index.parent):
        return file.relative_to(index.parent).as_posix()
    return file.as_posix()


def _check_documents(state: IndexState) -> None:
    for document in state.get("documents") or []:
        if not isinstance(document.get("id"), str) or not document["id"].strip():
            raise RagraphsError("A document has no id; give each one an 'id' and a 'text'.")
        if not isinstance(document.get("text"), str) or not document["text"].strip():
            raise RagraphsError(f"The document {document['id']!r} has no text; give it a 'text'.")


def _find(
    sources: Sequence[str], operator: Settings
) -> tuple[list[Path], list[Failure], list[Path]]:
    """The files of all sources, those refused, and the sources that are folders."""
    files: dict[Path, None] = {}
    failures: list[Failure] = []
    folders: list[Path] = []
    for source in sources:
        found = find_files(source, operator.base, operator.root)
        files.update(dict.fromkeys(found.files))
        failures += [{"path": item.source, "reason": item.reason} for item in found.refused]
        folder = Path(os.path.abspath(operator.base / Path(source).expanduser()))
        if folder.is_dir():
            folders.append(folder)
    return list(files), failures, folders


def _vanished(known: Sequence[DocumentRow], folders: Sequence[Path], index: Path) -> list[str]:
    """The documents whose file was below one of the folders and is there no more."""
    gone = []
    for document in known:
        file = index.parent / document["path"]
        if any(file.is_relative_to(folder) for folder in folders) and not file.exists():
            gone.append(document["id"])
    return gone


def _named(names: Sequence[str], known: Sequence[DocumentRow]) -> list[str]:
    """The ids of the documents that ``names`` mean: an id, a file, or the end of one of them."""
    ids: list[str] = []
    for name in names:
        exact = [row["id"] for row in known if name in (row["id"], row["path"])]
        ending = {row["path"] for row in known if row["path"].endswith("/" + name)}
        ending |= {row["id"] for row in known if row["id"].endswith(("/" + name, "#" + name))}
        if not exact and len(ending) > 1:
            raise RagraphsError(
                f"{name!r} may be any of {', '.join(sorted(ending)[:5])}; name one in full."
            )
        matched = exact or [
            row["id"] for row in known if row["id"] in ending or row["path"] in ending
        ]
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
    if wanted != recorded:
        catalogue.set_property("embeddings", wanted)


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
