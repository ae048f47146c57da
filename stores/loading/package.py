"""Packed files (.docx, .pptx, .xlsx, .odt, .epub): unpacked within limits."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, BinaryIO, NamedTuple

from ...language.analyser import shortened
from .content import LONGEST_COLUMN
from .file import SourceFile, megabytes
from .types import LoadError

_OLE = b"\xd0\xcf\x11\xe0"
_PROPERTIES = (
    "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
)
_TEMPLATES = {"python-docx", "Steve Canny"}  # the authors that the templates of libraries name
_CHUNK = 64 * 1024
_DIRECTORY_BYTES = 16 * 1024 * 1024
_DIRECTORY_END = struct.Struct("<4s4H2LH")
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError
)  # fmt: skip


class PackageKind(NamedTuple):
    """A kind of packed file: its name, and what messages say of it.

    ``mending`` says how a damaged one is mended, ``old`` is the ending of its predecessor.
    ``pages`` are the endings of parts that are read as web pages, which may declare their type.
    """

    name: str
    mending: str
    old: str = ""
    pages: tuple[str, ...] = ()


def safe_package(source: SourceFile, kind: PackageKind) -> io.BytesIO:
    """A copy of the package that holds just its XML, so that nothing is left to unpack.

    A zip can lie about sizes, and libraries unpack each part in one go; here it is unpacked piece
    by piece and counted. Raises LoadError for what is no package, or unpacks too far.
    """
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w", zipfile.ZIP_STORED) as plain:
        for name, data in _parts(source, kind):
            plain.writestr(name, data)
    package.seek(0)
    return package


def safe_parts(source: SourceFile, kind: PackageKind) -> dict[str, bytes]:
    """The XML and web pages of the package by their names; raises LoadError like safe_package."""
    return {name: data for name, data in _parts(source, kind) if data}


def parsed(data: bytes) -> Any:
    """The root of an XML part, whose entities stay as they are. Raises an error of lxml."""
    from lxml import etree

    # Comments and the like have no tag that could be compared.
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    return etree.fromstring(data, parser)


def stated_properties(document: Any) -> Any:
    """The title, author and dates that a file of Office states; empty where it states none.

    The libraries would make up a title, and today's date; files by python-docx and python-pptx keep
    the author and date of a template unless they are set.
    """
    nothing = {"author": "", "created": None, "modified": None}
    try:
        document.part.package.part_related_by(_PROPERTIES)
    except KeyError:
        return SimpleNamespace(title="", **nothing)
    stated = document.core_properties
    if stated.author in _TEMPLATES and stated.modified == stated.created:
        return SimpleNamespace(title=stated.title, **nothing)
    return stated


def nearest(element: Any, tag: str, left_out: Collection[str]) -> Iterator[Any]:
    """The elements called ``tag`` below ``element`` that lie in no other, nor in one ``left_out``.

    Else what is nested in them would be read once for each level.
    """
    for child in element:
        if child.tag == tag:
            yield child
        elif isinstance(child.tag, str) and child.tag not in left_out:
            yield from nearest(child, tag, left_out)


def labels_of(header: Iterable[str]) -> list[str]:
    """The names of columns as they stand before their cells, cut where they are long."""
    return [f"{shortened(label, LONGEST_COLUMN)}: " if label else "" for label in header]


def told_rows(header: Iterable[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A line for each row, of cells with the headers of their columns, where it has as many."""
    labels = labels_of(header)
    for cells in rows:
        if len(cells) == len(labels):
            cells = [label + cell for label, cell in zip(labels, cells, strict=True) if cell]
        yield " | ".join(cells)


def _parts(source: SourceFile, kind: PackageKind) -> Iterator[tuple[str, bytes]]:
    with source.open() as file:
        _check_start(file, source, kind)
        try:
            with zipfile.ZipFile(file) as packed:
                yield from _unpacked_parts(packed, source, kind)
        except LoadError:
            raise
        except _DAMAGE as error:
            raise LoadError(
                f"{source.name} is a damaged {kind.name} file; {kind.mending}."
            ) from error


def _check_start(file: BinaryIO, source: SourceFile, kind: PackageKind) -> None:
    if file.read(4) == _OLE:
        raise LoadError(
            f"{source.name} is encrypted or an old {kind.old} file; save it as "
            f"{source.path.suffix.lower()} without a password."
        )
    size = source.size_of(file, "split it, or take out its pictures")
    # zipfile reads the whole table of contents, whose size the file only declares.
    file.seek(max(0, size - _DIRECTORY_END.size - 65535))
    tail = file.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < _DIRECTORY_END.size:
        raise LoadError(f"{source.name} is no {kind.name} file; check its ending.")
    in_zip64 = tail[max(0, at - 20) :].startswith(b"PK\6\7")
    if in_zip64 or _DIRECTORY_END.unpack_from(tail, at)[5] > _DIRECTORY_BYTES:
        raise _bomb(source, kind)
    file.seek(0)


def _unpacked_parts(
    packed: zipfile.ZipFile, source: SourceFile, kind: PackageKind
) -> Iterator[tuple[str, bytes]]:
    """Each part with its bytes; pictures and the like without, since nothing in them is text."""
    limits = source.limits
    declared = sum(part.file_size for part in packed.infolist())
    compressed = max(1, sum(part.compress_size for part in packed.infolist()))
    if declared > limits.unpacked_bytes and declared > limits.unpacked_ratio * compressed:
        raise _bomb(source, kind)
    size = marks = 0
    for name, part in packed.NameToInfo.items():
        is_page = name.lower().endswith(kind.pages)
        if not is_page and not name.lower().endswith((".xml", ".rels", ".opf")):
            yield name, b""
            continue
        data = _unpacked(packed, part, limits.xml_bytes - size, source, kind)
        if not is_page and b"<!DOCTYPE" in data.replace(b"\0", b""):
            raise LoadError(
                f"{source.name} defines XML entities, which no {kind.name} file needs, so it was "
                "left out."
            )
        size += len(data)
        marks += data.count(b"<") + data.count(b"=")
        if marks > limits.xml_marks:
            raise _too_large(source, kind)
        source.reads(len(data))
        yield name, data


def _unpacked(
    packed: zipfile.ZipFile, part: zipfile.ZipInfo, most: int, source: SourceFile, kind: PackageKind
) -> bytes:
    if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile("a compression that such files do not use")
    if part.file_size > most:
        raise _too_large(source, kind)
    data = bytearray()
    with packed.open(part) as file:
        while chunk := file.read(_CHUNK):
            data += chunk
            if len(data) > most:
                raise _too_large(source, kind)
    return bytes(data)


def _bomb(source: SourceFile, kind: PackageKind) -> LoadError:
    return LoadError(
        f"{source.name} unpacks to far more than {kind.name} files do, so it was left out."
    )


def _too_large(source: SourceFile, kind: PackageKind) -> LoadError:
    most = megabytes(source.limits.xml_bytes)
    return LoadError(
        f"{source.name} unpacks to more than the {most} of text and markup that are read of one "
        f"{kind.name} file; split it."
    )
