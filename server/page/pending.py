"""Uploaded files that wait to be read into their index; their folder says which they are."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response

from ...index.opening import open_index
from ...nodes.index.split import content_of
from ...settings import Settings, settings, told
from ...state.errors import IndexNotFoundError, RagraphsError
from ...stores.loading.sources import document_path
from ...stores.loading.types import ENDINGS, LoadError
from ..exchange import body_of
from .route import access_by, as_json
from .uploads import checked_uploads, uploads_of

_reasons: dict[str, str] = {}  # by path, of this process's last run that was to read it
_MOST_REASONS = 1000
_LONGEST_PATH = 4096  # a longer one is no file's, whatever a client sends


class WaitingUpload(TypedDict):
    """An uploaded file that no run has read yet, and why, where that is known."""

    path: str
    reason: str


class Discarded(BaseModel):
    """The body of a request to ``/page/discard``: uploaded files that nobody shall read."""

    model_config = ConfigDict(extra="forbid")

    index: str = ""
    paths: list[str]


async def discard(request: Request) -> Response:
    """Deletes uploaded files that wait, instead of reading them."""
    access = access_by(request)
    given = await body_of(request, Discarded, '{"paths": ["uploads/notes/a.md"]}')
    await asyncio.to_thread(_discard, given.paths, access.index(given.index))
    return as_json({"discarded": given.paths})


def _discard(paths: Sequence[str], index: str) -> None:
    operator = settings()
    checked_uploads(paths, index)
    waiting = waiting_uploads(index, operator)
    for path in paths:
        if path not in waiting:
            raise RagraphsError(f"{path[:200]!r} does not wait; remove the document in its place.")
        (operator.base / path).unlink(missing_ok=True)
        _reasons.pop(path, None)


def waiting_uploads(index: str, operator: Settings) -> list[str]:
    """The uploaded files that ``index`` does not hold as they are, the oldest first.

    Paths start from the root. A file that was read in vain waits no more until another one takes
    its place, nor does one of which a document was removed. Blocks. Raises RagraphsError where the
    operator's folder of uploads cannot be used.
    """
    if operator.uploads is None:
        return []
    files = _files_in(uploads_of(index, operator))
    noted = _noted(index, files) if files else {}
    return [
        file.relative_to(operator.base).as_posix()
        for file in files
        if not _is_read(file, noted.get(file, ""), operator.root)
    ]


def _noted(index: str, files: Sequence[Path]) -> dict[Path, str]:
    """The content of each of ``files`` that ``index`` has read, if only in part or in vain."""
    try:
        opened = open_index(index)
    except IndexNotFoundError:
        return {}
    paths = {document_path(file, opened.home): file for file in files}
    noted = opened.catalogue.files(list(paths), partly=True)
    return {paths[path]: content for path, content in noted.items()}


def told_uploads(index: str, operator: Settings) -> list[WaitingUpload]:
    """The waiting files of ``index`` as the page shows them. Blocks."""
    with suppress(RagraphsError):  # uploading says what is wrong with the folder
        return [
            {"path": path, "reason": told(_reasons.get(path, ""), operator)}
            for path in waiting_uploads(index, operator)
        ]
    return []


def taken_along(index: str, own: Collection[str], removed: Iterable[str]) -> list[str]:
    """The waiting files that a run on ``index`` reads besides its ``own``.

    They are no more than the operator's bounds leave room for, and none of the files of documents
    that it removes. Blocks.
    """
    operator = settings()
    given_up: set[Path] = set()
    with suppress(IndexNotFoundError):
        home = open_index(index).home
        given_up = {Path(os.path.normpath(home / path)) for path in removed}
    files, size = len(own), sum(_size(operator.base / path) for path in own)
    most_files, most_bytes = operator.bound("max_documents"), operator.bound("max_bytes")
    taken: list[str] = []
    for path in waiting_uploads(index, operator):
        if path in own or operator.base / path in given_up:
            continue
        files, size = files + 1, size + _size(operator.base / path)
        if (most_files and files > most_files) or (most_bytes and size > most_bytes):
            break
        taken.append(path)
    return taken


def note_reason(paths: Iterable[str], reason: str) -> None:
    """Keeps why ``paths`` were not read; empty where they were."""
    for path in paths:
        _reasons.pop(path, None)
        if reason and len(path) <= _LONGEST_PATH:
            _reasons[path] = reason
            if len(_reasons) > _MOST_REASONS:
                del _reasons[next(iter(_reasons))]


def _files_in(folder: Path) -> list[Path]:
    """The uploaded files in ``folder``, the oldest first; those that still arrive are hidden."""
    found: list[tuple[int, str]] = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            is_kept = Path(entry.name).suffix.lower() in ENDINGS and entry.name[0] != "."
            if is_kept and entry.is_file(follow_symlinks=False):
                found.append((entry.stat().st_mtime_ns, entry.name))
    return [folder / name for _, name in sorted(found)]


def _is_read(file: Path, noted: str, root: Path | None) -> bool:
    """Whether ``noted``, which an index has of a file, was made of the file as it is now."""
    if not noted:
        return False
    try:
        kept = file.stat()
        content = _content(file, root, kept.st_mtime_ns, kept.st_size)
    except (OSError, LoadError):
        return True  # gone meanwhile
    return noted.rpartition(":")[2] == content.rpartition(":")[2]  # whichever version has read it


@lru_cache(maxsize=10_000)
def _content(file: Path, root: Path | None, changed: int, size: int) -> str:
    """The content of a file that was ``changed`` last at a time in nanoseconds."""
    return content_of(file, root)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
