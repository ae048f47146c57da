"""Telling by rules which parts of an answer the texts that it cites hold."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from ..language.analyser import content_words, one_line, sentences
from ..language.answer_types import countries, dates, name_spans, roots
from ..language.values import amounts, verdict

_FEW_WORDS = 6
_VERDICT_WORDS = 2
_SYLLABLE = re.compile("[가-힣]")  # a counter, as in "일곱 권", which particles change

Date = tuple[int, int, int]  # year, month and day; 0 where it is not told
Number = tuple[float, str, float]  # in the base unit, the kind of unit, without the unit


class _Held(NamedTuple):
    """Content of a text: roots of its words, countries as one word each, dates and numbers."""

    words: frozenset[str]
    dates: frozenset[Date]
    numbers: frozenset[Number]


def unsupported(answer: str, question: str, cited: Sequence[str]) -> list[str]:
    """The sentences of ``answer`` that rules do not find in the ``cited`` texts; empty if all are.

    Every name, date and number of a sentence must stand in one of the texts or in the question, in
    any inflection or notation; of its words all, where they are few, or half. A yes or a no
    is found. A sentence that is not found may still follow from the texts.
    """
    texts = [_held(text) for text in (*cited, question)]
    pieces = [piece.plain for piece in sentences(answer)] or [answer]
    return [
        piece
        for piece in pieces
        if not _stands(piece, texts) and not any(_is_quoted(piece, text) for text in cited)
    ]


def tells_less(found: str, answer: str, asks_place: bool, cited: Sequence[str]) -> bool:
    """Whether ``found`` says a part of ``answer`` and nothing beside it, or a wider place.

    Of a date the year, of a name a word of it; where a place is asked for, the country that
    ``cited`` texts name around it.
    """
    lands = {land for _, land in countries(found)}
    if asks_place and lands and not countries(answer):
        alone = [span.text for span, _ in countries(found)] == [found.removeprefix("the ")]
        return alone and lands <= {land for text in cited for _, land in countries(text)}
    within = verdict(found) is None and not unsupported(found, "", [answer])
    return within and bool(unsupported(answer, "", [found]))


def lost_values(statement: str, cited: Sequence[str]) -> list[str]:
    """The names, dates and numbers of ``statement`` that no ``cited`` text holds."""
    texts = [_held(text) for text in cited]
    named = [span.text for span in name_spans(statement)]
    told = dates(statement)
    inside = [range(date.start, date.end) for date in told]
    counted = [one for one in amounts(statement) if not any(one.start in span for span in inside)]
    return [
        *(name for name in named if not _mentioned(name, texts)),
        *(date.text for date in told if not _dated(date.key, texts)),
        *(
            statement[one.start : one.end].split()[0]
            for one in counted
            if not any(_counted((one.value, one.kind, one.bare), text) for text in texts)
        ),
    ]


def _is_quoted(piece: str, text: str) -> bool:
    """Whether ``text`` has a sentence word for word; a number alone may be a part of another."""
    said, whole = one_line(piece), [one_line(sentence.plain) for sentence in sentences(text)]
    if said in whole or not any(map(str.isalpha, said)):
        return said in whole
    return bool(re.search(rf"(?<!\w){re.escape(said)}s?(?!\w)", " ".join(whole)))


def _stands(piece: str, texts: Sequence[_Held]) -> bool:
    """Whether ``texts`` hold the names, dates, numbers and enough words of a sentence."""
    own = _held(piece)
    if verdict(piece) is not None and len(content_words(piece)) <= _VERDICT_WORDS:
        return True
    words = frozenset[str]().union(*(text.words for text in texts))
    missing = own.words - words
    few = len(own.words) <= _FEW_WORDS
    return (
        (not missing if few else 2 * len(missing) <= len(own.words))
        and all(_mentioned(span.text, texts) for span in name_spans(piece))
        and all(_dated(date, texts) for date in own.dates)
        and all(any(_counted(number, text) for text in texts) for number in own.numbers)
    )


def _mentioned(name: str, texts: Sequence[_Held]) -> bool:
    """Whether one of ``texts`` holds ``name``; a word of it that says nothing counts as held."""
    words = _held(name).words
    return any(words <= text.words for text in texts)


def _dated(date: Date, texts: Sequence[_Held]) -> bool:
    """Whether ``texts`` hold a date, as far as it is told; a year may be written as a number."""
    numbers = (held[2] for text in texts for held in text.numbers)
    if date[0] and not any(date[1:]) and date[0] in numbers:
        return True
    return is_dated(date, frozenset[Date]().union(*(text.dates for text in texts)))


def is_dated(date: Date, told: Set[Date]) -> bool:
    """Whether ``told`` has a date as full, or its day and month, and apart its month and year."""
    year, month, day = date
    if year and day and {(0, month, day), (year, month, 0)} <= told:
        return True
    return any(all(a in {0, b} for a, b in zip(date, other, strict=True)) for other in told)


def _counted(number: Number, text: _Held) -> bool:
    value, kind, bare = number
    if any((value, kind) == held[:2] for held in text.numbers):
        return True
    years = {date[0] for date in text.dates if not any(date[1:])}
    return not kind and bare in {*years, *(held[2] for held in text.numbers)}


@lru_cache(maxsize=1000)
def _held(text: str) -> _Held:
    found = dates(text)
    inside = [range(date.start, date.end) for date in found]
    numbers = [
        one
        for one in amounts(text)
        if not any(one.start in span for span in inside)
        and not (one.bare == 1 and text[one.start].isalpha())  # "one of the bridges"
    ]
    rest, places = list(text), set[str]()
    for one in numbers:
        if one.kind:
            rest[one.start : one.end] = " " * (one.end - one.start)
    for span, country in countries(text):
        rest[span.start : span.end] = " " * (span.end - span.start)
        places.add(f"={country}")
    words = {
        word
        for word in roots("".join(rest))
        if not (word[0].isdigit() or amounts(word) or _SYLLABLE.fullmatch(word))
    }
    return _Held(
        frozenset(words | places),
        frozenset(date.key for date in found),
        frozenset((one.value, one.kind, one.bare) for one in numbers),
    )
