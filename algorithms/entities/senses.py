"""Resolving names where they stand: by kind, corrections, short names and explained aliases."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

from ...language.mentions import normalised
from ...state.entities import KnownName, Merge, Parting, Reason, SaidName
from ...state.facts import PassageFacts
from .clusters import Link, Name, compatible, similarity
from .decisions import ALONE, Decisions, alone, digest, entity_id
from .near import AskedNames, Near
from .persons import Persons
from .sense_kinds import Said, by_kinds, divided
from .spellings import ALIAS_RELATION, Alias, aliases_in_text, is_byname, kinds_of, person_parts

_T = TypeVar("_T")
_SAME: Reason = "same normalised name"


class FoundFacts(NamedTuple):
    """The facts of one passage; passages with the same ``title`` are of one document.

    ``start`` is the first character of the passage in its document, ``heading`` what people call
    the document, empty where that is its ``title``; ``spelled`` are the names in it, once found.
    """

    passage: str
    title: str
    text: str
    facts: PassageFacts
    start: int = 0
    heading: str = ""
    spelled: tuple[SpelledName, ...] | None = None


class SpelledName(NamedTuple):
    """A name that the facts of a passage have, with all that they tell of it."""

    spelling: str
    type: str
    description: str


def spelled_in(one: FoundFacts) -> Iterator[SpelledName]:
    """A passage's entities, and the ends of relations and claims that are none of them."""
    if one.spelled is not None:
        yield from one.spelled
        return
    named = set[str]()
    texts: dict[str, str] = {}  # many names of a passage have one description
    facts = [(e["name"], e["type"], e["description"]) for e in one.facts["entities"]]
    for relation in one.facts["relations"]:
        facts += [(relation["source"], "", ""), (relation["target"], "", "")]
    facts += [(claim["subject"], "", "") for claim in one.facts["claims"]]
    for place, (name, type, description) in enumerate(facts):
        spelling = " ".join(name.split())
        slot, is_end = normalised(spelling), place >= len(one.facts["entities"])
        if not slot or (is_end and slot in named):
            continue
        named.add(slot)
        told = description.strip()
        yield SpelledName(spelling, type, texts.setdefault(told, told))


class Senses:
    """Every name that passages give, each assigned to a normalised name of one kind by its id.

    ``passages`` is gone through several times, each time in the order of titles and starts, so
    that the facts of all need not be in memory. ``placed`` is all that was said with its id, first
    the ``given`` names, then aliases; ``merges`` are those made inside passages and documents,
    ``alias_links`` those that texts suggest for the corpus.
    """

    def __init__(
        self,
        passages: Iterable[FoundFacts],
        decisions: Decisions,
        generic: Collection[str] = (),
        parted: Iterable[Parting] = (),
        by_model: bool = False,
        near: Near | None = None,
    ) -> None:
        """``generic`` names, in normalised form, are another in every passage.

        ``parted`` names are another in their passages. Where a model will decide, nobody is taken
        for a person of the same surname. ``near`` tells of the rest of the corpus.
        """
        self.passages = passages
        self._near = near
        self._decisions = decisions
        self._generic = frozenset(generic)
        self._parted = {
            (passage, one.name): digest(*one.passages) for one in parted for passage in one.passages
        }
        self._one: dict[Any, Any] = {}  # what is equal is kept once
        self._sense: dict[str, tuple[str, frozenset[str]]] = {}
        said = [said for one in passages for said in self._near_names(one)]
        self._own = self._assigned(said)
        self.placed = list(zip(said, self._own, strict=True))
        self.given = len(self.placed)
        self.short = [] if by_model else self._short_names()
        self._by_short = [id for _, id in self.placed]
        self._locate()
        explained, self.alias_links = self._aliases()
        self._locate()
        self.merges = [*self._spellings(), *self.short, *explained]

    def _once(self, value: _T) -> _T:
        kept: _T = self._one.setdefault(value, value)
        return kept

    def _own_sense(self, passage: str, name: str) -> str:
        """Qualifier that distinguishes ``name`` in ``passage`` from namesakes, usually empty."""
        return passage if name in self._generic else self._parted.get((passage, name), "")

    def by_themselves(self) -> set[str]:
        """The ids of names that mean another thing than the same name elsewhere."""
        return {
            id
            for said, id in self.placed
            if self._own_sense(said.passage, normalised(said.spelling))
        }

    def _locate(self) -> None:
        self._counts = Counter(id for _, id in self.placed)
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, (said, _) in enumerate(self.placed):
            self._places[said.passage].append(place)

    def said_in(self, passage: str) -> list[tuple[Said, str]]:
        """The names of a passage, each with its id."""
        return [self.placed[place] for place in self._places.get(passage, ())]

    def located(self, passage: str) -> dict[str, str]:
        """The id of every name in a passage, by spelling and by normalised form.

        Of homonyms there it is the more frequent.
        """
        chosen: dict[str, str] = {}
        for said, id in sorted(
            self.said_in(passage), key=lambda pair: (-self._counts[pair[1]], pair[1])
        ):
            chosen.setdefault(said.spelling, id)
            chosen.setdefault(normalised(said.spelling), id)
        return chosen

    def names(self) -> list[Name]:
        """The names to be merged, each with its passages, titles and neighbours."""
        neighbours = self._neighbours()
        main = {id: spellings[0] for id, spellings in self._main_spellings()}
        order = sorted(range(len(self.placed)), key=lambda place: self.placed[place][1])
        found: list[Name] = []
        for id, places in groupby(order, key=lambda place: self.placed[place][1]):
            said = [self.placed[place][0] for place in places]
            found.append(
                Name(
                    id=id,
                    name=main[id],
                    kinds=self._sense[id][1],
                    passages=self._once(frozenset(one.passage for one in said)),
                    titles=self._once(frozenset(one.title for one in said)),
                    neighbours=frozenset(neighbours.pop(id, ())),
                )
            )
        self._one.clear()
        return found

    def _main_spellings(self) -> Iterator[tuple[str, list[str]]]:
        """The spellings of every normalised name of one kind, the most frequent first."""
        order = sorted(range(self.given), key=self._own.__getitem__)
        for id, places in groupby(order, key=self._own.__getitem__):
            spelled = [self.placed[place][0].spelling for place in places]
            if len(every := set(spelled)) == 1:
                yield id, [*every]
                continue
            counts = Counter(spelled)
            yield id, [spelling for _, spelling in sorted((-n, s) for s, n in counts.items())]

    def _spellings(self) -> list[Merge]:
        """Merges of spellings with one normalised name; each has its own id, to split it."""
        return [
            Merge(main, id, other, entity_id(alone(other), self._sense[id][0]), _SAME, 1.0)
            for id, (main, *others) in self._main_spellings()
            for other in others
        ]

    def _near_names(self, one: FoundFacts) -> Iterator[Said]:
        near = self._near
        if near is None or one.title in near.documents:
            return self.names_in(one)
        here = (name for name in spelled_in(one) if normalised(name.spelling) in near.slots)
        return (self.said_as(one, name) for name in here)

    def _whole(self) -> Iterator[FoundFacts]:
        """The passages of which all names are gone through."""
        near = self._near
        return (one for one in self.passages if near is None or one.title in near.documents)

    def names_in(self, one: FoundFacts) -> Iterator[Said]:
        """A passage's entities, and the ends of relations and claims that are none of them."""
        return (self.said_as(one, name) for name in spelled_in(one))

    def said_as(self, one: FoundFacts, name: SpelledName) -> Said:
        """A name that ``spelled_in`` has found in a passage."""
        slot = self._decisions.slot(name.spelling)
        if own := self._own_sense(one.passage, normalised(name.spelling)):
            slot += ALONE + own
        return Said(
            one.passage,
            self._once(one.title),
            self._once(name.spelling),
            self._once(slot),
            self._once(" ".join(name.type.lower().split())),
            name.description,
        )

    def _assigned(self, said: Sequence[Said]) -> list[str]:
        """The id of each of the names, by its slot and its kind."""
        own = [""] * len(said)
        order = sorted(range(len(said)), key=lambda place: said[place].slot)
        for slot, places in groupby(order, key=lambda place: said[place].slot):
            group = list(places)
            every = {kinds_of(said[place].type) for place in group}
            if len(every) == 1:  # mostly: there is one sense, in which all are meant
                kinds = every.pop()
                sense = self._once((kinds[0] if kinds else "", frozenset(kinds)))
                id = self._once(entity_id(slot, sense[0]))
                self._sense[id] = sense
                for place in group:
                    own[place] = id
                continue
            senses = divided(Counter(kinds_of(said[place].type) for place in group))
            ids: dict[tuple[str, ...], str] = {}
            for kinds, sense in senses.items():
                ids[kinds] = self._once(entity_id(slot, sense[0]))
                self._sense[ids[kinds]] = self._once(sense)
            for place, id in zip(group, by_kinds([said[at] for at in group], ids), strict=True):
                own[place] = id
        return own

    def _short_names(self) -> list[Merge]:
        """Where a document names one person in full only, the surname alone is that person."""
        merges: dict[tuple[str, str], Merge] = {}
        moved: dict[tuple[str, str], str] = {}
        for title, group in groupby(self.placed, key=lambda pair: pair[0].title):
            if self._near and title not in self._near.documents:
                continue
            self._short_names_in(list(group), merges, moved)
        self._move(moved)
        return list(merges.values())

    def _short_names_in(
        self,
        document: Sequence[tuple[Said, str]],
        merges: dict[tuple[str, str], Merge],
        moved: dict[tuple[str, str], str],
    ) -> None:
        """Adds the merges in one document, and the id that each name moves to in its passage."""
        whole, passages = Persons(), defaultdict[str, Persons](Persons)
        for said, id in document:
            several = len(person_parts(said.spelling)) > 1 and not is_byname(said.spelling)
            if several and "person" in self._sense[id][1]:
                whole.add(id, said.spelling)
                passages[said.passage].add(id, said.spelling)
        for said, id in document if whole.spellings else ():
            single = len(person_parts(said.spelling)) == 1 and not self._own_sense(
                said.passage, normalised(said.spelling)
            )
            if not single or not compatible(self._sense[id][1], {"person"}):
                continue
            known = "person" in self._sense[id][1]
            near = (place.meant(said.spelling, known) for place in (passages[said.passage], whole))
            full = next(filter(None, near), None)
            if full is None:
                continue
            spelling = whole.spellings[full]
            if not self._decisions.forbid((said.spelling, id), (spelling, full)):
                moved[said.passage, id] = full
                score = similarity(said.spelling, spelling)
                merge = Merge(spelling, full, said.spelling, id, "short name", score)
                merges.setdefault((id, full), merge)

    def _move(self, moved: Mapping[tuple[str, str], str]) -> None:
        """Gives names another id in a passage: ``moved`` has it by passage and former id."""
        for place, (said, id) in enumerate(self.placed if moved else ()):
            if (said.passage, id) in moved:
                self.placed[place] = said, moved[said.passage, id]

    def _aliases(self) -> tuple[list[Merge], list[Link]]:
        """Names that texts explain by others: merges inside passages, and links for the corpus.

        An alias explained by one name only counts everywhere, one with several in its passage.
        """
        known = AskedNames({normalised(said.spelling) for said, _ in self.placed}, self._near)
        explained = list(self._explanations(known))
        meanings: defaultdict[str, set[str]] = defaultdict(set)
        for one in explained:
            meanings[normalised(one.alias)].add(one.id)
        borne: defaultdict[str, set[str]] = defaultdict(set)
        for said, id in self.placed:
            if (name := normalised(said.spelling)) in meanings:
                borne[name].add(id)
        merges: dict[tuple[str, str], Merge] = {}
        moved: dict[tuple[str, str], str] = {}
        for passage, title, name, id, alias, own in explained:
            unique = len(meanings[normalised(alias)]) == 1 and normalised(alias) in known
            if unique or own == id or self._decisions.forbid((name, id), (alias, own)):
                continue
            merges.setdefault((own, id), Merge(name, id, alias, own, "alias in text", 1.0))
            moved[passage, own] = id
            if normalised(alias) not in known:
                said = Said(passage, title, alias, normalised(alias), "", "")
                self.placed.append((said, id))
        self._move(moved)
        links = [
            Link(id, other, "alias in text", 1.0)
            for alias, ids in meanings.items()
            if len(ids) == 1
            for id in ids
            for other in borne.get(alias, ())
            if other != id and compatible(self._sense[id][1], self._sense[other][1])
        ]
        return list(merges.values()), links

    def _explanations(self, known: AskedNames) -> Iterator[_Explained]:
        """All that texts and relations explain."""
        self.explained = set[tuple[str, str, str]]()
        for one in self._whole():
            names = {normalised(said.spelling) for said, _ in self.said_in(one.passage)}
            known.asked.clear()
            pairs = list(aliases_in_text(one.text, names, known))
            self.explained.update((one.passage, alias, "") for alias in known.asked)
            for relation in one.facts["relations"]:
                if ALIAS_RELATION.match(relation["relation"].strip()):
                    pairs.append(Alias(relation["source"], relation["target"]))
            located = self.located(one.passage) if pairs else {}
            for name, alias in pairs:
                id = located.get(normalised(name))
                if id is not None and normalised(alias):
                    own = located.get(normalised(alias), entity_id(alias, ""))
                    self.explained.add((one.passage, normalised(alias), id))
                    yield _Explained(one.passage, one.title, name, id, alias, own)

    def _neighbours(self) -> defaultdict[str, set[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for a, b, _ in self.related():
            found[a].add(b)
            found[b].add(a)
        return found

    def related(self) -> Iterator[tuple[str, str, str]]:
        """The ids of two names that a passage relates, with the passage."""
        for one in self._whole():
            located = self.located(one.passage)
            for relation in one.facts["relations"]:
                a = end_of(located, relation["source"])
                b = end_of(located, relation["target"])
                if a and b and a != b and not ALIAS_RELATION.match(relation["relation"]):
                    yield a, b, one.passage

    def said(self, ids: Mapping[str, str]) -> list[SaidName]:
        """All names in their passages, with the entities that they have by ``ids``."""
        found: list[SaidName] = []
        for passage, places in self._places.items():
            for number, place in enumerate(places):
                said, id = self.placed[place]
                given = place < self.given
                own = (self._own[place], self._by_short[place]) if given else ("", "")
                entity = ids.get(id, id)
                found.append(SaidName(passage, number, said.spelling, said.slot, *own, id, entity))
        return found

    def known_names(self) -> list[KnownName]:
        """All names by themselves."""
        return [
            KnownName(id, main, " ".join(filter(None, (kind, *sorted(kinds - {kind})))))
            for id, (main, *_) in self._main_spellings()
            for kind, kinds in [self._sense[id]]
        ]


class _Explained(NamedTuple):
    """A passage explains ``name``, whose id is ``id``, by ``alias``, whose ``own`` id it has."""

    passage: str
    title: str
    name: str
    id: str
    alias: str
    own: str


def end_of(located: Mapping[str, str], name: str) -> str | None:
    """The id of ``name`` in a passage: by its spelling, else by its normalised form."""
    spelling = " ".join(name.split())
    return located.get(spelling) or located.get(normalised(spelling))
