"""PowerPoint files: slides in order, with their tables and notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...state.records import Metadata
from .file import SourceFile, clean, needs, unreadable
from .metadata import fitting
from .package import PackageKind, safe_package, stated_properties, told_rows
from .types import DocumentBlock, LoadedDocument

_KIND = PackageKind("PowerPoint", "open it in PowerPoint and save it again", ".ppt")


def load_pptx(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a PowerPoint file, in blocks for the slides with text.

    Raises LoadError.
    """
    with needs("pptx", source):
        from pptx import Presentation

    package = safe_package(source, _KIND)
    with unreadable(source, f"is no PowerPoint file that can be read; {_KIND.mending}."):
        shown = Presentation(package)
        parts = list(_parts(shown.slides, source))
        stated = stated_properties(shown)
        metadata = fitting({"author": stated.author, "date": stated.modified or stated.created})
        title = clean(stated.title or "").strip()
    if not parts:
        raise source.empty()
    if title in ("", "PowerPoint Presentation"):  # which nobody has given
        title = ""
    heading = str(parts[0].metadata.get("section", ""))
    yield source.document([title, heading], parts, metadata)


def _parts(slides: Any, source: SourceFile) -> Iterator[DocumentBlock]:
    """The text of each slide, however often it is listed."""
    seen: set[Any] = set()
    for number, slide in enumerate(slides, 1):
        if slide.part.partname in seen:
            continue
        seen.add(slide.part.partname)
        if part := _part(slide, number, source):
            yield part


def _part(slide: Any, number: int, source: SourceFile) -> DocumentBlock | None:
    title = slide.shapes.title
    heading = " ".join(title.text_frame.text.split()) if title is not None else ""
    texts = [heading]
    for shape in _shapes(slide.shapes):
        if title is None or shape.shape_id != title.shape_id:
            texts.append(source.made(_text(shape)))
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None:
        said = source.made(notes.text.strip())
        texts.append(f"Notes: {said}" if said else "")
    text = clean("\n\n".join(filter(None, texts)).replace("\v", "\n"))
    metadata: Metadata = {"slide": number, **fitting({"section": clean(heading)})}
    return DocumentBlock(f"{text}\n\n", metadata) if text.strip() else None


def _shapes(shapes: Any) -> Iterator[Any]:
    """The ``shapes``, with the members of groups in the place of the groups."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _text(shape: Any) -> str:
    if shape.has_text_frame:
        return str(shape.text_frame.text).strip()
    if getattr(shape, "has_table", False):
        return "\n".join(_rows(shape.table))
    return ""


def _rows(table: Any) -> Iterator[str]:
    """A line for each row, of cells with the headers of their columns, where there are headers."""
    # Not table.rows, which looks for all rows to find each of them.
    rows = [[" ".join(cell.text.split()) for cell in row.tc_lst] for row in table._tbl.tr_lst]
    header = rows.pop(0) if table.first_row and len(rows) > 1 else []
    return told_rows(header, rows)
