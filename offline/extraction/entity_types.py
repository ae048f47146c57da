"""What kind of thing a name in a text stands for, from the words in it and around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...language.answer_types import life_facts, names
from ...language.mentions import key
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
