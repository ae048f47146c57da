"""Merging the facts of all passages into one graph of entities, relations and claims.

The result depends on passages and corrections alone: a passage that was removed leaves no trace.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby
from typing import TYPE_CHECKING, NamedTuple

from ...language.mentions import normalised
from ...state.entities import (
    Correction,
    Entity,
    EntityClaim,
    EntityGraph,
    EntityMention,
    KeptNames,
    Merge,
    Parting,
    Relation,
)
from .candidates import ShownName, generic_names, groups_of, shown_names
from .clustering import STRONG, cluster
from .clusters import Link, Name, propose
from .decisions import Decisions, digest
from .known_mentions import KnownMentions
from .name_forms import forms_of
from .sense_kinds import Said
from .senses import FoundFacts, Senses, end_of
from .short_names import with_short_names
from .spans import SpellingIndex
from .spellings import person_parts

if TYPE_CHECKING:
    from .clusters import Embed

_STRONGEST = 10.0
_OF_ANOTHER = re.compile(r"['’]s? ")


class Merging:
    """The facts of all passages, before their names are merged.

    ``found`` is gone through several times, each time in the order of titles, starts and passages,
    and its texts are not kept. ``embed`` gives the vectors (n, d) of n names; without it, spellings
    and neighbours decide.
    Where a model will decide, generic names are another in every passage.

    >>> merging = Merging(found, by_model=True)
    >>> same = [reply_to(group) for group in merging.groups()]
    >>> merging.graph(same)
    """

    def __init__(
        self,
        found: Iterable[FoundFacts],
        corrections: Sequence[Correction] = (),
        embed: Embed | None = None,
        by_model: bool = False,
    ) -> None:
        self._passages = found
        self._decisions = Decisions(corrections)
        self._generic = generic_names(self._passages)
        self._embed = embed
        self._by_model = by_model
        self._part(())

    def _part(self, parted: Collection[Parting]) -> None:
        self._senses = Senses(
            self._passages, self._decisions, self._generic, parted, self._by_model
        )
        self._names = self._senses.names()
        self._links = [*propose(self._names, self._embed), *self._senses.alias_links]

    def groups(self) -> list[list[ShownName]]:
        """The names that may be one thing, group by group, as a model is shown them."""
        placed = self._senses.placed[: self._senses.given]
        lines = shown_names(placed, self._passages, self._generic)
        return groups_of(self._names, lines, self._links)

    def graph(
        self,
        same: Iterable[Sequence[ShownName]] = (),
        others: Iterable[ShownName] = (),
        apart: Collection[Parting] = (),
        known: KnownMentions | None = None,
    ) -> EntityGraph:
        """One graph of all facts; ``known`` mentions stand where the same names are looked for.

        A model takes the lines in each of ``same`` for one thing, and those in ``others`` for
        other things than their name means elsewhere; then rules merge only the names that are
        spelled alike, or explained in a text. Names in ``apart`` are nothing else in any case.
        Relations that merging makes lead from an entity to itself are left out.
        """
        parted = [*apart, *(one for line in others for one in self._meant(line))]
        if parted:
            self._part(parted)
        senses, names = self._senses, self._names
        wanted = self._decisions.links(names)
        preferred = {link.b for link in wanted} - {link.a for link in wanted}
        own = senses.by_themselves()
        links = [
            link
            for link in self._links
            if (link.reason in STRONG or not self._by_model) and own.isdisjoint((link.a, link.b))
        ]
        decided = (pair for ids in self._ids(same, apart) for pair in combinations(ids, 2))
        links += [Link(a, b, "model", 1.0) for a, b in decided]
        split = self._decisions.apart(names)
        heads, followed = cluster(names, [*links, *wanted], split, preferred)
        linked = {id for link in followed for id in link[:2]}
        spelled = {name.id: name.name for name in names if name.id in linked}
        merges = senses.merges + [
            Merge(spelled[b], b, spelled[a], a, reason, score) for a, b, reason, score in followed
        ]
        ids = self._final = final_ids(names, heads, preferred, self._generic)
        entities = entities_of(senses.placed, ids, merges, self._generic)
        if self._by_model:
            entities = with_short_names(entities, self._passages)
        relations = relations_of(stated_in(senses.passages, senses.located, ids))
        self._greatest = max((one.weight for one in relations), default=0.0)
        return EntityGraph(
            entities=entities,
            mentions=_mentions(senses, entities, ids, known),
            relations=scaled(relations, self._greatest),
            claims=_claims(senses, ids),
            merges=tuple(sorted(merges)),
        )

    def kept(self) -> KeptNames:
        """All that the last graph rests on."""
        both = ((a, b, p) for x, y, p in self._senses.related() for a, b in ((x, y), (y, x)))
        return KeptNames(
            said=self._senses.said(self._final),
            related=sorted(set(both)),
            names=self._senses.known_names(),
            forms=sorted({(hash, name.id) for name in self._names for hash, *_ in forms_of(name)}),
            explained=sorted(self._senses.explained),
            generic=self._generic,
            greatest=self._greatest,
        )

    def _meant(self, line: ShownName) -> Iterator[Parting]:
        """The names of a line, each in the passages that the line stands for."""
        said = [self._senses.placed[place][0] for place in line.members]
        for name in dict.fromkeys(normalised(one.spelling) for one in said):
            own = {one.passage for one in said if normalised(one.spelling) == name}
            yield Parting(name, tuple(sorted(own)))

    def _ids(
        self, same: Iterable[Sequence[ShownName]], apart: Iterable[Parting]
    ) -> Iterator[list[str]]:
        """The ids that the lines of each group have now, without the ids of names ``apart``."""
        left = {(passage, one.name) for one in apart for passage in one.passages}
        for lines in same:
            placed = [self._senses.placed[place] for line in lines for place in line.members]
            yield sorted(
                {id for said, id in placed if (said.passage, normalised(said.spelling)) not in left}
            )

    def partings(self, described: Mapping[str, Collection[str]]) -> list[Parting]:
        """The names that were described by the given texts in the last graph, by entity."""
        found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for said, id in self._senses.placed:
            entity = self._final[id]
            if said.description in described.get(entity, ()):
                found[entity, normalised(said.spelling)].add(said.passage)
        return sorted(
            Parting(name, tuple(sorted(passages))) for (_, name), passages in found.items()
        )


def final_ids(
    names: Sequence[Name],
    heads: Mapping[str, str],
    preferred: Collection[str],
    generic: Collection[str],
) -> dict[str, str]:
    """The entity of every name's id.

    It is the id of the fullest name, which stays when documents use another one more often; a
    ``generic`` name, such as "the man", only gives way.
    """
    members: defaultdict[str, list[Name]] = defaultdict(list)
    for name in names:
        if name.id in heads:
            members[heads[name.id]].append(name)
    chosen = {
        head: min(
            own,
            key=lambda n: (
                n.id not in preferred,
                normalised(n.name) in generic,
                -len(normalised(n.name)),
                normalised(n.name),
                n.id,
            ),
        )
        for head, own in members.items()
    }
    return {name.id: name.id for name in names} | {
        id: chosen[head].id for id, head in heads.items()
    }


def entities_of(
    placed: Sequence[tuple[Said, str]],
    ids: Mapping[str, str],
    merges: Iterable[Merge],
    generic: Collection[str],
) -> tuple[Entity, ...]:
    short: defaultdict[str, set[str]] = defaultdict(set)
    for merge in merges:
        if merge.reason == "short name":
            shorter = min(merge.kept, merge.merged, key=lambda name: len(person_parts(name)))
            short[ids[merge.kept_id]].add(normalised(shorter))
    order = sorted(range(len(placed)), key=lambda place: ids[placed[place][1]])
    return tuple(
        _entity(id, [placed[place][0] for place in places], short.get(id, ()), generic)
        for id, places in groupby(order, key=lambda place: ids[placed[place][1]])
    )


def _entity(
    id: str, group: Sequence[Said], short: Collection[str], generic: Collection[str]
) -> Entity:
    if len(group) == 1:
        (said,) = group
        told = (said.description,) if said.description else ()
        return Entity(id, said.spelling, said.type, told, (said.spelling,), (said.passage,))
    ordered = sorted(group, key=lambda said: (said.title, said.passage))
    spellings = Counter(said.spelling for said in ordered)
    types = Counter(said.type for said in ordered if said.type)
    cards = {said.title.rpartition("#")[2] for said in ordered}  # a card is called by its entity
    every = sorted(spellings, key=lambda one: (-spellings[one], one not in cards, one))
    # "The man" is an alias in its own passage only.
    aliases = [spelling for spelling in every if normalised(spelling) not in generic] or every
    full = [spelling for spelling in aliases if normalised(spelling) not in short]
    type = min(types.items(), key=_rank, default=("", 0))[0]
    # "Fred" is a person's name rather than "Scrooge's nephew".
    own = [spelling for spelling in full if type == "person" and not _OF_ANOTHER.search(spelling)]
    return Entity(
        id=id,
        name=(own or full or aliases)[0],
        type=type,
        descriptions=tuple(dict.fromkeys(s.description for s in ordered if s.description)),
        aliases=tuple(aliases),
        passages=tuple(dict.fromkeys(said.passage for said in ordered)),
    )


def _mentions(
    senses: Senses, entities: Iterable[Entity], ids: Mapping[str, str], known: KnownMentions | None
) -> tuple[EntityMention, ...]:
    aliases = {entity.id: entity.aliases for entity in entities}
    found: list[EntityMention] = []
    for one in senses.passages:
        said = [(said.spelling, ids[id]) for said, id in senses.said_in(one.passage)]
        if known and (before := known.of(one.passage, said, aliases)) is not None:
            found.extend(before)
            continue
        found.extend(mentions_in(one, said, aliases))
    return tuple(sorted(found))


def mentions_in(
    one: FoundFacts, said: Iterable[tuple[str, str]], aliases: Mapping[str, Sequence[str]]
) -> list[EntityMention]:
    """Where the text of a passage names its entities.

    ``said`` are the spellings there with their entities, ``aliases`` all spellings of these.
    """
    spellings: defaultdict[str, set[str]] = defaultdict(set)
    for spelling, id in said:
        for alias in (spelling, *aliases[id]):
            spellings[alias].add(id)
    spans = SpellingIndex(spellings).find(one.text)
    return [EntityMention(id, one.passage, start, end) for id, start, end in spans]


class Stated(NamedTuple):
    """A relation as a passage states it; ``key`` is its phrase without regard to case."""

    source: str
    target: str
    key: str
    phrase: str
    passage: str
    strength: float


def stated_in(
    passages: Iterable[FoundFacts],
    located_in: Callable[[str], Mapping[str, str]],
    ids: Mapping[str, str],
) -> Iterator[Stated]:
    """The relations that ``passages`` state between the entities that names have by ``ids``.

    ``located_in`` gives the id of each name in a passage.
    """
    phrases: dict[str, str] = {}  # few, and each once in memory
    for one in passages:
        located = located_in(one.passage)
        for fact in one.facts["relations"]:
            a = end_of(located, fact["source"])
            b = end_of(located, fact["target"])
            phrase = " ".join(fact["relation"].split()).strip(" .,;:")
            if a is None or b is None or ids[a] == ids[b] or not phrase:
                continue
            phrase = phrases.setdefault(phrase, phrase)
            key = phrases.setdefault(phrase.casefold(), phrase.casefold())
            strength = min(max(fact["strength"], 0.0), _STRONGEST) / _STRONGEST
            yield Stated(ids[a], ids[b], key, phrase, one.passage, strength)


def relations_of(stated: Iterable[Stated]) -> list[Relation]:
    """Each relation that is stated; its weight is the sum of its strengths."""
    order = sorted(stated, key=lambda one: one[:3])
    return [_relation(own, list(group)) for own, group in groupby(order, lambda one: one[:3])]


def scaled(relations: Iterable[Relation], greatest: float) -> tuple[Relation, ...]:
    """The relations, with weights as shares of the ``greatest``."""
    return tuple(one._replace(weight=one.weight / (greatest or 1.0)) for one in relations)


def _relation(own: tuple[str, str, str], stated: Sequence[Stated]) -> Relation:
    strengths: dict[str, float] = {}
    for one in stated:
        strengths[one.passage] = max(one.strength, strengths.get(one.passage, 0.0))
    phrase = stated[0].phrase
    if len(stated) > 1:
        phrase = min(Counter(one.phrase for one in stated).items(), key=_rank)[0]
    return Relation(
        id=digest("relation", *own),
        source=own[0],
        target=own[1],
        relation=phrase,
        weight=sum(strengths.values()),
        passages=tuple(strengths),
    )


def _rank(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]


def _claims(senses: Senses, ids: Mapping[str, str]) -> tuple[EntityClaim, ...]:
    found: dict[str, EntityClaim] = {}
    for one in senses.passages:
        located = senses.located(one.passage) if one.facts["claims"] else {}
        for claim in one.facts["claims"]:
            subject = end_of(located, claim["subject"])
            object = end_of(located, claim["object"])
            if subject is not None:
                id = digest("claim", one.passage, *map(str, sorted(claim.items())))
                about = ids[object] if object else ""
                found[id] = EntityClaim(id, ids[subject], about, one.passage, claim)
    return tuple(found[id] for id in sorted(found))
