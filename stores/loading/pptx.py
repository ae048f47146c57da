"""PowerPoint files: slides in order, with their tables and notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...state.records import Metadata
from .file import SourceFile, clean, needs
from .metadata import fitting
from .package import PackageKind, safe_package
from .types import LoadedDocument, LoadError, Part

_KIND = PackageKind("PowerPoint", "open it in PowerPoint and save it again", ".ppt")


def load_pptx(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a PowerPoint file, a Part for each slide with text.

    Raises LoadError.
    """
    with needs("pptx", source):
        from pptx import Presentation

    package = safe_package(source, _KIND)
    try:
        shown = Presentation(package)
        parts = [part for n, slide in enumerate(shown.slides, 1) if (part := _part(slide, n))]
        stated = shown.core_properties
        metadata = fitting({"author": stated.author, "date": stated.modified or stated.created})
        title = clean(stated.title or "").strip()
    except Exception as error:  # python-pptx lets the errors of all its parts through.
        raise LoadError(
            f"{source.name} is no PowerPoint file that can be read; open it in PowerPoint and save "
            "it again."
        ) from error
    if not parts:
        raise source.empty()
    if title in ("", "PowerPoint Presentation"):  # which nobody has given
        title = str(parts[0].metadata.get("section", "")) or source.path.stem
    yield LoadedDocument("", title, parts, metadata)


def _part(slide: Any, number: int) -> Part | None:
    title = slide.shapes.title
    heading = " ".join(title.text_frame.text.split()) if title is not None else ""
    texts = [heading]
    for shape in _shapes(slide.shapes):
        if title is None or shape.shape_id != title.shape_id:
            texts.append(_text(shape))
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None:
        said = notes.text.strip()
        texts.append(f"Notes: {said}" if said else "")
    text = clean("\n\n".join(filter(None, texts)).replace("\v", "\n"))
    metadata: Metadata = {"slide": number, **fitting({"section": clean(heading)})}
    return Part(f"{text}\n\n", metadata) if text.strip() else None


def _shapes(shapes: Any) -> Iterator[Any]:
    """The shapes, those of groups among them."""
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
    rows = [[" ".join(cell.text.split()) for cell in row.cells] for row in table.rows]
    labels = rows.pop(0) if table.first_row and len(rows) > 1 else []
    for cells in rows:
        if labels:
            pairs = zip(labels, cells, strict=False)
            cells = [f"{label}: {cell}" if label else cell for label, cell in pairs if cell]
        yield " | ".join(cells)
