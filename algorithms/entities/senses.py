"""Resolving names where they stand: by kind, corrections, short names and explained aliases."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from ...language.mentions import normalised
from ...language.spellings import (
    ALIAS_RELATION,
    Alias,
    aliases_in_text,
    is_byname,
    is_full_name,
    kinds_of,
    person_parts,
    same_person,
)
from ...state.entities import Merge, Parting, Reason
from ...state.facts import PassageFacts
from .clusters import Link, Name, compatible, similarity
from .decisions import ALONE, Decisions, alone, digest, entity_id

_MOST_OF_A_NAME = 50
_SAME: Reason = "same normalised name"


class FoundFacts(NamedTuple):
    """The facts of one passage; passages with the same ``title`` are of one document.

    ``start`` is the first character of the passage in its document, ``heading`` what people call
    the document; empty where that is its ``title``.
    """

    passage: str
    title: str
    text: str
    facts: PassageFacts
    start: int = 0
    heading: str = ""


class Said(NamedTuple):
    """One name in one passage as written, with its type and description there.

    ``slot`` groups names that may be one: it is the normalised name, or the spelling if a
    correction split that off from others of the same normalised name.
    """

    passage: str
    title: str
    spelling: str
    slot: str
    type: str
    description: str


class Senses:
    """Every name that passages give, each assigned to a normalised name of one kind by its id.

    ``placed`` is all that was said with that id, first the ``given`` names, then aliases;
    ``located`` the id of every name in its passage, by spelling and by normalised form, of homonyms
    there the more frequent; ``merges`` are those made inside passages and documents,
    ``alias_links`` those that texts suggest for the corpus.
    """

    def __init__(
        self,
        passages: Sequence[FoundFacts],
        decisions: Decisions,
        generic: Collection[str] = (),
        parted: Iterable[Parting] = (),
        by_model: bool = False,
    ) -> None:
        """``generic`` names, in normalised form, are another in every passage.

        ``parted`` names are another in their passages. Where a model will decide, nobody is taken
        for a person of the same surname.
        """
        self.passages = passages
        self._decisions = decisions
        self._generic = frozenset(generic)
        self._parted = {
            (passage, one.name): digest(*one.passages) for one in parted for passage in one.passages
        }
        self._kinds: dict[str, frozenset[str]] = {}
        self._kind: dict[str, str] = {}
        self._of: dict[tuple[str, str, tuple[str, ...]], str] = {}
        self._said = [said for one in passages for said in self._names_in(one)]
        self._assign()
        self.placed = [(said, self._own(said)) for said in self._said]
        self.given = len(self.placed)
        short = [] if by_model else self._short_names()
        self.located = self._locate()
        explained, self.alias_links = self._aliases()
        self.located = self._locate()
        self.merges = [*self._spellings(), *short, *explained]

    def _own(self, said: Said) -> str:
        return self._of[said.passage, said.slot, kinds_of(said.type)]

    def _own_sense(self, passage: str, name: str) -> str:
        """What tells ``name`` in ``passage`` from the same name elsewhere; mostly nothing."""
        return passage if name in self._generic else self._parted.get((passage, name), "")

    def by_themselves(self) -> set[str]:
        """The ids of names that mean another thing than the same name elsewhere."""
        return {
            id
            for said, id in self.placed
            if self._own_sense(said.passage, normalised(said.spelling))
        }

    def _locate(self) -> dict[tuple[str, str], str]:
        counts = Counter(id for _, id in self.placed)
        chosen: dict[tuple[str, str], str] = {}
        for said, id in sorted(self.placed, key=lambda pair: (-counts[pair[1]], pair[1])):
            chosen.setdefault((said.passage, said.spelling), id)
            chosen.setdefault((said.passage, normalised(said.spelling)), id)
        return chosen

    def names(self) -> list[Name]:
        """The names to be merged, each with its passages, titles and neighbours."""
        passages: defaultdict[str, set[str]] = defaultdict(set)
        titles: defaultdict[str, set[str]] = defaultdict(set)
        for said, id in self.placed:
            passages[id].add(said.passage)
            titles[id].add(said.title)
        neighbours = self._neighbours()
        main = {id: spellings[0] for id, spellings in self._main_spellings().items()}
        return [
            Name(
                id=id,
                name=main[id],
                kinds=self._kinds[id],
                passages=frozenset(passages[id]),
                titles=frozenset(titles[id]),
                neighbours=frozenset(neighbours[id]),
            )
            for id in sorted(passages)
        ]

    def _main_spellings(self) -> dict[str, list[str]]:
        """The spellings of every normalised name of one kind, the most frequent first."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for said in self._said:
            counts[self._own(said)][said.spelling] += 1
        return {
            id: [spelling for _, spelling in sorted((-n, s) for s, n in own.items())]
            for id, own in counts.items()
        }

    def _spellings(self) -> list[Merge]:
        """Merges of spellings with one normalised name; each has its own id, to split it."""
        return [
            Merge(main, id, other, entity_id(alone(other), self._kind[id]), _SAME, 1.0)
            for id, (main, *others) in self._main_spellings().items()
            for other in others
        ]

    def _names_in(self, one: FoundFacts) -> Iterator[Said]:
        """A passage's entities, and the ends of relations and claims that are none of them."""
        named = set[str]()
        facts = [(e["name"], e["type"], e["description"]) for e in one.facts["entities"]]
        for relation in one.facts["relations"]:
            facts += [(relation["source"], "", ""), (relation["target"], "", "")]
        facts += [(claim["subject"], "", "") for claim in one.facts["claims"]]
        for place, (name, type, description) in enumerate(facts):
            spelling, kind = " ".join(name.split()), " ".join(type.lower().split())
            extra = place >= len(one.facts["entities"])
            if not normalised(spelling) or (extra and normalised(spelling) in named):
                continue
            named.add(normalised(spelling))
            slot = self._decisions.slot(spelling)
            if own := self._own_sense(one.passage, normalised(spelling)):
                slot += ALONE + own
            yield Said(one.passage, one.title, spelling, slot, kind, description.strip())

    def _assign(self) -> None:
        slots: defaultdict[str, list[Said]] = defaultdict(list)
        for said in self._said:
            slots[said.slot].append(said)
        for slot, group in slots.items():
            senses = _divide(Counter(kinds_of(said.type) for said in group))
            ids = {kinds: entity_id(slot, kind) for kinds, (kind, _) in senses.items()}
            for kind, kinds in [*senses.values()] or [("", frozenset[str]())]:
                self._kind[entity_id(slot, kind)] = kind
                self._kinds[entity_id(slot, kind)] = kinds
            self._place(slot, group, ids)

    def _place(self, slot: str, group: list[Said], ids: dict[tuple[str, ...], str]) -> None:
        """Names of unknown kind mean what the passage, the document or most others mean."""

        def places(said: Said) -> tuple[tuple[str, ...], ...]:
            return ("passage", said.passage), ("title", said.title), ()

        near: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for said in group:
            if kinds := kinds_of(said.type):
                self._of[said.passage, slot, kinds] = ids[kinds]
                for place in places(said):
                    near[place][ids[kinds]] += 1
        for said in group:
            if not kinds_of(said.type):
                counts = next((near[one] for one in places(said) if one in near), Counter[str]())
                ranked = sorted(counts, key=lambda id: (-counts[id], id))
                self._of[said.passage, slot, ()] = (*ranked, entity_id(slot, ""))[0]

    def _short_names(self) -> list[Merge]:
        """Where a document names one person in full only, the surname alone is that person."""
        documents: defaultdict[str, _Persons] = defaultdict(_Persons)
        passages: defaultdict[str, _Persons] = defaultdict(_Persons)
        for said, id in self.placed:
            several = len(person_parts(said.spelling)) > 1 and not is_byname(said.spelling)
            if several and "person" in self._kinds[id]:
                documents[said.title].add(id, said.spelling)
                passages[said.passage].add(id, said.spelling)
        merges: dict[tuple[str, str], Merge] = {}
        moved: dict[tuple[str, str], str] = {}
        for said, id in self.placed:
            single = len(person_parts(said.spelling)) == 1 and not self._own_sense(
                said.passage, normalised(said.spelling)
            )
            if not single or not compatible(self._kinds[id], {"person"}):
                continue
            known = "person" in self._kinds[id]
            places = (passages[said.passage], documents[said.title])
            full = next(filter(None, (place.meant(said.spelling, known) for place in places)), None)
            if full is None:
                continue
            whole = documents[said.title].spellings[full]
            if not self._decisions.forbid((said.spelling, id), (whole, full)):
                moved[said.passage, id] = full
                score = similarity(said.spelling, whole)
                merge = Merge(whole, full, said.spelling, id, "short name", score)
                merges.setdefault((id, full), merge)
        self._move(moved)
        return list(merges.values())

    def _move(self, moved: Mapping[tuple[str, str], str]) -> None:
        """Gives names another id in a passage: ``moved`` has it by passage and former id."""
        self.placed = [(said, moved.get((said.passage, id), id)) for said, id in self.placed]

    def _aliases(self) -> tuple[list[Merge], list[Link]]:
        """Names that texts explain by others: merges inside passages, and links for the corpus.

        An alias explained by one name only counts everywhere, one with several in its passage.
        """
        known: defaultdict[str, set[str]] = defaultdict(set)
        for said, id in self.placed:
            known[normalised(said.spelling)].add(id)
        explained = self._explanations(known)
        meanings: defaultdict[str, set[str]] = defaultdict(set)
        for _, _, id, alias in explained:
            meanings[normalised(alias)].add(id)
        merges: dict[tuple[str, str], Merge] = {}
        moved: dict[tuple[str, str], str] = {}
        for one, name, id, alias in explained:
            own = self.located.get((one.passage, normalised(alias)), entity_id(alias, ""))
            unique = len(meanings[normalised(alias)]) == 1 and normalised(alias) in known
            if unique or own == id or self._decisions.forbid((name, id), (alias, own)):
                continue
            merges.setdefault((own, id), Merge(name, id, alias, own, "alias in text", 1.0))
            moved[one.passage, own] = id
            if normalised(alias) not in known:
                said = Said(one.passage, one.title, alias, normalised(alias), "", "")
                self.placed.append((said, id))
        self._move(moved)
        links = [
            Link(id, other, "alias in text", 1.0)
            for alias, ids in meanings.items()
            if len(ids) == 1
            for id in ids
            for other in known.get(alias, ())
            if other != id and compatible(self._kinds[id], self._kinds[other])
        ]
        return list(merges.values()), links

    def _explanations(self, known: Mapping[str, object]) -> list[tuple[FoundFacts, str, str, str]]:
        """(passage, name, its id, alias) of all that texts and relations explain."""
        names: defaultdict[str, set[str]] = defaultdict(set)
        for said, _ in self.placed:
            names[said.passage].add(normalised(said.spelling))
        found: list[tuple[FoundFacts, str, str, str]] = []
        for one in self.passages:
            pairs = list(aliases_in_text(one.text, names[one.passage], known))
            for relation in one.facts["relations"]:
                if ALIAS_RELATION.match(relation["relation"].strip()):
                    pairs.append(Alias(relation["source"], relation["target"]))
            for name, alias in pairs:
                id = self.located.get((one.passage, normalised(name)))
                if id is not None and normalised(alias):
                    found.append((one, name, id, alias))
        return found

    def _neighbours(self) -> defaultdict[str, set[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for one in self.passages:
            for relation in one.facts["relations"]:
                a = end_of(self.located, one.passage, relation["source"])
                b = end_of(self.located, one.passage, relation["target"])
                if a and b and a != b and not ALIAS_RELATION.match(relation["relation"]):
                    found[a].add(b)
                    found[b].add(a)
        return found


def end_of(located: dict[tuple[str, str], str], passage: str, name: str) -> str | None:
    """The id of ``name`` in ``passage``: by its spelling, else by its normalised form."""
    spelling = " ".join(name.split())
    return located.get((passage, spelling)) or located.get((passage, normalised(spelling)))


def _divide(
    counts: Counter[tuple[str, ...]],
) -> dict[tuple[str, ...], tuple[str, frozenset[str]]]:
    """The sense of each tuple of kinds, as its kind and all kinds it may be.

    The most frequent come first; a tuple joins the first sense it shares a kind with, which then
    keeps only what they share, so that no chain leads from a person to a place.
    """
    senses: list[tuple[list[str], list[tuple[str, ...]]]] = []
    for kinds in sorted(filter(None, counts), key=lambda kinds: (-counts[kinds], kinds)):
        for sense, members in senses:
            if shared := [kind for kind in sense if kind in kinds]:
                sense[:] = shared
                members.append(kinds)
                break
        else:
            senses.append((list(kinds), [kinds]))
    return {kinds: (sense[0], frozenset(sense)) for sense, members in senses for kinds in members}


class _Persons:
    """The persons whom a passage or a document names in full."""

    def __init__(self) -> None:
        self.spellings: dict[str, str] = {}
        self._by_part: defaultdict[tuple[str, bool], list[str]] = defaultdict(list)

    def add(self, id: str, spelling: str) -> None:
        """Adds a person; of several spellings the first counts."""
        if id not in self.spellings:
            self.spellings[id] = spelling
            parts = person_parts(spelling)
            for part, is_surname in dict.fromkeys([(parts[-1], True), (parts[0], False)]):
                self._by_part[part, is_surname].append(id)

    def meant(self, short: str, known: bool) -> str | None:
        """The one person whose surname is ``short``, or first name if it is ``known`` to be one's.

        Nobody where very many have the name.
        """
        part = person_parts(short)[0]
        fitting: set[str] = {
            *self._by_part[part, True],
            *(self._by_part[part, False] if known else ()),
        }
        pairs = combinations([self.spellings[id] for id in fitting], 2)
        if not 0 < len(fitting) <= _MOST_OF_A_NAME or any(
            same_person(*two) == "no" for two in pairs
        ):
            return None
        full = [id for id in fitting if is_full_name(self.spellings[id])]
        return min(full, key=lambda id: (-len(person_parts(self.spellings[id])), id), default=None)
