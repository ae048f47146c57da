"""Which of several a sentence and a question mean: the second director, 제2대 단장."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..language.answer_types import dates, roots

_QUALIFIER = (
    r"(?:(?:twenty-)?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|tenth|eleventh"
    r"|twelfth|\d+(?:st|nd|rd|th)|former|current|present|previous|next|last|original|founding"
    r"|deputy|vice|assistant|associate|acting|interim|honorary|chief|head|senior|junior|co)"
)
_ASKED = re.compile(rf"\b{_QUALIFIER}\b(?=[ -][a-z])")
_STATED = re.compile(rf"(?i)\b({_QUALIFIER})\b[ -]?(?:(\w+) ?)?(\w+)?")
_ELLIPSIS = frozenset("is was are were in by became to".split())
_NEXT_PART = re.compile(r"[,;:—–|]\s| and (?=the |its |his |her |their )| (?:but|while|whereas) ")
_POSSESSOR = "의"
_PARTICLE = re.compile(r"(?:[은는이가을를에고며]|에서|으로|,)$")


def fits(question: str, text: str, start: int, end: int) -> bool:
    """Whether ``text``, or its part, tells of ``[start, end)`` as the first, ... one, as asked."""
    asked = set(_ASKED.findall(question))
    wanted = frozenset(roots(question))
    said = [(match.start(), match[1].lower()) for match in _rivals(text, wanted, asked)]
    several = len({word for _, word in said}) > 1 or any(
        len(re.findall(rf"(?i)\b{re.escape(noun)}\b", text)) > 1
        for noun in re.findall(rf"\b{_QUALIFIER}[ -](\w+)", question)
    )
    first, last = part_around(text, start, end, _NEXT_PART) if several else (0, len(text))
    held = {word for place, word in said if first <= place < last}
    return held == asked


def _rivals(text: str, wanted: frozenset[str], asked: set[str]) -> Iterator[re.Match[str]]:
    """The qualifiers of ``text`` that are asked for, or stand before what the question says."""
    days = [range(date.start, date.end) for date in dates(text)]
    for place in re.finditer(rf"(?i)(?<!\bon the )\b{_QUALIFIER}\b", text):
        match = _STATED.match(text, place.start())
        label = text.startswith(":", place.end()) and place[0].lower() not in asked
        if match is None or label or any(place.start() in day for day in days):
            continue
        behind = [word for word in match.groups()[1:] if word]
        named = not wanted.isdisjoint(roots(" ".join(behind)))
        if match[1].lower() in asked or named or not behind or behind[0] in _ELLIPSIS:
            yield match


def part_around(text: str, start: int, end: int, gap: re.Pattern[str]) -> tuple[int, int]:
    """The part of a sentence around ``[start, end)``, between matches of ``gap``."""
    first = max((match.end() for match in gap.finditer(text, 0, start)), default=0)
    behind = gap.search(text, end)
    return first, behind.start() if behind else len(text)


def korean_fits(asked: str, stated: str, context: str) -> bool:
    """Whether the words before a noun in a question and in a text may mean the same one.

    The text says no other owner or qualifier, and, or its context, the question's last one.
    """
    question, text = asked.split(), _own(stated)
    plain = [word.removesuffix(_POSSESSOR) for word in question]
    if not all(any(one.endswith(word) for one in plain) for word in text):
        return False
    last = question[-1] if question else _POSSESSOR
    return last.endswith(_POSSESSOR) or last in (*text, *context.split())


def _own(stated: str) -> list[str]:
    """The last words of ``stated`` that belong to the noun behind it: an owner, and qualifiers."""
    found: list[str] = []
    for word in reversed(stated.split()):
        if word.endswith(_POSSESSOR):
            return [word.removesuffix(_POSSESSOR), *found]
        if _PARTICLE.search(word):
            break
        found.insert(0, word)
    return found
