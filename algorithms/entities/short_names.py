"""Names of one word by which texts call a person whose full name is known."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from ...language.mentions import normalised
from ...state.entities import Entity
from .senses import FoundFacts
from .spans import SpellingIndex
from .spellings import is_full_name

_WORD = re.compile(r"[^\W_]+")
_PARTICLE = re.compile(r"[가-힣]+$")
_MOST = 2 / 3  # of the places where the word stands alone, in passages about one person


def with_short_names(
    entities: Sequence[Entity], passages: Iterable[FoundFacts]
) -> tuple[Entity, ...]:
    """The entities, each person with the words of the full name that texts call that person by.

    A model that names everybody in full leaves "Scrooge" to nobody. The word is an alias where it
    stands alone in a text, mostly in passages about this person, and nothing else is named so.
    """
    taken = {normalised(alias) for entity in entities for alias in entity.aliases}
    bearers: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        for word in _words(entity):
            if normalised(word) not in taken:
                bearers[word].append(entity)
    found: defaultdict[str, list[str]] = defaultdict(list)
    spelled = _spelled(entities)
    alone: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in passages:
        words = [word for word in _written(one.text) if word in bearers]
        if words:
            for word, count in _alone(one.text, words, spelled.get(one.passage, ())).items():
                alone[word][one.passage] = count
    for word, counts in alone.items():
        shares = [(sum(counts[passage] for passage in one.passages), one) for one in bearers[word]]
        most, entity = max(shares, key=lambda share: (share[0], share[1].id))
        if most > _MOST * counts.total():
            found[entity.id].append(word)
    return tuple(
        entity._replace(aliases=(*entity.aliases, *sorted(found[entity.id]))) for entity in entities
    )


def _words(entity: Entity) -> set[str]:
    """The first and the last word of the full names of a person."""
    if entity.type != "person":
        return set()
    names = [alias.split() for alias in entity.aliases if is_full_name(alias)]
    proper = [words for words in names if all(w.isalpha() and w[0].isupper() for w in words)]
    return {word for words in proper for word in (words[0], words[-1])}


def _written(text: str) -> set[str]:
    """The words of a text, those with a Korean particle without it too."""
    words = set(_WORD.findall(text))
    return words | {_PARTICLE.sub("", word) for word in words}


def _spelled(entities: Iterable[Entity]) -> Mapping[str, list[str]]:
    """The spellings of the entities of every passage."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for entity in entities:
        for passage in entity.passages:
            found[passage].extend(entity.aliases)
    return found


def _alone(text: str, words: Collection[str], spellings: Iterable[str]) -> Counter[str]:
    """How often each of ``words`` stands in ``text`` outside of all ``spellings``."""
    known = {spelling: [""] for spelling in spellings}
    index = SpellingIndex({**known, **{word: [word] for word in words}})
    return Counter(span.entity for span in index.find(text) if span.entity)
