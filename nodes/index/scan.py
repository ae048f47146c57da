"""Finding the files to index and the documents to remove."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from langgraph.types import Overwrite

from ...context import IndexContext
from ...index.recorded import open_for_indexing, wanted_layers
from ...models.meter import current_meter
from ...settings import Settings, settings
from ...state.errors import RagraphsError
from ...state.index import Failure, IndexState
from ...stores.catalogue import Catalogue
from ...stores.loading.sources import INLINE, find_files, storable
from ...stores.loading.types import LONGEST_ID
from ..node import node


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
        if len(id) > LONGEST_ID:
            raise RagraphsError(
                f"A document has an id of over {LONGEST_ID} characters; shorten it."
            )
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
    """Ids of documents whose source file, inside an indexed folder, no longer exists."""
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
