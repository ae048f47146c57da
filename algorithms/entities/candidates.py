"""Names that may be one thing, in groups small enough for a model to decide."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from ...language.analyser import STOP_WORDS, one_line, sentences, shortened
from ...language.mentions import normalised
from .clusters import Link, Name, abbreviated, compatible, initials, sharing
from .sense_kinds import Said
from .senses import FoundFacts
from .spellings import kinds_of

MOST_SHOWN = 120
_CAST = 30  # frequent names of a long document that each of its groups shows
_AROUND = 110  # characters of a sentence on either side of a generic name
_LONGEST_SAID = 160
_DIGITS = 16  # of an id, in hexadecimal: enough for every number of groups
_HARDLY_HOMONYMS = frozenset({"place", "date", "number", "species"})
_MOST_SENSES = 4  # lines of one name
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_NAMED_IN = 2  # the least words of a name that a description may contain
_TITLES = frozenset("mr mrs ms miss dr sir lord lady old young little poor master the a an".split())
_ROLES = frozenset(
    """아버지 어머니 엄마 아빠 부모 아들 딸 형 누나 오빠 언니 동생 할아버지 할머니 남편 아내 남자
    여자 사람 소년 소녀 아이 노인 왕 여왕 임금 왕비 왕자 공주 선생님 의사 하인 주인
    손님 유령""".split()
)
_WORD = re.compile(r"[^\W_][\w'’-]*")


class ShownName(NamedTuple):
    """A name as it is shown, in a line: what is said of it, and where it is said first.

    ``first`` is the place of that passage, and ``members`` are the places of all that is meant in
    what was placed. A ``generic`` name stands for one passage, whose ``sentence`` names it; a name
    of which documents say quite different things has several lines.
    """

    name: str
    type: str
    said: tuple[str, ...]
    title: str
    first: int
    generic: bool
    sentence: str
    members: tuple[int, ...]


Lines = Mapping[str, Sequence[ShownName]]


def generic_names(passages: Iterable[FoundFacts]) -> dict[str, str]:
    """Normalised names of persons that are general words, such as "the man" or "Father".

    One word with a capital is general where the texts write it without one, too: each comes with
    that word, if it hangs on one.
    """
    lower: set[str] = set()
    found: dict[str, str] = {}
    for one in passages:
        lower.update(small_words(one.text))
        keep_persons(one, found)
    return generic_among(found, lower)


def small_words(text: str) -> set[str]:
    """The words of a text that begin with a small letter."""
    return {word for word in set(_WORD.findall(text)) if word[0].islower()}


def keep_persons(one: FoundFacts, found: dict[str, str]) -> None:
    """Adds the first spelling of each person that a passage names to ``found``."""
    for fact in one.facts["entities"]:
        if "person" in fact["type"].lower():
            found.setdefault(normalised(fact["name"]), fact["name"])


def generic_among(found: Mapping[str, str], lower: Container[str]) -> dict[str, str]:
    """The generic ones among names with their spellings, given all words with a small letter."""
    return {
        name: only_word(spelling)
        for name, spelling in found.items()
        if _is_generic(spelling, lower)
    }


def only_word(spelling: str) -> str:
    """The one word with a capital that a name without titles is, in small letters, if it is one."""
    words = [word for word in _WORD.findall(spelling) if word.lower() not in _TITLES]
    return words[0].lower() if len(words) == 1 and words[0][0].isupper() else ""


def _is_generic(name: str, lower: Container[str]) -> bool:
    words = [word for word in _WORD.findall(name) if word.lower() not in _TITLES]
    if any(not word.isascii() and word.lower() == word.upper() for word in words):
        return words[-1] in _ROLES or words[0] in {"그", "이", "저", "어떤"}
    proper = [word for word in words if word[0].isupper()]
    return not proper or (len(words) == 1 and proper[0].lower() in lower)


def groups_of(names: Sequence[Name], lines: Lines, links: Iterable[Link]) -> list[list[ShownName]]:
    """Names that may be one thing, at most ``MOST_SHOWN`` lines a group, as a model is shown them.

    ``lines`` are the lines of each name, by id, and ``links`` the rules' suggestions. The groups of
    unchanged names stay the same when names are added elsewhere.
    """
    neighbours: defaultdict[str, set[str]] = defaultdict(set)
    for a, b in [*(link[:2] for link in links), *_pairs(names, lines)]:
        neighbours[a].add(b)
        neighbours[b].add(a)
    for id, own in lines.items():
        if len(own) > 1:
            neighbours[id]  # homonyms are decided even where no other name is like them
    passages = {name.id: len(name.passages) for name in names}
    together = _components(neighbours, lines)
    whole = [group for group in together if _size(group, lines) <= MOST_SHOWN]
    long = [part for group in together for part in _windows(group, lines, passages)]
    return [
        sorted((line for id in group for line in lines[id]), key=lambda line: line.first)
        for group in [*_packed(whole, lines), *long]
    ]


def _size(group: Iterable[str], lines: Lines) -> int:
    return sum(len(lines[id]) for id in group)


def _pairs(names: Sequence[Name], lines: Lines) -> Iterator[tuple[str, str]]:
    """Names that share a word, are told of in each other's descriptions, or stand side by side."""
    yield from _sharing_words(names)
    by_title: defaultdict[str, list[Name]] = defaultdict(list)
    for name in names:
        for title in name.titles:
            by_title[title].append(name)
    for group in by_title.values():
        yield from _told(group, lines)
        yield from _beside(group, lines)


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in normalised(text).split() if word not in STOP_WORDS | _TITLES)


def _sharing_words(names: Sequence[Name]) -> Iterator[tuple[str, str]]:
    """In one document one shared word suffices, else one name contains or abbreviates the other."""
    words = {name.id: _words(name.name) for name in names}
    for found in sharing(names, lambda name: words[name.id]):
        for a, b in combinations(found, 2):
            near = not a.titles.isdisjoint(b.titles)
            within = words[a.id] <= words[b.id] or words[b.id] <= words[a.id]
            if (near or within) and compatible(a.kinds, b.kinds):
                yield a.id, b.id
    for found in sharing(names, initials):
        for a, b in combinations(found, 2):
            if abbreviated(a, b) and compatible(a.kinds, b.kinds):
                yield a.id, b.id


def _told(group: Sequence[Name], lines: Lines) -> Iterator[tuple[str, str]]:
    """Names of which a description contains all words of another: "Fred is Ann's nephew"."""
    by_word: defaultdict[str, set[str]] = defaultdict(set)
    by_id = {name.id: name for name in group}
    for name in group:
        for word in _words(" ".join(text for line in lines[name.id] for text in line.said)):
            by_word[word].add(name.id)
    for name in group:
        words = _words(name.name)
        if len(words) >= _NAMED_IN:
            for id in set.intersection(*(by_word[word] for word in words)) - {name.id}:
                if compatible(name.kinds, by_id[id].kinds):
                    yield name.id, id


def _beside(group: Sequence[Name], lines: Lines) -> Iterator[tuple[str, str]]:
    """A general word and the persons of its passage."""
    persons: defaultdict[str, list[str]] = defaultdict(list)
    for name in group:
        if "person" in name.kinds:
            for passage in name.passages:
                persons[passage].append(name.id)
    for name in group:
        if lines[name.id][0].generic:
            for passage in name.passages:
                yield from ((name.id, id) for id in persons[passage] if id != name.id)


def _components(neighbours: Mapping[str, Collection[str]], lines: Lines) -> list[list[str]]:
    """Names that are linked over others, each in the order of the texts."""
    order = sorted(neighbours, key=lambda id: (lines[id][0].first, id))
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
        found.append(sorted(group, key=lambda id: (lines[id][0].first, id)))
    return found


def _windows(
    group: Sequence[str], lines: Lines, passages: Mapping[str, int]
) -> Iterator[list[str]]:
    """Parts of a long group in its order, each with the names that most passages give."""
    if _size(group, lines) <= MOST_SHOWN:
        return
    named = [id for id in group if not lines[id][0].generic]
    cast = sorted(named, key=lambda id: (-passages[id], lines[id][0].first, id))
    shared = next(_filled(cast, lines, _CAST), [])
    rest = [id for id in group if id not in set(shared)]
    yield from ([*shared, *part] for part in _filled(rest, lines, MOST_SHOWN - _CAST))


def _filled(group: Iterable[str], lines: Lines, room: int) -> Iterator[list[str]]:
    """Parts of a group in its order, each of at most ``room`` lines."""
    part: list[str] = []
    for id in group:
        if part and _size([*part, id], lines) > room:
            yield part
            part = []
        part.append(id)
    if part:
        yield part


def _packed(groups: Sequence[Sequence[str]], lines: Lines, bit: int = 0) -> Iterator[list[str]]:
    """Small groups, several together.

    The digits of a group's own least id decide with which others it comes together, so that a
    group more changes the part it comes into and no other.
    """
    if sum(_size(group, lines) for group in groups) <= MOST_SHOWN or len(groups) == 1:
        yield from [[id for group in groups for id in group]] if groups else []
        return
    for half in (0, 1):
        own = [group for group in groups if int(min(group)[-_DIGITS:], 16) >> bit & 1 == half]
        yield from _packed(own, lines, bit + 1)


class _TextPlace(NamedTuple):
    """A passage's place among the texts, and its ``text`` where that has a generic name."""

    place: int
    heading: str
    text: str


def shown_names(
    placed: Sequence[tuple[Said, str]], passages: Iterable[FoundFacts], generic: Collection[str]
) -> dict[str, list[ShownName]]:
    """Every name as it is shown, by id: one line, or several where it may mean several things."""
    general = {said.passage for said, _ in placed if normalised(said.spelling) in generic}
    order = {
        one.passage: _TextPlace(place, one.heading, one.text if one.passage in general else "")
        for place, one in enumerate(passages)
    }
    names: defaultdict[str, list[int]] = defaultdict(list)
    for place in sorted(range(len(placed)), key=lambda at: order[placed[at][0].passage].place):
        names[placed[place][1]].append(place)
    return {
        id: [_shown(line, placed, order, generic) for line in _senses(own, placed)]
        for id, own in names.items()
    }


def _senses(own: Sequence[int], placed: Sequence[tuple[Said, str]]) -> list[list[int]]:
    """Statements under one name, parted where documents say quite different things of it.

    A document joins the first line with which it shares a year, or another word where not both
    have a year; kinds of things, such as "film", do not count. Others join the last of
    ``_MOST_SENSES``. Places and dates of one name are one thing.
    """
    documents: defaultdict[str, list[int]] = defaultdict(list)
    for place in own:
        documents[placed[place][0].title].append(place)
    if len(documents) == 1:
        return [list(own)]
    lines: list[tuple[list[int], set[str]]] = []
    silent: list[int] = []
    for part in documents.values():
        said = [placed[place][0] for place in part]
        words = set().union(*(_telling(one) for one in said))
        kinds = {kind for one in said for kind in kinds_of(one.type)[:1]}
        if not words or not kinds.isdisjoint(_HARDLY_HOMONYMS):
            silent += part
            continue
        near = (line for line in lines if _tell_alike(line[1], words))
        found = next(near, None) or (lines[-1] if len(lines) == _MOST_SENSES else None)
        if found:
            found[0].extend(part)
            found[1].update(words)
        else:
            lines.append((part, words))
    if not lines:
        return [list(own)]
    lines[0][0].extend(silent)
    return [part for part, _ in lines]


def _telling(said: Said) -> set[str]:
    """The words of a description that tell things of one name and type apart."""
    known = {*normalised(said.spelling).split(), *normalised(said.type).split()}
    words = set(normalised(said.description).split()) - STOP_WORDS - known
    return {word for word in words if not kinds_of(word)}


def _tell_alike(a: Collection[str], b: Collection[str]) -> bool:
    years = [{word for word in words if _YEAR.fullmatch(word)} for words in (a, b)]
    shared = years[0] & years[1] if all(years) else set(a) & set(b)
    return bool(shared)


def _shown(
    members: Sequence[int],
    placed: Sequence[tuple[Said, str]],
    order: Mapping[str, _TextPlace],
    generic: Collection[str],
) -> ShownName:
    group = sorted(
        (placed[place][0] for place in members), key=lambda said: order[said.passage].place
    )
    first = group[0]
    place = order[first.passage]
    every = {said.description for said in group if said.description}
    told = sorted(every, key=lambda text: (len(text), text))[-2:]
    types = Counter(said.type for said in group if said.type).most_common(1)
    spelling = Counter(said.spelling for said in group).most_common(1)[0][0]
    is_generic = normalised(spelling) in generic
    return ShownName(
        name=spelling,
        type=types[0][0] if types else "",
        said=tuple(shortened(one, _LONGEST_SAID) for one in reversed(told)),
        title=place.heading or first.title,
        first=place.place,
        generic=is_generic,
        sentence=_naming(place.text, spelling) if is_generic else "",
        members=tuple(members),
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
