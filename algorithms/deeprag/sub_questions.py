"""Sub-questions that refer to one another's answers as #1, #2, ...: a directed acyclic graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...language.analyser import is_korean, one_line
from ...language.mentions import question_mentions

_REFERENCE = re.compile(r"#\s?(\d{1,4})(?!\d)")
_UNNAMED = re.compile(
    r"\b(?:he|she|they|him|her|his|hers|them|their|theirs|its)\b"
    r"|\b(?:the|this|these|those) [a-z]+(?=['’]s\b|\W*$| (?:is|was|are|were|has|had|do|does|did"
    r"|born|die[ds]?|live[ds]?|come|came|founded|released|located)\b)",
    re.IGNORECASE,
)
_KOREAN_PRONOUN = re.compile(
    r"(?<![가-힣])(?:그녀|그들|그분|[그이] ?(?:사람|인물)|그(?=[는가의를와도]|에게))"
)
_LONGEST = 1000
_LONGEST_ANSWER = 300
_MOST_REFERENCES = 8


class SubQuestion(NamedTuple):
    """A sub-question; ``depends_on`` are the places (from 0) of those that its text refers to.

    ``origin`` is its place among the texts that it was chosen from.
    """

    text: str
    depends_on: tuple[int, ...]
    origin: int = 0


def references(text: str) -> tuple[int, ...]:
    """The numbers that ``text`` refers to, each once, in order: "#2 and #1" gives (2, 1)."""
    return tuple(dict.fromkeys(int(number) for number in _REFERENCE.findall(text)))


def substitute(text: str, answers: Mapping[int, str], written: Callable[[str], str] = str) -> str:
    """``text`` with every reference whose answer is known replaced by it, as ``written``.

    An answer stands in one line of at most so many characters. A number in it that looks like a
    reference, such as "#1", becomes "no. 1".
    """

    def replace(match: re.Match[str]) -> str:
        answer = answers.get(int(match[1]))
        if not answer:
            return match.group()
        return written(_REFERENCE.sub(r"no. \1", one_line(answer)[:_LONGEST_ANSWER]))

    return _REFERENCE.sub(replace, text)


def same_question(a: str, b: str) -> bool:
    """Whether two questions differ in nothing but case, spaces and punctuation."""
    return _key(a) == _key(b)


def questions_in(texts: Sequence[str], parent: str) -> list[str]:
    """The questions among ``texts``, by their question mark, that can be looked up as they are.

    Not one about somebody or something that only a pronoun or "the director" stands for, where
    ``parent`` itself has a name.
    """
    asked = [text for text in texts if text.rstrip().endswith(("?", "？"))]
    return [text for text in asked if not (_is_unnamed(text) and _is_named(parent))]


def _is_unnamed(question: str) -> bool:
    if is_korean(question):
        return bool(_KOREAN_PRONOUN.search(question))
    return bool(_UNNAMED.search(question)) and not _is_named(question)


def _is_named(question: str) -> bool:
    return any(one.kind in {"name", "quoted"} for one in question_mentions(question))


def acyclic(
    texts: Sequence[str], parent: str, most: int, least: int = 2
) -> tuple[SubQuestion, ...]:
    """The usable ones of the sub-questions that ``parent`` was split into, at most ``most``.

    Left out are empty and overlong texts, those with many references, repetitions, ``parent``
    itself, and what refers to itself, to nothing, to what is left out, or round in a circle.
    References point backwards only, and are numbered anew. Fewer than ``least`` do not split
    ``parent``: the result is then empty.
    """
    kept = _distinct(texts[: 10 * most], parent)
    order: list[int] = []
    while len(order) < most:
        ready = (
            place
            for place, text in kept.items()
            if place not in order and all(number - 1 in order for number in references(text))
        )
        place = next(ready, None)
        if place is None:
            break
        order.append(place)
    if len(order) < least:
        return ()
    new = {place + 1: position for position, place in enumerate(order, start=1)}
    return tuple(
        SubQuestion(
            _REFERENCE.sub(lambda match: f"#{new[int(match[1])]}", kept[place]),
            tuple(new[number] - 1 for number in references(kept[place])),
            place,
        )
        for place in order
    )


def _distinct(texts: Sequence[str], parent: str) -> dict[int, str]:
    """Places and texts of the distinct questions other than ``parent``."""
    seen, kept = {_key(parent), ""}, dict[int, str]()
    for place, raw in enumerate(texts):
        text = " ".join(raw.split())
        usable = len(text) <= _LONGEST and len(_REFERENCE.findall(text)) <= _MOST_REFERENCES
        if usable and _key(text) not in seen:
            seen.add(_key(text))
            kept[place] = text
    return kept


def _key(text: str) -> str:
    return re.sub(r"[^\w#]+", "", text).casefold()
