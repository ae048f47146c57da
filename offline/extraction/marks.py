"""The places in an English sentence that name an entity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...language.analyser import STOP_WORDS, Span
from ...language.mentions import Mention, find_mentions, key
from .entity_types import is_demonym, type_of_name

_UNIT = re.compile(r"\s?(%|°C|(?:million |billion |thousand )?(?:square )?[a-z]{3,})\b")
_NOUN_PHRASE = re.compile(
    r"(?:\b(?:an?|the|of|for|in|on|by|with|from|into) |^)"
    r"((?:(?!and|or|the|an?|its|his|her|their)[a-z-]+ ){0,2}[a-z-]{4,})"
    r"(?=[,.;:]|$| (?:and|in|of|for)\b)"
)
_NO_NAMES = frozenset("much part parts half none nearly others another".split()) | STOP_WORDS


class Mark(NamedTuple):
    """A mention in a sentence: characters ``[start, end)`` of it."""

    start: int
    end: int
    key: str
    name: str
    kind: str


def mentions_of(title: str, text: str, spans: list[Span]) -> Iterator[tuple[Span, list[Mention]]]:
    """The mentions of each sentence, an outer one before those inside it."""
    found: list[list[Mention]] = [[] for _ in spans]
    for mention in sorted(find_mentions(title, text), key=lambda m: (m.start, -m.end)):
        found[mention.sentence].append(mention)
    yield from zip(spans, found, strict=True)


def marks_of(span: Span, mentions: list[Mention], own: set[str], about: Mark) -> list[Mark]:
    """The mentions of a sentence that name an entity, without those inside others."""
    found: list[Mark] = []
    for mention in mentions:
        start = mention.start - span.start
        mark = _mark(span.text, start, mention) if not found or start >= found[-1].end else None
        if not mark:
            continue
        last = found[-1] if found else None
        if last and _dates_event(span.text, last, mark):
            name = f"{last.name} {mark.name}"
            mark = Mark(last.start, mark.end, key(name), name, "name")
            found.pop()
        if not own.isdisjoint((mark.key, key(mark.name))):
            mark = mark._replace(key=about.key, name=about.name, kind="name")
        found.append(mark)
    return found


def _mark(text: str, start: int, mention: Mention) -> Mark | None:
    """The mention, a number with what it counts, a surname under its whole name; or None."""
    end, name, same = start + len(mention.text), " ".join(mention.text.split()), mention.key
    if mention.kind == "number":
        unit = _UNIT.match(text, end)
        if not unit or unit[1] in STOP_WORDS:
            return None
        name = " ".join(text[start : unit.end()].split())
        return Mark(start, unit.end(), key(name), name, "number")
    if mention.kind == "name":
        while " " in name and name.rpartition(" ")[2].lower() in STOP_WORDS:
            name = name.rpartition(" ")[0].rstrip(".")
            same, end = key(name), start + len(name)
        if is_demonym(name) or name.lower() in _NO_NAMES or not name[0].isalpha() or not same:
            return None
        if same != key(name) and type_of_name(same.title(), same.title(), 0, 0) != "person":
            same = key(name)
    return Mark(start, end, same, name, {"quoted": "work"}.get(mention.kind, mention.kind))


def _dates_event(text: str, date: Mark, name: Mark) -> bool:
    """Whether a year belongs to the name after it: "1924 Summer Olympics"."""
    near = text[date.end : name.start] == " " and re.fullmatch(r"\d{4}", date.name)
    return bool(near) and type_of_name(name.name, text, name.start, name.end) == "event"


def noun_phrases(text: str, start: int) -> Iterator[Mark]:
    """The common nouns that a sentence without names says something about."""
    for match in list(_NOUN_PHRASE.finditer(text, start))[:3]:
        yield Mark(match.start(1), match.end(1), key(match[1]), match[1], "thing")
