"""Simple tables of reStructuredText, whose columns only blanks tell."""

from __future__ import annotations

import re

_EDGE = re.compile(r" *=+(?: +=+)+ *")
_GAP = re.compile(r"(?<==) +(?==)")


def with_columns(text: str) -> str:
    """``text`` with ``|`` between the columns of its simple tables, and a rule below their headers.

    The outer edges become blank. Every character keeps its place.
    """
    if "= =" not in text and "=  =" not in text:
        return text
    lines = text.split("\n")
    begin: int | None = None
    for number, line in enumerate(lines):
        if not _EDGE.fullmatch(line):
            continue
        if begin is None:
            begin = number
        elif not "".join(lines[number + 1 : number + 2]).strip():
            lines[begin : number + 1] = _drawn(lines[begin : number + 1])
            begin = None
    return "\n".join(lines)


def _drawn(table: list[str]) -> list[str]:
    """The lines of a ``table`` from its upper edge to its lower one; a cell over two stays."""
    gaps = [gap.start() for gap in _GAP.finditer(table[0])]
    drawn = [" " * len(table[0])]
    for line in table[1:-1]:
        cut = [place for place in gaps if place < len(line)]
        signs = list(line.replace("=", "-") if _EDGE.fullmatch(line) else line)
        if all(line[place] == " " for place in cut):
            for place in cut:
                signs[place] = "|"
        drawn.append("".join(signs))
    return [*drawn, " " * len(table[-1])]
