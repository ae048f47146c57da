"""Lists of names in an English sentence: "A and B", "A, B and C"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import itemgetter

from ..language.analyser import STOP_WORDS, Span
from ..language.answer_types import Candidate, name_spans
from ..language.name_masking import is_demonym

_AND = re.compile(r"(,)? (?:and|&|as well as|together with|along with) (?:by )?(.*)")
_ROLE = re.compile(
    r"(?:(?:the|an?|his|her|their) )?(?:[\w-]+ ){0,2}"
    r"([a-z]+(?:or|er|ist|ian|man|king|son|wife|husband|friend|partner)) "
)
_WITH = re.compile(r"\b(?:with|alongside) ", re.IGNORECASE)
_COMPANION = re.compile(
    r"(?:his|her|their) (?:\w+ )?(?:(?:grand|step)?(?:father|mother|son|daughter|parent)s?|children"
    r"|(?:brother|sister|uncle|aunt|nephew|niece|cousin|wife|husband|friend|student|pupil"
    r"|colleague|partner|team|assistant)s?)\b"
)
_VERB = re.compile(r"\b[a-z]+(?:ed|ing)\b")
_OPENING = re.compile(
    r"(?:After|As|At|Before|Besides|By|Despite|During|For|From|In|Like|Near|On|Since|To|Under"
    r"|Unlike|Until|With) [^,]{2,80}, "
)
# Of the signs for what stands between two names: a comma, an "and", a comma with an "and".
_LIST = re.compile(r",+[&+]&*|&+")


def whole_lists(found: Iterable[Candidate], text: str, question: str) -> list[Candidate]:
    """The ``found``, for a name of a list the whole list, without names that ``question`` has."""
    lists = list(_lists(text, question))
    whole: dict[tuple[int, int], Candidate] = {}
    for one in found:
        start, end = one.start, one.end
        before = bisect_right(lists, start, key=itemgetter(0)) - 1
        if before >= 0 and start < lists[before][1]:
            start, end = lists[before]
        prior = max(one.prior, whole[start, end].prior if (start, end) in whole else 0.0)
        whole[start, end] = Candidate(start, end, text[start:end], prior)
    return list(whole.values())


def shared(text: str, span: Candidate, question: str) -> bool:
    """Whether a sentence tells with whom, unasked, a name did it: "with Ada", "with his son"."""
    names = {name.start: name.text for name in name_spans(text) if not is_demonym(name.text)}
    for match in _WITH.finditer(text):
        if span.start <= match.start() < span.end or match.start() == 0:
            continue
        if _COMPANION.match(text, match.end()):
            return True
        begin = next((start for start in sorted(names) if start >= match.end()), None)
        if begin is None or names[begin].lower() in question.lower():
            continue
        between = text[match.end() : begin]
        if between in {"", "the "} or _is_role(between):
            return True
    return False


def _lists(text: str, question: str) -> Iterator[tuple[int, int]]:
    """The characters of the lists in ``text``, left to right."""
    asked = question.lower()
    others = (one for one in name_spans(text) if one.text.lower() not in asked)
    names = [one for one in others if not is_demonym(one.text)]
    opening = _OPENING.match(text)
    begin = opening.end() if opening else 0
    signs = "".join(_sign(text, a, b) if a.end > begin else " " for a, b in pairwise(names))
    last = 0
    for match in _LIST.finditer(signs):
        first = match.start() + (0 < match.start() == last and match.group().startswith(","))
        yield names[first].start, names[match.end()].end
        last = match.end()


def _sign(text: str, name: Span, other: Span) -> str:
    """A comma, "&" or "+" for what joins ``name`` to ``other``; a space where nothing does."""
    between = text[name.end : other.start]
    if between == ", ":
        return ","
    joined = _AND.fullmatch(between)
    if not joined or not (joined[2] in {"", "the "} or _is_role(joined[2])):
        return " "
    return "+" if joined[1] else "&"


def _is_role(words: str) -> bool:
    """Whether ``words`` tell who the next name is ("his brother", "the engineer")."""
    role = _ROLE.fullmatch(words)
    return role is not None and role[1] not in STOP_WORDS and not _VERB.search(words)
