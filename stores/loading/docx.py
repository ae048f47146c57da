"""Word files: unpacked within limits, then read in the order of their body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .file import SourceFile, clean, unreadable
from .metadata import fitting
from .package import PackageKind, nearest, safe_package, stated_properties, told_rows
from .sections import joined, with_sections
from .types import LoadedDocument

_KIND = PackageKind("Word", "open it in Word and save it again", ".doc")
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
# Alternatives that repeat the text, deleted text, and properties, whose tab stops are no tabs.
_LEFT_OUT = frozenset(
    [_COMPATIBILITY + "Fallback"]
    + [_WORD + name for name in ("del", "moveFrom", "rt")]
    + [_WORD + name + "Pr" for name in ("p", "r", "tbl", "tr", "tc", "sdt", "sect")]
)
# A title stands above all headings.
_HEADING = re.compile(r"Title|Heading(?: (?P<level>[1-9]))?")
_AS_TEXT = {
    _WORD + "tab": "\t",
    _WORD + "br": "\n",
    _WORD + "cr": "\n",
    _WORD + "noBreakHyphen": "-",
}


def load_docx(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a Word file: headings, paragraphs and tables. Raises LoadError."""
    import docx

    package = safe_package(source, _KIND)
    with unreadable(source, f"is no Word file that can be read; {_KIND.mending}."):
        document = docx.Document(package)
        styles = {str(style.style_id): str(style.name) for style in document.styles}
        blocks = [
            (clean(source.made(text)), level)
            for text, level in _blocks(document.element.body, styles)
        ]
        stated = stated_properties(document)
        metadata = fitting({"author": stated.author, "date": stated.modified or stated.created})
    if not any(text.strip() for text, _ in blocks):
        raise source.empty()
    headings = (text.strip() for text, level in blocks if level is not None)
    titles = [next(filter(None, headings), ""), (stated.title or "").strip()]
    parts_of_text = tuple(joined(with_sections(blocks), source.limits.block_characters))
    yield source.document(map(clean, titles), parts_of_text, metadata)


def _blocks(parent: Any, styles: dict[str, str]) -> Iterator[tuple[str, int | None]]:
    """The text of each paragraph and table below ``parent``, and the level of a heading."""
    for child in parent:
        if child.tag == _WORD + "p":
            text = "".join(_pieces(child)).strip("\n")
            if text.strip():
                heading = _HEADING.match(_style_of(child, styles))
                yield f"{text}\n\n", int(heading["level"] or 0) if heading else None
        elif child.tag == _WORD + "tbl":
            rows = "\n".join(_rows(list(nearest(child, _WORD + "tr", _LEFT_OUT))))
            if rows.strip():
                yield f"{rows}\n\n", None
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
    return told_rows(header, map(_cells, rows[1:] if header else rows))


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
    cells = nearest(row, _WORD + "tc", _LEFT_OUT)
    return [" ".join("".join(_pieces(cell)).split()) for cell in cells]
