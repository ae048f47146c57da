"""Excel files: the rows of each sheet, with the headers of their columns."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from datetime import datetime, time
from itertools import chain, repeat
from typing import Any

from .file import SourceFile, clean, needs, unreadable
from .metadata import fitting
from .package import PackageKind, labels_of, safe_package
from .text import in_blocks
from .types import DocumentBlock, LoadedDocument, LoadError

_KIND = PackageKind("Excel", "open it in Excel and save it again", ".xls")
_LONGEST_SHEET = 1_048_576  # rows, in Excel


def load_xlsx(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of an Excel file: a paragraph of ``column: value`` lines for each row.

    Formulas are read as the values that were stored with them. Raises LoadError.
    """
    with needs("openpyxl", source):
        from openpyxl import load_workbook

    package = safe_package(source, _KIND)
    # What openpyxl does not support, such as charts, holds no rows.
    warnings.filterwarnings("ignore", module=r"openpyxl\.")
    with unreadable(source, f"is no Excel file that can be read; {_KIND.mending}."):
        book = load_workbook(package, read_only=True, data_only=True)
        # A sheet that is listed again is read once.
        sheets = {sheet._worksheet_path: sheet for sheet in reversed(book.worksheets)}
        parts = list(_parts(list(reversed(sheets.values())), source))
        stated = book.properties
        metadata = fitting({"author": stated.creator, "date": stated.modified or stated.created})
        title = clean(stated.title or "")
    if not parts:
        raise source.empty()
    yield source.document([title], parts, metadata)


def _parts(sheets: Sequence[Any], source: SourceFile) -> Iterator[DocumentBlock]:
    cells = 0
    for sheet in sheets:
        sheet.reset_dimensions()  # They are only declared, and rows would be filled up to them.
        rows: list[list[str]] = []
        for number, row in enumerate(sheet.iter_rows(values_only=True)):
            cells += len(row) + 1
            if cells > source.limits.cells or number > _LONGEST_SHEET:
                raise LoadError(
                    f"{source.name} has more than {source.limits.cells:,} cells, empty ones among "
                    "them; split it, or save it as .csv."
                )
            texts = [_text(value, source) for value in row]
            if any(texts):
                rows.append(texts)
        name = clean(sheet.title)
        heading = [f"{name}\n\n"] if len(sheets) > 1 and rows else []
        metadata = fitting({"sheet": name})
        laid_out = chain(heading, _laid_out(rows, source))
        for block in in_blocks(laid_out, source.limits.block_characters):
            yield DocumentBlock(block, metadata)


def _text(value: object, source: SourceFile) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()  # A day is stored as its midnight.
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.15g}"  # the digits that Excel keeps
    text = str(value)
    source.makes(len(text))  # first, because thousands of cells may show one long text
    return " ".join(clean(text).split())


def _laid_out(rows: list[list[str]], source: SourceFile) -> Iterator[str]:
    """A paragraph for each row below the header; without a header, lines of cells.

    The header is the first row with more than one cell, if all below it have no other columns.
    """
    place = next((n for n, row in enumerate(rows) if sum(map(bool, row)) > 1), len(rows))
    header = rows[place] if place + 1 < len(rows) and _names(rows[place]) else []
    labels = labels_of(header)
    for number, row in enumerate(rows):
        if not header or number < place:
            yield " | ".join(filter(None, row)) + ("\n\n" if header else "\n")
        elif number > place:
            pairs = zip(chain(labels, repeat("")), row, strict=False)
            lines = [source.made(label) + cell for label, cell in pairs if cell]
            yield "\n".join(lines) + "\n\n"


def _names(row: list[str]) -> bool:
    """Whether ``row`` may name columns: each cell has letters, and no two are the same."""
    cells = [cell for cell in row if cell]
    return len(set(cells)) == len(cells) and all(any(map(str.isalpha, cell)) for cell in cells)
