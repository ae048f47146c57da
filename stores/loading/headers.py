"""The header that a text begins with: lines of names and values, as mails and proposals have."""

from __future__ import annotations

import re
from typing import NamedTuple

_LONGEST = 16 * 1024  # characters of a header
# ``Name: value``, or ``:Name: value`` as in reStructuredText; what is indented goes on.
_FIELD = re.compile(
    r"(?P<mark>:?)(?P<name>[^\W\d_][\w.-]*(?: [\w.-]+){0,3}):(?(mark)(?!:))"
    r"(?:[ \t]+(?P<value>\S[^\n]*))?[ \t]*(?:\n|\Z)"
)
_MORE = re.compile(r"[ \t]+(\S[^\n]*)(?:\n|\Z)")
_BEFORE = re.compile(r"(?:[ \t]*\n)*(?:From [^\n]+\n)?")  # the line that begins a mail in a mailbox
_TITLES = ("title", "subject", "제목", "件名", "标题", "標題", "titel", "titre", "título", "titolo")
_BLANK = re.compile(r"[ \t]*(?:\n|\Z)")


class Header(NamedTuple):
    """The fields of a header by their names in small letters, and where the text after it begins.

    Both say nothing (``{}`` and the place asked about) where there is no header.
    """

    fields: dict[str, str]
    end: int


def header_of(text: str, start: int = 0) -> Header:
    """The header at ``start`` of a text: fields line by line, up to a blank line.

    Of a name that stands twice, the first value is kept.

    >>> header_of("PEP: 8\\nTitle: Style Guide\\n for Code\\n\\nIntroduction")
    Header(fields={'pep': '8', 'title': 'Style Guide for Code'}, end=36)
    """
    fields: dict[str, list[str]] = {}
    before = _BEFORE.match(text, start)
    place, last = before.end() if before else start, list[str]()
    while place < min(len(text), start + _LONGEST) and not _BLANK.match(text, place):
        if fields and (more := _MORE.match(text, place)):
            last.append(more[1])
        elif more := _FIELD.match(text, place):
            last = [more["value"] or ""]
            fields.setdefault(more["name"].lower(), last)
        else:
            return Header({}, start)
        place = more.end()
    if not fields:
        return Header({}, start)
    return Header({name: _value(lines) for name, lines in fields.items()}, place)


def stated_title(header: Header) -> str:
    """The title or the subject that ``header`` states, empty where there is none."""
    return next((header.fields[name] for name in _TITLES if header.fields.get(name)), "")


def _value(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())
