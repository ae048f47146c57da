"""Names that may be one thing, in groups small enough for a model to decide."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from ...language.analyser import STOP_WORDS, one_line, sentences, shortened
from ...language.mentions import normalised
from .clusters import Link, Name, compatible
from .senses import FoundFacts, Said

MOST_SHOWN = 120
_CAST = 30  # frequent names of a long document that each of its groups shows
_COMMON = 50  # a word that more names share makes no candidates
_AROUND = 110  # characters of a sentence on either side of a generic name
_LONGEST_SAID = 160
_NAMED_IN = 2  # the least words of a name that a description may contain
_TITLES = frozenset("mr mrs ms miss dr sir lord lady old young little poor master the a an".split())
_ROLES = frozenset(
    """아버지 어머니 엄마 아빠 부모 아들 딸 형 누나 오빠 언니 동생 할아버지 할머니 남편 아내 남자
    여자 사람 소년 소녀 아이 노인 왕 여왕 임금 왕비 왕자 공주 선생님 의사 하인 주인
    손님 유령""".split()
)
_WORD = re.compile(r"[^\W_][\w'’-]*")


class Shown(NamedTuple):
    """A name as it is shown: what is said of it, and where it is said first.

    ``first`` is the place of that passage. A ``generic`` name stands for one passage, whose
    ``sentence`` names it.
    """

    id: str
    name: str
    type: str
    said: tuple[str, ...]
    title: str
    first: int
    generic: bool
    sentence: str


def generic_names(passages: Iterable[FoundFacts]) -> frozenset[str]:
    """Normalised names of persons that are general words, such as "the man" or "Father".

    One word with a capital is general where the texts write it without one, too.
    """
    lower: Counter[str] = Counter()
    found: dict[str, str] = {}
    for one in passages:
        lower.update(word for word in _WORD.findall(one.text) if word[0].islower())
        for fact in one.facts["entities"]:
            if "person" in fact["type"].lower():
                found.setdefault(normalised(fact["name"]), fact["name"])
    return frozenset(name for name, spelling in found.items() if _is_generic(spelling, lower))


def _is_generic(name: str, lower: Mapping[str, int]) -> bool:
    words = [word for word in _WORD.findall(name) if word.lower() not in _TITLES]
    if any(not word.isascii() and word.lower() == word.upper() for word in words):
        return words[-1] in _ROLES or words[0] in {"그", "이", "저", "어떤"}
    proper = [word for word in words if word[0].isupper()]
    return not proper or (len(words) == 1 and proper[0].lower() in lower)


def groups_of(
    names: Sequence[Name], shown: Mapping[str, Shown], links: Iterable[Link]
) -> list[list[str]]:
    """Ids of names that may be one thing, at most ``MOST_SHOWN`` a group.

    ``links`` are the rules' suggestions. The groups of unchanged names stay the same when names
    are added elsewhere.
    """
    neighbours: defaultdict[str, set[str]] = defaultdict(set)
    for a, b in [*(link[:2] for link in links), *_pairs(names, shown)]:
        neighbours[a].add(b)
        neighbours[b].add(a)
    passages = {name.id: len(name.passages) for name in names}
    together = _components(neighbours, shown)
    whole = [group for group in together if len(group) <= MOST_SHOWN]
    long = [part for group in together for part in _windows(group, shown, passages)]
    return [*_packed(whole), *long]


def _pairs(names: Sequence[Name], shown: Mapping[str, Shown]) -> Iterator[tuple[str, str]]:
    """Names that share a word, are told of in each other's descriptions, or stand side by side."""
    yield from _sharing_words(names)
    by_title: defaultdict[str, list[Name]] = defaultdict(list)
    for name in names:
        for title in name.titles:
            by_title[title].append(name)
    for group in by_title.values():
        yield from _told(group, shown)
        yield from _beside(group, shown)


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in normalised(text).split() if word not in STOP_WORDS | _TITLES)


def _sharing_words(names: Sequence[Name]) -> Iterator[tuple[str, str]]:
    """In one document one shared word suffices, else one name contains the other."""
    by_word: defaultdict[str, list[Name]] = defaultdict(list)
    words = {name.id: _words(name.name) for name in names}
    for name in names:
        for word in words[name.id]:
            by_word[word].append(name)
    for found in by_word.values():
        if len(found) > _COMMON:
            continue
        for a, b in combinations(found, 2):
            near = not a.titles.isdisjoint(b.titles)
            within = words[a.id] <= words[b.id] or words[b.id] <= words[a.id]
            if (near or within) and compatible(a.kinds, b.kinds):
                yield a.id, b.id


def _told(group: Sequence[Name], shown: Mapping[str, Shown]) -> Iterator[tuple[str, str]]:
    """Names of which a description contains all words of another: "Fred is Ann's nephew"."""
    by_word: defaultdict[str, set[str]] = defaultdict(set)
    by_id = {name.id: name for name in group}
    for name in group:
        for word in _words(" ".join(shown[name.id].said)):
            by_word[word].add(name.id)
    for name in group:
        words = _words(name.name)
        if len(words) >= _NAMED_IN:
            for id in set.intersection(*(by_word[word] for word in words)) - {name.id}:
                if compatible(name.kinds, by_id[id].kinds):
                    yield name.id, id


def _beside(group: Sequence[Name], shown: Mapping[str, Shown]) -> Iterator[tuple[str, str]]:
    """A general word and the persons of its passage."""
    persons: defaultdict[str, list[str]] = defaultdict(list)
    for name in group:
        if "person" in name.kinds:
            for passage in name.passages:
                persons[passage].append(name.id)
    for name in group:
        if shown[name.id].generic:
            for passage in name.passages:
                yield from ((name.id, id) for id in persons[passage] if id != name.id)


def _components(
    neighbours: Mapping[str, Collection[str]], shown: Mapping[str, Shown]
) -> list[list[str]]:
    """Names that are linked over others, each in the order of the texts."""
    order = sorted(neighbours, key=lambda id: (shown[id].first, id))
    seen: set[str] = set()
    found: list[list[str]] = []
    for start in order:
        if start in seen:
            continue
        waiting, group = [start], {start}
        while waiting:
            for id in neighbours[waiting.pop()]:
                if id not in group:
                    group.add(id)
                    waiting.append(id)
        seen |= group
        found.append(sorted(group, key=lambda id: (shown[id].first, id)))
    return found


def _windows(
    group: Sequence[str], shown: Mapping[str, Shown], passages: Mapping[str, int]
) -> Iterator[list[str]]:
    """Parts of a long group in its order, each with the names that most passages give."""
    if len(group) <= MOST_SHOWN:
        return
    named = [id for id in group if not shown[id].generic]
    cast = sorted(named, key=lambda id: (-passages[id], shown[id].first, id))[:_CAST]
    rest = [id for id in group if id not in set(cast)]
    for start in range(0, len(rest), MOST_SHOWN - _CAST):
        part = {*cast, *rest[start : start + MOST_SHOWN - _CAST]}
        yield sorted(part, key=lambda id: (shown[id].first, id))


def _packed(groups: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """Small groups, several together.

    A group's own first id decides whether it begins a new part, so that a group more changes the
    part it comes into and no other.
    """
    part: list[str] = []
    for group in groups:
        begins = int(group[0][:2], 16) < 8 and len(part) > MOST_SHOWN // 2
        if part and (begins or len(part) + len(group) > MOST_SHOWN):
            yield part
            part = []
        part += group
    if part:
        yield part


def shown_names(
    placed: Iterable[tuple[Said, str]],
    passages: Sequence[FoundFacts],
    generic: Collection[str],
) -> dict[str, Shown]:
    """Every name as it is shown, by id, with the two longest descriptions of it."""
    order = {one.passage: place for place, one in enumerate(passages)}
    groups: defaultdict[str, list[Said]] = defaultdict(list)
    for said, id in placed:
        groups[id].append(said)
    return {
        id: _shown(
            id, sorted(group, key=lambda said: order[said.passage]), order, passages, generic
        )
        for id, group in groups.items()
    }


def _shown(
    id: str,
    group: Sequence[Said],
    order: Mapping[str, int],
    passages: Sequence[FoundFacts],
    generic: Collection[str],
) -> Shown:
    first = group[0]
    place = order[first.passage]
    told = sorted({said.description for said in group if said.description}, key=len)[-2:]
    types = Counter(said.type for said in group if said.type).most_common(1)
    spelling = Counter(said.spelling for said in group).most_common(1)[0][0]
    is_generic = normalised(spelling) in generic
    sentence = _naming(passages[place].text, spelling) if is_generic else ""
    said = tuple(shortened(one, _LONGEST_SAID) for one in reversed(told))
    return Shown(
        id, spelling, types[0][0] if types else "", said, first.title, place, is_generic, sentence
    )


def _naming(text: str, name: str) -> str:
    """The first sentence that has ``name``, cut to its surroundings; empty where none has it."""
    bare = re.sub(r"^(?:the|an?)\s+", "", name, flags=re.IGNORECASE).lower()
    for span in sentences(text):
        sentence = one_line(span.text)
        place = sentence.lower().find(bare)
        if place >= 0:
            start = max(0, place - _AROUND)
            cut = sentence[start : place + len(bare) + _AROUND]
            return f"{'…' * (start > 0)}{cut}{'…' * (start + len(cut) < len(sentence))}"
    return ""
