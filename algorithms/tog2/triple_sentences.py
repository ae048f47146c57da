"""Triples as short sentences."""

from __future__ import annotations

import re

# The relations, in English and Korean, between names that only stand together.
MENTIONED_WITH = "is mentioned with"
MENTIONED_WITH_KOREAN = "와 함께 언급된다"
CO_OCCURRENCE = frozenset({MENTIONED_WITH, MENTIONED_WITH_KOREAN})
_COPULA = frozenset({"is", "are", "was", "were"})
_PREPOSITIONS = frozenset(
    """in on at of from by for with to into near under within during after before between
    against among""".split()
)
_PASSIVE = frozenset(
    """located based born situated held written named known set made built founded established
    published released directed produced filmed bordered composed created owned headquartered
    released recorded buried married related connected dedicated designed developed""".split()
)
_NOUN_ENDING = re.compile(
    r"(?:or|er|ist|ian|ment|ship|ality|tion|sion|name|mate|ance|ence|ity|hood|ress|rix)$"
)
_NOUNS = frozenset(
    """capital country spouse husband wife father mother son daughter child brother sister parent
    sibling president king queen part member city state place date birthplace genre currency
    language head chief coach cast subsidiary rival friend population area location age home
    official student band label colleague successor heir species type kind form site seat town
    birthday instance subclass origin cause result""".split()
)
_ADJECTIVES = frozenset(
    "first second last former current main chief largest oldest eldest youngest only own".split()
)
_NOT_NOUNS = frozenset("offer cover enter consider discover deliver defer refer answer".split())


def triple_sentence(source: str, relation: str, target: str) -> str:
    """A triple as a short sentence; ``relation`` may be a verb phrase or a noun.

    "Jaws was directed by Steven Spielberg.", "Steven Spielberg is director of Jaws.", "The
    director of Jaws is Steven Spielberg.", "Jaws's director is Steven Spielberg."
    """
    phrase = " ".join(relation.split()).strip(" .")
    parts = phrase.lower().split()
    if not parts or not phrase.isascii():
        return " ".join(f"{source} {phrase} {target}".split()) + "."
    if parts[0] in {"the", "a", "an"}:
        parts = parts[1:] or parts
    first, last = parts[0], parts[-1]
    if last in _COPULA and len(parts) > 1 and first not in _COPULA:
        return f"{source}'s {phrase} {target}."
    if _is_noun(first) or (first in _ADJECTIVES and any(map(_is_noun, parts[1:]))):
        if last in _PREPOSITIONS and len(parts) > 1:
            return f"{source} is {phrase} {target}."
        return f"The {' '.join(parts)} of {source} is {target}."
    done = last == "by" and first.endswith(("ed", "en", "wn"))
    if len(parts) > 1 and (done or (first in _PASSIVE and last in _PREPOSITIONS)):
        return f"{source} {'is' if first == 'located' else 'was'} {phrase} {target}."
    be = "is " if first in _PREPOSITIONS else ""
    return f"{source} {be}{phrase} {target}."


def _is_noun(word: str) -> bool:
    return word in _NOUNS or bool(_NOUN_ENDING.search(word) and word not in _NOT_NOUNS)
