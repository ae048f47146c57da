"""The named things of a passage: their types, as far as the words around them tell."""

from __future__ import annotations

import re
from typing import NamedTuple

_WORDS = {
    "organisation": """academy agency army association authority band bank board bureau church club
    college commission committee company corporation council department foundation government group
    hospital inc institute institution league library ltd ministry museum navy orchestra
    organization parliament party police press school senate society studios team union
    university""",
    "place": """airport avenue bay bridge building castle cathedral city county creek desert
    district falls forest fort garden gardens harbor harbour hill hills island islands isle
    kingdom lake mount mountain mountains ocean palace park peninsula province region republic
    reservoir river road sea square state states station street temple territory tower town valley
    village""",
    "event": """awards battle ceremony championship championships congress crisis cup earthquake
    election elections expedition festival games massacre olympics rebellion revolution riots siege
    tournament treaty uprising war wars""",
    "work": "album anthem book film magazine newspaper novel opera play poem series song symphony",
    "person": """actor actress admiral architect artist author ballplayer bishop boy builder captain
    clerk composer conductor dancer daughter director doctor emperor empress explorer father
    founder gentleman girl governor harpooner inventor judge king lady lawyer leader man mariner
    mayor merchant minister monk mother nurse officer painter philosopher player poet politician
    preacher president priest prince princess producer professor queen rapper ruler sailor scholar
    sculptor senator singer sister soldier teacher woman writer""",
}
_KIN = (
    r"(?:nephew|niece|sister|brother|father|mother|son|daughter|wife|husband|uncle|aunt|cousin"
    r"|widow|grandson|granddaughter|grandfather|grandmother)"
)
_TYPE_OF = {word: type_ for type_, words in _WORDS.items() for word in words.split()}
_PERSON_NOUN = re.compile(rf"{_KIN}$|partner$|\w(?:ist|ian|woman|sman|eer|ographer)$")
ADDRESS = frozenset(
    """mr sir dr doctor prof professor capt captain col colonel gen general lt lieutenant sgt
    sergeant master uncle father rev reverend old""".split()
)
TITLES = ADDRESS | frozenset(
    """mrs ms miss madam lady lord king queen prince princess emperor empress duke duchess count
    countess baron pope saint president aunt""".split()
)
_SAYS = (
    r"(?:said|says|cried|asked|replied|returned|answered|exclaimed|whispered|shouted|murmured"
    r"|inquired|retorted|muttered|remarked)"
)
_PERSON_BEFORE = re.compile(
    rf"\b(?:{_SAYS}|(?:his|her|my|your|their)(?: \w+)? {_KIN},?) (?:the )?$"
)
_PERSON_AFTER = re.compile(
    rf"\s?(?:{_SAYS}\b|['’]s? {_KIN}\b|,? (?:himself|herself)\b|, who\b|,? ?(?:was )?born\b"
    r"|\((?:born|b\.|née)|\((?:\d{1,2} [A-Z][a-z]+|[A-Z][a-z]+ \d{1,2},) \d{4}[^()]{0,60}[–-])"
)
_PLACE_BEFORE = re.compile(
    r"\b(?:born|died|lived?s?|living|resides?d?|located|situated|settled|arrived|studied|raised"
    r"|buried|based|headquartered) (?:in|at|near) $"
    r"|\b(?:city|town|village|state|island|capital|port|country) of $"
)
_DEFINED = re.compile(
    r"(?: \([^()]*\))?(?:, (?:an?|the) | (?:is|was|are|were) (?:an?|the|one of the) )"
    r"((?:[\w-]+ ){0,4}?[a-z-]{3,})(?=[,.;:]|$| (?:of|in|on|at|by|from|for|and|who|that|which)\b)"
    r"|, ([a-z]{3,}) (?:of|to) "
)
_WORK_BEFORE = re.compile(
    r"\b(?:album|article|book|essay|film|movie|novel|opera|play|poem|series|show|song|story|tale)"
    r"\b[^.]{0,20}$"
)


class Mark(NamedTuple):
    """A named thing in a sentence: characters ``[start, end)`` of it; ``type`` may be empty."""

    start: int
    end: int
    key: str
    name: str
    type: str


class KeyLink(NamedTuple):
    """A directed relation between two things, by their keys; ``strength`` is in [1, 10]."""

    source: str
    relation: str
    target: str
    strength: float


class MarkedPassage(NamedTuple):
    """The sentences of a passage, the marks of each of them, and the links."""

    sentences: list[str]
    marks: list[list[Mark]]
    links: list[KeyLink]


def type_of_noun(noun: str) -> str:
    """The type that a common noun names, such as "person" for "painter"; empty if not known."""
    return _TYPE_OF.get(noun) or ("person" if _PERSON_NOUN.search(noun) else "")


def type_of_name(name: str, text: str, start: int, end: int) -> str:
    """The type of ``name`` at ``[start, end)`` of the sentence ``text``; empty if not known."""
    words = re.findall(r"[^\W\d_]+", name.lower())
    if words and words[0] in TITLES and len(words) > 1 and "of" not in words:
        return "person"
    if len(words) > 1:
        told = _TYPE_OF.get(words[-1]) or _TYPE_OF.get(words[0], "")
        if told and told != "person":
            return told
    before, after = text[max(0, start - 60) : start], text[end : end + 120]
    if _PERSON_BEFORE.search(before) or _PERSON_AFTER.match(after):
        return "person"
    if _PLACE_BEFORE.search(before) and not re.match(r"['’]s?\b", after):
        return "place"
    defined = _DEFINED.match(after)
    return type_of_noun((defined[1] or defined[2]).rpartition(" ")[2]) if defined else ""


def type_of_quoted(name: str, text: str, start: int, end: int) -> str:
    """The type of what is quoted at ``[start, end)`` of ``text``: a work, or not known."""
    return "work" if len(name.split()) > 2 or _WORK_BEFORE.search(text[:start]) else ""
