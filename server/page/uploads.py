"""Files that users of the page upload: kept in the operator's folder, one folder an index."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import unicodedata
from collections.abc import AsyncGenerator, Collection, Iterable
from pathlib import Path
from typing import BinaryIO, TypedDict
from uuid import uuid4

from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import Response

from ...settings import Settings, index_folder, settings
from ...state.errors import RagraphsError
from ...stores.loading.types import ENDINGS, SUPPORTED
from ..admission import uploads_to
from .route import as_json, index_in

_LONGEST_NAME = 200  # bytes: file systems take 255, and a file is written under a longer one first
_MOST = {"max_files": 1000, "max_fields": 0}
_HALT = 30.0  # seconds without a byte
_ODD = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*]+')


class Refused(TypedDict):
    """A file that was not kept, and why."""

    path: str
    reason: str


async def upload(request: Request) -> Response:
    """Keeps the files of a form; each takes the place of an earlier one of its name."""
    operator = settings()
    folder = await asyncio.to_thread(uploads_of, index_in(request), operator)
    async with uploads_to(request.app).taken():
        return await _kept(_Bounded(request, operator), folder, operator)


async def _kept(request: Request, folder: Path, operator: Settings) -> Response:
    """The paths of the files that are kept of a form, and those that are refused."""
    kept: dict[str, str] = {}
    refused: list[Refused] = []
    for file in await _files_of(request):
        given = file.filename or ""
        name = safe_name(given)
        if reason := _obstacle(name, kept):
            refused.append({"path": given, "reason": reason})
            continue
        kept[name] = await asyncio.to_thread(_keep, file.file, folder, name, operator)
    return as_json({"paths": list(kept.values()), "refused": refused})


async def _files_of(request: Request) -> list[UploadFile]:
    """The files in the field ``files`` of a form, which are on the disk if they are not small."""
    try:
        form = await _form(request)
    except MultiPartException as error:
        raise RagraphsError(f"The form with the files cannot be read: {error.message}") from error
    files = [file for file in form.getlist("files") if isinstance(file, UploadFile)]
    if not files:
        raise RagraphsError("There is no file in the form; send some in its field 'files'.")
    return files


async def _form(request: Request) -> FormData:
    """The form of a request; empty for a body of another kind, which is not read.

    Names are decoded in the charset that the client declares, which is slow for some: hence UTF-8
    alone. Raises RagraphsError for another one, and MultiPartException.
    """
    from python_multipart.multipart import parse_options_header

    kind, options = parse_options_header(request.headers.get("Content-Type"))
    if options.get(b"charset", b"utf-8").lower() not in (b"utf-8", b"utf8"):
        raise RagraphsError("A form with files is read in UTF-8 alone; send it in UTF-8.")
    if kind != b"multipart/form-data":
        return FormData()
    return await _Form(request.headers, request.stream(), **_MOST).parse()


class _Form(MultiPartParser):
    """A form with files alone, of which many small ones take little memory."""

    spool_max_size = 1 << 16


class _Bounded(Request):
    """A request that ends in a sentence where it is too long for the operator, or halts."""

    def __init__(self, request: Request, operator: Settings) -> None:
        super().__init__(request.scope, request.receive)
        self._most = operator.bound("max_bytes")

    async def stream(self) -> AsyncGenerator[bytes, None]:
        read, pieces = 0, super().stream()
        while (piece := await self._next(pieces)) is not None:
            read += len(piece)
            if self._most is not None and read > self._most:
                raise RagraphsError(
                    f"At most {self._most:,} bytes may be uploaded at a time; upload less, or have "
                    "the operator raise RAGRAPHS_MAX_BYTES."
                )
            yield piece

    async def _next(self, pieces: AsyncGenerator[bytes, None]) -> bytes | None:
        try:
            async with asyncio.timeout(_HALT):
                return await anext(pieces, None)
        except TimeoutError:
            raise RagraphsError("The upload came to a halt; send it again.") from None


def require_uploads(operator: Settings) -> Path:
    """The operator's folder of uploads. Raises RagraphsError where there is none, or it is outside.

    Blocks.
    """
    if operator.uploads is None:
        raise RagraphsError(
            "Documents cannot be changed here; the operator allows it by RAGRAPHS_UPLOADS, the "
            "folder for uploaded files."
        )
    folder = Path(operator.base, operator.uploads).resolve()
    if folder == operator.base or not folder.is_relative_to(operator.base):
        raise RagraphsError(
            "RAGRAPHS_UPLOADS must be a folder below RAGRAPHS_ROOT; the operator sets it."
        )
    return folder


def uploads_of(index: str, operator: Settings) -> Path:
    """The folder of the files uploaded to the index called ``index``.

    Blocks. Raises RagraphsError where the operator allows no uploads, or no such name.
    """
    folder = require_uploads(operator)
    index_folder(index, operator)  # a plain name, below which nothing else lies
    return folder / index


def checked_uploads(paths: Iterable[str], index: str) -> Path:
    """The folder of uploads of ``index``; raises RagraphsError for one of ``paths`` outside of it.

    Blocks.
    """
    folder, base = uploads_of(index, settings()), settings().base
    for path in paths:
        if Path(os.path.normpath(base / path)).parent != folder:
            raise RagraphsError(f"{path[:200]!r} is no uploaded file; upload it first.")
    return folder


def safe_name(given: str) -> str:
    """The last part of a file's name, without what is of no use in a name; may be empty.

    >>> safe_name("../../.ssh/Notes: May.md")
    'Notes_ May.md'
    """
    last = unicodedata.normalize("NFC", given).replace("\\", "/").rpartition("/")[2]
    name = _ODD.sub("_", last.encode(errors="ignore").decode()).strip(" .")
    stem, dot, ending = name.rpartition(".") if "." in name else (name, "", "")
    room = _LONGEST_NAME - len(f"{dot}{ending}".encode())
    short = stem.encode()[: max(room, 0)].decode(errors="ignore").rstrip()
    return f"{short}{dot}{ending}" if short else ""


def _obstacle(name: str, kept: Collection[str]) -> str:
    """Why a file cannot be kept as ``name`` beside those ``kept`` before; empty where it can."""
    if not name:
        return "The file has no name that can be kept; rename it."
    if name in kept:
        return "Another file of this upload has the same name; rename one of them."
    ending = Path(name).suffix.lower()
    if ending not in ENDINGS:
        return f"{ending or 'A file without ending'} cannot be read; supported are {SUPPORTED}."
    return ""


def _keep(source: BinaryIO, folder: Path, name: str, operator: Settings) -> str:
    """The path below the root of a file that is kept as ``name``.

    It is written beside its place first, so that no reader meets a half of it.
    """
    beside = folder / f".{uuid4().hex}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as target:
            shutil.copyfileobj(source, target)
        os.replace(beside, folder / name)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise RagraphsError(
            f"{name!r} could not be kept ({error.strerror}); tell the operator of this server."
        ) from error
    return (folder / name).relative_to(operator.base).as_posix()
