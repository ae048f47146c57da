"""Files whose rows are documents: .csv, .json and .jsonl."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ...language.analyser import shortened
from ...state.records import Metadata
from .encoding import EncodingError
from .file import SourceFile, clean, megabytes
from .metadata import fitting
from .types import LONGEST_ID, LoadedDocument, LoadError, LoadFailure

if TYPE_CHECKING:
    from _csv import Reader

Rows = Iterator[LoadedDocument | LoadFailure]

_DELIMITERS = ",;\t|"
# What is laid out beside each value: it must not multiply the length of a file.
_LONGEST_TITLE = 60  # of a cell that names its row
_LONGEST_COLUMN = 80
_DEEP = re.compile(r"(\n {40}) +")  # a line end of the layout; those in texts are escaped
_FIELDS = frozenset({"id", "title", "text", "metadata", "document", "path"})
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?P<fraction>\.\d{1,15})?")
_UNNAMED = re.compile(rf"{_NUMBER.pattern}|true|false", re.IGNORECASE)  # cells that name no row
_UNDECODED = re.compile("[\udc80-\udcff]")


class _Header(NamedTuple):
    """The names of the columns, and whether one of them is called ``text``."""

    columns: list[str]
    has_text: bool


class JsonLine(NamedTuple):
    """The value of a line of a file, with its number and its place for messages."""

    number: int
    where: str
    value: Any


def load_jsonl(source: SourceFile) -> Rows:
    """A document for each line that is an object, a failure for any other line.

    An object without ``text`` is read as a row of a CSV file is, if it is flat.
    """
    for line in json_lines(source):
        if isinstance(line, LoadFailure):
            yield line
        elif cells := _cells(line.value):
            header = _Header(list(cells), "text" in map(str.lower, cells))
            filled = list(cells.values())
            yield _csv_document(source, header, filled, line.where, f"line-{line.number}")
        else:
            yield _document(source, line.value, line.where, f"line-{line.number}")


def _cells(row: object) -> dict[str, str]:
    """The cells of a flat object without ``text``; none beside ``id`` and ``title`` are too few."""
    if not isinstance(row, dict) or "text" in row:
        return {}
    if any(isinstance(value, dict | list) for value in row.values()):
        return {}
    cells = {key: _cell(value) for key, value in row.items()}
    return cells if any(cells[key] for key in cells.keys() - {"id", "title"}) else {}


def _cell(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    return clean(str(value)).strip()


def json_lines(source: SourceFile) -> Iterator[JsonLine | LoadFailure]:
    """The lines of a JSON lines file that are not blank."""
    for number, line in _lines(source, forgiving=True):
        where = f"{source.name}, line {number}"
        try:
            if line is None:
                raise LoadError(f"{where} {_too_long(source)}")
            if line.strip():
                yield JsonLine(number, where, _parsed_line(line, where))
        except LoadError as error:
            yield LoadFailure(where, str(error))


def _parsed_line(line: str, where: str) -> Any:
    if _UNDECODED.search(line):
        raise LoadError(f"{where} is not valid UTF-8; save it again as UTF-8.")
    return _parsed(line, where)


def _parsed(text: str, where: str, *, whole_file: bool = False) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        said = f"({error.msg})"
        if whole_file:
            said = f"at line {error.lineno} {said}"
            if error.msg == "Extra data":
                said += "; name it .jsonl if each line is an object"
        raise LoadError(f"{where} is not valid JSON {said}.") from error
    except (RecursionError, ValueError) as error:
        raise LoadError(f"{where} is JSON too deep or too long to read.") from error


def _document(
    source: SourceFile, row: object, where: str, fallback: str, title: str = ""
) -> LoadedDocument | LoadFailure:
    """The document that ``row`` is; ``fallback`` is its id where it has none."""
    try:
        if not isinstance(row, Mapping):
            raise LoadError(
                f'{where} is no object; write {{"id": ..., "title": ..., "text": ...}}.'
            )
        text = row.get("text")
        if not isinstance(text, str) or not text.strip():
            raise LoadError(f'{where} has no text; put it under "text".')
        if len(text) > source.limits.line_characters:
            raise LoadError(f"{where} {_too_long(source)}")
        identifier = _plain(row.get("id"), where, "id") or fallback
        if len(identifier) > LONGEST_ID:
            raise LoadError(f'{where} has an "id" of over {LONGEST_ID} characters; shorten it.')
        title = _plain(row.get("title"), where, "title") or title or identifier
    except LoadError as error:
        return LoadFailure(where, str(error))
    metadata = _metadata(row)
    source.keeps(sum(len(key) + len(str(value)) for key, value in metadata.items()))
    return LoadedDocument(identifier, title, (clean(text),), metadata)


def _metadata(row: Mapping[str, object]) -> Metadata:
    """Metadata of ``row``: its own ``metadata``, and its other columns."""
    own = row.get("metadata")
    others = {key: value for key, value in row.items() if key not in _FIELDS}
    return fitting((dict(own) if isinstance(own, Mapping) else {}) | others, without=_FIELDS)


def _plain(value: object, where: str, key: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str | int | float):
        raise LoadError(f'{where} has an "{key}" that is neither text nor a number.')
    return clean(str(value)).strip()


def load_json(source: SourceFile) -> Rows:
    """A document for each object with ``text``; other JSON becomes one document, laid out.

    Objects stand in a list, alone, or in a list under ``documents``. Raises LoadError.
    """
    data = source.read(source.limits.json_bytes)
    codec = source.codec_of(io.BytesIO(data))
    value = _parsed(data.decode(codec), source.name, whole_file=True)
    del data
    rows = value.get("documents") if isinstance(value, dict) else value
    if not value or rows == []:
        raise source.empty()
    if _is_document(value):
        yield _document(source, value, source.name, "", source.path.stem)
    elif isinstance(rows, list) and any(_is_document(row) for row in rows):
        for number, row in enumerate(rows, 1):
            yield _document(source, row, f"{source.name}, item {number}", f"item-{number}")
    else:
        text = _laid_out(value, source)
        yield LoadedDocument("", source.path.stem, (text,))


def _is_document(row: object) -> bool:
    return isinstance(row, dict) and isinstance(row.get("text"), str)


def _laid_out(value: Any, source: SourceFile) -> str:
    pieces = []
    try:
        # Piece by piece, because indenting deep JSON multiplies its length.
        for piece in json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(value):
            pieces.append(source.made(_DEEP.sub(r"\1", piece)))
    except RecursionError as error:
        raise LoadError(f"{source.name} is JSON too deep to read.") from error
    return clean("".join(pieces))


def load_csv(source: SourceFile) -> Rows:
    """A document for each row below the header.

    Its text is the ``text`` column if there is one, else all columns as ``column: value`` lines.
    Rows are numbered as a spreadsheet does, the header being row 1. Raises LoadError.
    """
    # The reader's own limit is one for the whole process.
    csv.field_size_limit(max(csv.field_size_limit(), source.limits.line_characters))
    opening, lines = _csv_opening(source)
    delimiter = max(_DELIMITERS, key=opening[-1].count)
    reader = csv.reader(chain(opening, lines), delimiter=delimiter, strict=True)
    first = next((cells for cells in _csv_rows(reader, source) if _filled(cells)), None)
    if not isinstance(first, list):
        raise LoadError(first.reason if first else f"{source.name} has no header row.")
    header = _Header(first, "text" in map(str.lower, first))
    number = 1
    for cells in _csv_rows(reader, source):
        if not _filled(cells):
            continue
        number += 1
        if isinstance(cells, LoadFailure):
            yield cells
        else:
            where = f"{source.name}, row {number}"
            yield _csv_document(source, header, cells, where, f"row-{number}")
    if number == 1:
        raise LoadError(f"{source.name} has a header but no rows, so there is nothing to index.")


def _csv_opening(source: SourceFile) -> tuple[list[str], Iterator[str]]:
    """The lines up to the first that is not blank, and the lines after it."""
    lines = _csv_lines(source)
    opening = []
    for line in lines:
        opening.append(line)
        if line.strip():
            break
    return opening, lines


def _csv_rows(reader: Reader, source: SourceFile) -> Iterator[list[str] | LoadFailure]:
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            where = f"{source.name}, line {reader.line_num}"
            yield LoadFailure(where, f"{where} is not valid CSV ({error}); check its quotes.")
            continue
        if cells is None:
            return
        if sum(map(len, cells)) > source.limits.line_characters:
            where = f"{source.name}, line {reader.line_num}"
            yield LoadFailure(where, f"{where} ends a row that {_too_long(source)}")
            continue
        yield [cell.strip() for cell in cells]


def _filled(cells: list[str] | LoadFailure) -> bool:
    return isinstance(cells, LoadFailure) or any(cells)


def _csv_document(
    source: SourceFile, header: _Header, cells: list[str], where: str, fallback: str
) -> LoadedDocument | LoadFailure:
    if any(cells[len(header.columns) :]):
        return LoadFailure(
            where, f"{where} has more cells than the header; put quotes around its text."
        )
    filled = {column: cell for column, cell in zip(header.columns, cells, strict=False) if cell}
    named = {column.lower(): cell for column, cell in filled.items()}
    row: dict[str, object] = {key: named[key] for key in ("id", "title", "text") if key in named}
    if header.has_text:
        others = {column: cell for column, cell in filled.items() if column.lower() not in row}
        row["metadata"] = {column: _value(cell) for column, cell in others.items()}
    else:
        row["text"] = "\n".join(
            f"{shortened(column, _LONGEST_COLUMN)}: {cell}" for column, cell in filled.items()
        )
    short = (cell for cell in filled.values() if len(cell) <= _LONGEST_TITLE)
    title = "" if header.has_text else next((c for c in short if not _UNNAMED.fullmatch(c)), "")
    return _document(source, row, where, fallback, title)


def _value(cell: str) -> str | int | float:
    """The number that a cell is, else its text; ``007`` is a text."""
    number = _NUMBER.fullmatch(cell)
    return cell if number is None else float(cell) if number["fraction"] else int(cell)


def _too_long(source: SourceFile) -> str:
    return f"is longer than {megabytes(source.limits.line_characters)}; split its text."


def _csv_lines(source: SourceFile) -> Iterator[str]:
    for number, line in _lines(source):
        if line is None:
            raise LoadError(f"{source.name}, line {number} {_too_long(source)}")
        yield line


def _lines(source: SourceFile, forgiving: bool = False) -> Iterator[tuple[int, str | None]]:
    """Numbered lines with their ends as ``\\n``; None for a line that is too long.

    ``forgiving`` leaves bytes that are no UTF-8 as lone surrogates instead of raising LoadError.
    """
    most = source.limits.line_characters
    with source.open() as file:
        try:
            codec = source.codec_of(file)
        except EncodingError:
            if not forgiving:
                raise
            codec = "utf-8-sig"
        file.seek(0)
        text = io.TextIOWrapper(file, codec, errors="surrogateescape" if forgiving else "strict")
        number = 0
        while line := text.readline(most + 1):
            number += 1
            source.reads(len(line))
            if len(line) > most:
                while line and not line.endswith("\n"):
                    line = text.readline(most)
                yield number, None
            else:
                yield number, line
