"""Finding words in texts exactly as they are written, but for case and white space."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import Select, or_, select

from . import tables

_ESCAPE = "\\"


def holding_words(words: str) -> Select[Any]:
    """The rows of passages that may have ``words`` in a row, by document and place.

    Databases know the case of ASCII letters alone, so that the words are looked for as they are
    commonly written; and more may stand between them: ``said_in_a_row`` tells which rows are meant.
    """
    table = tables.passages
    forms = {_pattern(form) for form in (words, words.lower(), words.upper(), words.title())}
    fitting = [
        column.ilike(form, escape=_ESCAPE)
        for form in sorted(forms)
        for column in (table.c.text, table.c.title)
    ]
    return select(table).where(or_(*fitting)).order_by(table.c.document, table.c.start, table.c.id)


def said_in_a_row(words: str) -> Callable[[str], bool]:
    """Whether a text has ``words`` in a row, whatever their case and the white space."""
    folded = r"\s+".join(map(re.escape, words.casefold().split()))
    found = re.compile(folded).search
    return lambda text: found(text.casefold()) is not None


def _pattern(words: str) -> str:
    parts = (re.sub(r"[\\%_]", r"\\\g<0>", part) for part in words.split())
    return f"%{'%'.join(parts)}%"
