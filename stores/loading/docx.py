"""Word files: unpacked within limits, then read in the order of their body."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from ...language.analyser import shortened
from .content import LONGEST_COLUMN
from .file import SourceFile, clean, megabytes
from .types import LoadedDocument, LoadError

_OLE = b"\xd0\xcf\x11\xe0"
_CHUNK = 64 * 1024
_DIRECTORY_BYTES = 16 * 1024 * 1024
_DIRECTORY_END = struct.Struct("<4s4H2LH")
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError
)  # fmt: skip
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
# Alternatives that repeat the text, deleted text, and properties, whose tab stops are no tabs.
_LEFT_OUT = frozenset(
    [_COMPATIBILITY + "Fallback"]
    + [_WORD + name for name in ("del", "moveFrom", "rt")]
    + [_WORD + name + "Pr" for name in ("p", "r", "tbl", "tr", "tc", "sdt", "sect")]
)
_AS_TEXT = {
    _WORD + "tab": "\t",
    _WORD + "br": "\n",
    _WORD + "cr": "\n",
    _WORD + "noBreakHyphen": "-",
}


def load_docx(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a Word file: headings, paragraphs and tables. Raises LoadError."""
    import docx

    package = _safe_package(source)
    try:
        document = docx.Document(package)
        styles = {str(style.style_id): str(style.name) for style in document.styles}
        blocks = list(_blocks(document.element.body, styles))
    except Exception as error:  # python-docx lets the errors of all its parts through.
        raise LoadError(
            f"{source.name} is no Word file that can be read; open it in Word and save it again."
        ) from error
    if not any(text.strip() for text, _ in blocks):
        raise source.empty()
    title = next((text.strip() for text, heading in blocks if heading and text.strip()), "")
    title = title or (document.core_properties.title or "").strip() or source.path.stem
    yield LoadedDocument("", clean(title), tuple(clean(text) for text, _ in blocks))


def _blocks(parent: Any, styles: dict[str, str]) -> Iterator[tuple[str, bool]]:
    """The text of each paragraph and table below ``parent``, and whether it is a heading."""
    for child in parent:
        if child.tag == _WORD + "p":
            text = "".join(_pieces(child)).strip("\n")
            if text.strip():
                yield f"{text}\n\n", _style_of(child, styles).startswith(("Title", "Heading"))
        elif child.tag == _WORD + "tbl":
            rows = "\n".join(_rows(list(_nearest(child, _WORD + "tr"))))
            if rows.strip():
                yield f"{rows}\n\n", False
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
            yield from _blocks(child, styles)


def _style_of(paragraph: Any, styles: dict[str, str]) -> str:
    style = paragraph.find(f"{_WORD}pPr/{_WORD}pStyle")
    return "" if style is None else styles.get(style.get(_WORD + "val", ""), "")


def _pieces(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag in (_WORD + "t", _MATH + "t"):
            yield child.text or ""
        elif child.tag in _AS_TEXT:
            yield _AS_TEXT[child.tag]
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
            yield from _pieces(child)
            if child.tag == _WORD + "p":
                yield "\n"


def _rows(rows: list[Any]) -> Iterator[str]:
    """A line for each row, of cells with the headers of their columns, where there are headers."""
    header = _cells(rows[0]) if len(rows) > 1 and _is_header(rows[0]) else []
    labels = [f"{shortened(label, LONGEST_COLUMN)}: " if label else "" for label in header]
    for row in rows[1:] if labels else rows:
        cells = _cells(row)
        if len(cells) == len(labels):
            cells = [label + cell for label, cell in zip(labels, cells, strict=True) if cell]
        yield " | ".join(cells)


def _is_header(row: Any) -> bool:
    """Whether ``row`` is marked as a header, formatted as the first one, or all in bold."""
    if row.find(f"{_WORD}trPr/{_WORD}tblHeader") is not None:
        return True
    style = row.find(f"{_WORD}trPr/{_WORD}cnfStyle")
    if style is not None and style.get(_WORD + "val", "").startswith("1"):
        return True
    runs = [run for run in row.iter(_WORD + "r") if run.find(_WORD + "t") is not None]
    return bool(runs) and all(run.find(f"{_WORD}rPr/{_WORD}b") is not None for run in runs)


def _cells(row: Any) -> list[str]:
    cells = _nearest(row, _WORD + "tc")
    return [" ".join("".join(_pieces(cell)).split()) for cell in cells]


def _nearest(element: Any, tag: str) -> Iterator[Any]:
    """The elements called ``tag`` below ``element`` that lie in no other such element."""
    for child in element:
        if child.tag == tag:
            yield child
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
            yield from _nearest(child, tag)


def _safe_package(source: SourceFile) -> io.BytesIO:
    """A copy of the package that holds just its XML, so that nothing is left to unpack.

    A zip can lie about sizes, and python-docx unpacks each part in one go; here it is unpacked
    piece by piece and counted. Raises LoadError for what is no package, or unpacks too far.
    """
    with source.open() as file:
        _check_start(file, source)
        try:
            with zipfile.ZipFile(file) as packed:
                return _repacked(packed, source)
        except LoadError:
            raise
        except _DAMAGE as error:
            raise LoadError(
                f"{source.name} is a damaged Word file; open it in Word and save it again."
            ) from error


def _check_start(file: BinaryIO, source: SourceFile) -> None:
    if file.read(4) == _OLE:
        raise LoadError(
            f"{source.name} is encrypted or an old .doc file; save it as .docx without a password."
        )
    size = source.size_of(file, "split it, or take out its pictures")
    # zipfile reads the whole table of contents, whose size the file only declares.
    file.seek(max(0, size - _DIRECTORY_END.size - 65535))
    tail = file.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < _DIRECTORY_END.size:
        raise LoadError(f"{source.name} is no Word file; check its ending.")
    in_zip64 = tail[max(0, at - 20) :].startswith(b"PK\6\7")
    if in_zip64 or _DIRECTORY_END.unpack_from(tail, at)[5] > _DIRECTORY_BYTES:
        raise _bomb(source)
    file.seek(0)


def _repacked(packed: zipfile.ZipFile, source: SourceFile) -> io.BytesIO:
    limits = source.limits
    parts = packed.NameToInfo
    declared = sum(part.file_size for part in packed.infolist())
    compressed = max(1, sum(part.compress_size for part in packed.infolist()))
    if declared > limits.unpacked_bytes and declared > limits.unpacked_ratio * compressed:
        raise _bomb(source)
    package = io.BytesIO()
    size = marks = 0
    with zipfile.ZipFile(package, "w", zipfile.ZIP_STORED) as plain:
        for name, part in parts.items():
            # Pictures and the like stay behind: nothing in them is text.
            is_xml = name.lower().endswith((".xml", ".rels"))
            data = _unpacked(packed, part, limits.xml_bytes - size, source) if is_xml else b""
            size += len(data)
            marks += data.count(b"<") + data.count(b"=")
            if marks > limits.xml_marks:
                raise _too_large(source)
            plain.writestr(name, data)
    package.seek(0)
    return package


def _unpacked(
    packed: zipfile.ZipFile, part: zipfile.ZipInfo, most: int, source: SourceFile
) -> bytes:
    if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile("a compression that Word does not use")
    if part.file_size > most:
        raise _too_large(source)
    data = bytearray()
    with packed.open(part) as file:
        while chunk := file.read(_CHUNK):
            data += chunk
            if len(data) > most:
                raise _too_large(source)
    if b"<!DOCTYPE" in data.replace(b"\0", b""):
        raise LoadError(
            f"{source.name} defines XML entities, which Word never does, so it was left out."
        )
    return bytes(data)


def _bomb(source: SourceFile) -> LoadError:
    return LoadError(
        f"{source.name} unpacks to far more than a Word file does, so it was left out."
    )


def _too_large(source: SourceFile) -> LoadError:
    most = megabytes(source.limits.xml_bytes)
    return LoadError(
        f"{source.name} unpacks to more than the {most} of text and markup that are read of a "
        "Word file; split it."
    )
