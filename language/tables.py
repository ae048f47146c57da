"""Tables and records in a text, told from prose and code that merely hold a pipe or a colon."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from .code import has_form_of_code

_BLOCK = re.compile(r"(?:^(?:[^\n]*\|[^\n]*|[ \t]*\+[-=+]+\+[ \t]*)(?:\n|\Z))+", re.MULTILINE)
_RULE = re.compile(r"(?=[^\n]*-)[ \t|:-]+|[ \t]*\+[=+]+[ \t]*")  # below a header
_GRID = re.compile(r"[ \t]*\+[-+]+[ \t]*")  # between rows
_WHOLE_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FRAMED = re.compile(r"[ \t]*\|(?=\s|\|)(?:.*[\s|])?\|[ \t]*")
_CELL_END = re.compile(r"(?<!\\)\|")
_CELL_END_APART = re.compile(r"(?<=\s)\|(?=\s)")
_LONGEST_UNFRAMED = _LONGEST_RECORD = 500
_FIELD = re.compile(r"([^\W_][^:\n|]{0,79}):[ \t]+(\S[^\n|]*)")
_PARAGRAPH = re.compile(r"^(?:[^\n]*\S[^\n]*(?:\n|\Z))+", re.MULTILINE)


class TableRow(NamedTuple):
    """A row of a table at ``[start, end)`` of a text; ``header`` has the cells above its own.

    The header itself has no cells: each row tells it.
    """

    start: int
    end: int
    cells: list[str]
    header: list[str]


class _Line(NamedTuple):
    start: int
    end: int
    text: str
    rule: str


def records(text: str) -> list[TableRow]:
    """Paragraphs of ``label: value`` lines alone, as rows whose header is their labels.

    They are all of ``text``, or several begin with one label; else it is a list of facts.
    """
    found = [row for part in _PARAGRAPH.finditer(text) for row in _record(part)]
    times, whole = Counter(row.header[0] for row in found), len(text.strip())
    return [row for row in found if times[row.header[0]] > 1 or row.end - row.start == whole]


def _record(paragraph: re.Match[str]) -> Iterator[TableRow]:
    told, start = paragraph[0].strip(), paragraph.start()
    fields = [_FIELD.fullmatch(line.lstrip()) for line in told.split("\n")]
    labels, cells = ([field[part].strip() for field in fields if field] for part in (1, 2))
    start += len(paragraph[0]) - len(paragraph[0].lstrip())
    if 1 < len(fields) == len(labels) and len(told) <= _LONGEST_RECORD:
        yield TableRow(start, start + len(told), cells, labels)


def rows(text: str, plain: str) -> Iterator[TableRow]:
    """Rows of the tables of ``text``, in order; ``plain`` is its prose, where code is blank.

    A table has a rule below its header, or a frame; or it is several lines of as many cells: three
    of two cells, or two of more.
    """
    for block in _BLOCK.finditer(text) if "|" in plain else ():
        lines = list(_lines(text, plain, *block.span()))
        runs = [list(run) for _, run in groupby(map(_columns, lines))]
        alike = [run[0] > 1 and len(run) > (run[0] == 2) + 1 for run in runs for _ in run]
        header, is_below = list[str](), False
        for line, below, one_of_several in zip(lines, [*lines[1:], None], alike, strict=True):
            if line.rule:
                continue
            cells = _cells(line.text)
            rule = below.rule if below and any(cells) and _RULE.fullmatch(below.rule) else ""
            if rule and ("+" in rule or len(_cells(rule)) == len(cells)):
                header, is_below = cells, True
                yield TableRow(line.start, line.end, [], [])
            elif not line.text.strip():
                is_below = False
            elif is_below or one_of_several or _FRAMED.fullmatch(line.text):
                yield TableRow(line.start, line.end, cells, header if is_below else [])


def _lines(text: str, plain: str, start: int, end: int) -> Iterator[_Line]:
    for written in _WHOLE_LINE.finditer(text, start, end):
        line = written.group().rstrip("\n")
        rule = line if _RULE.fullmatch(line) or _GRID.fullmatch(line) else ""
        start, stop = written.start(), written.start() + len(line)
        yield _Line(start, stop, plain[start:stop], rule)


def _columns(line: _Line) -> int:
    """Number of cells; where they have no frame, pipes with spaces around them part cells."""
    text = line.text.strip()
    if line.rule or len(text) > _LONGEST_UNFRAMED or has_form_of_code(text):
        return 1
    is_framed = text[:1] == text[-1:] == "|"
    return len(_cells(text)) if is_framed else len(_CELL_END_APART.findall(text)) + 1


def _cells(text: str) -> list[str]:
    inner = text.strip().removeprefix("|")
    inner = inner if inner.endswith("\\|") else inner.removesuffix("|")
    return [" ".join(cell.split()) for cell in _CELL_END.split(inner)]
