"""The entities that a passage names: their types, and where its sentences name them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...language.analyser import STOP_WORDS, Span
from ...language.answer_types import life_facts, names
from ...language.mentions import Mention, find_mentions, key
from ..questions.english import PARTICULAR, PLACED, kind_of, nation

_WORDS = {
    "organisation": """academy agency army association authority bank band board bureau church club
    college commission committee community company corporation council department federation
    foundation government group hospital inc institute institution league library ltd ministry
    museum navy network newspaper office orchestra organization parliament partnership party
    police press records school senate society studio studios team trust union university""",
    "place": """airport avenue bay bridge building castle cathedral city coast county creek desert
    district falls forest fort garden gardens harbor harbour heights hill hills island islands isle
    kingdom lake mount mountain mountains ocean palace park peninsula point province region republic
    reservoir river road sea square state states station street temple territory tower town valley
    village""",
    "event": """awards battle ceremony championship championships conference congress crisis cup
    earthquake election elections expedition festival fire flood games massacre olympics prix
    rebellion revolution riots season siege tour tournament treaty trial uprising war wars""",
    "work": "album anthem book film magazine novel opera poem series show song symphony",
}
_TYPE_OF = {word: type_ for type_, words in _WORDS.items() for word in words.split()}
_ROLE = re.compile(r"(?:^|[\s(])([a-z]{3,}) $")
_APPOSITION = re.compile(
    r"(?:, (?:an?|the) |,? (?:is|was|are|were) (?:an?|the|one of the) )"
    r"((?:[\w-]+ ){0,3}?[a-z-]{3,})(?=[,.;:]|$| (?:of|in|on|at|by|from|for|and|who|that|which)\b)"
)
_COUNTRY = re.compile(r"(?:land|Wales|Britain|ia|Burma|Union|UK|U\.?S\.?A?)$")


_UNIT = re.compile(r"\s?(%|°C|(?:million |billion |thousand )?(?:square )?[a-z]{3,})\b")
_NOUN_PHRASE = re.compile(
    r"(?:\b(?:an?|the|of|for|in|on|by|with|from|into) |^)"
    r"((?:(?!and|or|the|an?|its|his|her|their)[a-z-]+ ){0,2}[a-z-]{4,})"
    r"(?=[,.;:]|$| (?:and|in|of|for)\b)"
)
_NO_NAMES = frozenset("much part parts half none nearly others another".split()) | STOP_WORDS


class Thing(NamedTuple):
    """An entity at one place of a passage; ``key`` is alike wherever it is the same entity.

    ``type`` is empty where nothing shows it; ``leads``: the sentence is about it.
    """

    key: str
    name: str
    type: str
    sentence: int
    leads: bool


class Link(NamedTuple):
    """A directed relation between two things, by their keys; ``strength`` is in [1, 10]."""

    source: str
    relation: str
    target: str
    strength: float


class Found(NamedTuple):
    """The things of a passage in order, their links, and its sentences without pronouns."""

    things: list[Thing]
    links: list[Link]
    sentences: list[str]


def life_of(text: str, relations: Sequence[str]) -> Iterator[tuple[str, Thing]]:
    """The dates and places of the birth and death that ``text`` tells, each with its relation.

    ``relations`` are those to the days of birth and death and then to the places.
    """
    kinds = ("date", "date", "place", "place")
    for fact, relation, kind in zip(life_facts(text), relations, kinds, strict=True):
        if fact:
            yield relation, Thing(key(fact.text), fact.text, kind, 0, False)


def is_demonym(name: str) -> bool:
    """Whether ``name`` is, like "Norwegian", no name but an adjective of a country."""
    return nation(name) == "adjective" and not _COUNTRY.search(name)


def type_of_noun(noun: str) -> str:
    """The kind that a common noun names: "painter" a person; other nouns are kinds themselves."""
    kind = kind_of(noun)
    return kind if kind == "person" else noun


def type_of_name(name: str, text: str, start: int, end: int) -> str:
    """The type of ``name``, which is characters ``[start, end)`` of the sentence ``text``."""
    if nation(name):
        return "place"
    words = re.findall(r"[^\W\d_]+", name.lower())
    telling = (form for w in (*words[-1:], *words[:1]) for form in (w, w.removesuffix("s")))
    for form in telling:
        if form in _TYPE_OF:
            return _TYPE_OF[form]
    before, after = text[max(0, start - 40) : start], text[end : end + 80]
    role = _ROLE.search(before)
    if role and kind_of(role[1]) == "person" and len(words) < 5:
        return "person"
    apposition = _APPOSITION.match(after)
    if apposition:
        return type_of_noun(apposition[1].rpartition(" ")[2])
    return _by_position(name, text, start, before)


def _by_position(name: str, text: str, start: int, before: str) -> str:
    people = names(text, "person", "")
    prior = max((found.prior for found in people if found.start == start), default=0.0)
    if PLACED.search(before) and prior < 0.7:
        return "place"
    return "person" if prior >= 0.5 and " " in name and not PARTICULAR.search(before) else ""


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
