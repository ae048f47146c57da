"""Sentences that can be quoted alone, as a report or a description does."""

from __future__ import annotations

import re

from ..language.analyser import is_korean, sentences

_WHOLE = re.compile(r"(?![a-z]).*[^…][.!?。？！]['’\"”)\]]*$")
_MARKERS = "-*• \t"
_FEWEST_WORDS, _FEWEST_EOJEOL = 5, 3


def is_whole(line: str) -> bool:
    """Whether ``line`` is a sentence: no heading, row of a table, list of names, or fragment."""
    return " | " not in line and bool(_WHOLE.match(line))


def whole_sentences(text: str) -> list[str]:
    """The sentences of ``text``, each once, in one line; no headings, lists of names, fragments."""
    lines = [line.strip(_MARKERS) for line in text.splitlines()]
    said = dict.fromkeys(" ".join(one.text.split()) for line in lines for one in sentences(line))
    fewest = _FEWEST_EOJEOL if is_korean(text) else _FEWEST_WORDS
    return [one for one in said if len(one.split()) >= fewest and is_whole(one)]
