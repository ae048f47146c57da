"""Texts that are shown sentence by sentence, each with its number, and what numbers point at.

A number is that of the text, a point, and that of the sentence in it: ``2.1``. The sentences are
those that citations are made of: rows of tables and lines of code are some as well.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from ..language.analyser import Span, sentences
from ..language.code import code_blocks

_LINE = re.compile(r"^[ \t>]*+(?!```|~~~)(?=.*\w)(.+)$", re.MULTILINE)


def cut(text: str) -> list[Span]:
    """The sentences of ``text``, and the lines of code between fences; all of it without any."""
    return sorted([*sentences(text), *_fenced_lines(text)]) or [Span(0, len(text), text, text)]


def _fenced_lines(text: str) -> Iterator[Span]:
    """The lines of code that are in no sentence."""
    for start, end in code_blocks(text):
        if not any(start <= one.start < end for one in sentences(text)):
            for line in _LINE.finditer(text, start, end):
                yield Span(*line.span(1), line[1], line[1])


def by_sentence(id: str, text: str, only: Collection[int] = ()) -> str:
    """The text ``id`` with one numbered sentence a line, and the markup that leads to it.

    Further lines of a sentence begin with a space, so that no text can number its own lines. Where
    ``only`` some are shown, they keep their numbers.
    """
    ends = [0, *(one.end for one in cut(text)[:-1]), len(text)]
    shown = (_in_lines(text[start:end]) for start, end in pairwise(ends))
    return "\n".join(
        f"{id}.{place} {one}"
        for place, one in enumerate(shown, start=1)
        if not only or place in only
    )


def numbers_of(id: str, text: str, only: Collection[int] = ()) -> list[str]:
    """The numbers of the sentences of the text ``id``, or of those that ``only`` are shown."""
    return [f"{id}.{place}" for place in only or range(1, len(cut(text)) + 1)]


def pointed_at(number: str, texts: Sequence[str]) -> tuple[int, Span] | None:
    """The place in ``texts``, from 0, and the sentence there that has ``number``, if any has."""
    text, _, sentence = number.partition(".")
    if not (text.isdecimal() and sentence.isdecimal() and 0 < int(text) <= len(texts)):
        return None
    found = cut(texts[int(text) - 1])
    return (int(text) - 1, found[int(sentence) - 1]) if 0 < int(sentence) <= len(found) else None


def _in_lines(piece: str) -> str:
    own = piece if piece.startswith("\n") else piece.lstrip()
    return "\n ".join(line.rstrip() for line in own.splitlines() if line.strip())
