"""OpenDocument texts, as LibreOffice writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .file import SourceFile, clean, unreadable
from .metadata import fitting
from .package import PackageKind, nearest, parsed, safe_parts, told_rows
from .sections import joined, with_sections
from .types import LoadedDocument

_KIND = PackageKind("OpenDocument", "open it in LibreOffice and save it again")
_URN = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_TEXT, _TABLE, _STYLE, _OFFICE, _META = (
    _URN % name for name in ("text", "table", "style", "office", "meta")
)
_DC = "{http://purl.org/dc/elements/1.1/}"
# Comments, deleted text, and lists of what stands elsewhere in the text.
_LEFT_OUT = frozenset(
    [_OFFICE + "annotation", _TEXT + "tracked-changes", _TEXT + "note-citation"]
    + [_TEXT + name for name in ("table-of-content", "alphabetical-index", "illustration-index")]
)
_MOST_SPACES = 80
_Block = tuple[str, int | None]


def load_odt(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of an .odt file: headings, paragraphs and tables. Raises LoadError."""
    parts = safe_parts(source, _KIND)
    with unreadable(source, f"is no OpenDocument text that can be read; {_KIND.mending}."):
        root = parsed(parts["content.xml"])
        body = root.find(f"{_OFFICE}body/{_OFFICE}text")
        styles = {
            style.get(_STYLE + "name"): style.get(_STYLE + "parent-style-name", "")
            for style in root.iter(_STYLE + "style")
        }
        blocks = [(clean(source.made(text)), level) for text, level in _blocks(body, styles)]
        stated = parsed(parts["meta.xml"]) if "meta.xml" in parts else root
    if not blocks:
        raise source.empty()
    metadata = fitting({
        "author": stated.findtext(f".//{_DC}creator")
        or stated.findtext(f".//{_META}initial-creator"),
        "date": stated.findtext(f".//{_DC}date") or stated.findtext(f".//{_META}creation-date"),
        "language": stated.findtext(f".//{_DC}language"),
    })  # fmt: skip
    heading = next((text for text, level in blocks if level is not None), "")
    titles = [heading, clean(stated.findtext(f".//{_DC}title") or "")]
    parts_of_text = tuple(joined(with_sections(blocks), source.limits.block_characters))
    yield source.document(titles, parts_of_text, metadata)


def _blocks(parent: Any, styles: dict[str, str]) -> Iterator[_Block]:
    """The text of each paragraph and table below ``parent``, and the level of a heading."""
    for child in parent:
        if child.tag in (_TEXT + "p", _TEXT + "h"):
            text = "".join(_pieces(child)).strip()
            level = child.get(_TEXT + "outline-level", "1") if child.tag == _TEXT + "h" else None
            style = child.get(_TEXT + "style-name", "")
            if "Title" in (style, styles.get(style)):
                level = "0"
            if text:
                yield f"{text}\n\n", None if level is None else int(level)
        elif child.tag == _TABLE + "table":
            if rows := "\n".join(_rows(child)):
                yield f"{rows}\n\n", None
        elif child.tag not in _LEFT_OUT:
            yield from _blocks(child, styles)


def _pieces(element: Any) -> Iterator[str]:
    yield _joined_spaces(element.text)
    for child in element:
        if child.tag == _TEXT + "s":
            yield " " * min(int(child.get(_TEXT + "c", "1")), _MOST_SPACES)
        elif child.tag == _TEXT + "tab":
            yield "\t"
        elif child.tag == _TEXT + "line-break":
            yield "\n"
        elif child.tag == _TEXT + "note":
            yield f" ({''.join(_pieces(child)).strip()})"
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
            yield from _pieces(child)
            if child.tag == _TEXT + "p":
                yield "\n"
        yield _joined_spaces(child.tail)


def _joined_spaces(text: str | None) -> str:
    """``text`` as it is shown: line ends in the file are spaces."""
    return "" if text is None else text.replace("\n", " ")


def _rows(table: Any) -> Iterator[str]:
    """A line for each row, of cells with the headers of their columns, where there are headers."""
    rows = [_cells(row) for row in nearest(table, _TABLE + "table-row", _LEFT_OUT)]
    marked = table.find(f"{_TABLE}table-header-rows") is not None
    header = rows.pop(0) if marked and len(rows) > 1 else []
    return (line for line in told_rows(header, rows) if line.strip(" |"))


def _cells(row: Any) -> list[str]:
    return [
        " ".join("".join(_pieces(cell)).split()) for cell in row.iterfind(_TABLE + "table-cell")
    ]
