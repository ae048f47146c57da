"""Merging the facts of all passages into one graph of entities, relations and claims.

The result depends on passages and corrections alone: the order of the passages does not matter,
and a passage that was removed leaves no trace.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from ...language.mentions import normalised
from ...language.spellings import person_parts
from ...state.entities import (
    Correction,
    Entity,
    EntityClaim,
    EntityGraph,
    EntityMention,
    Merge,
    Parting,
    Relation,
)
from .candidates import Shown, generic_names, groups_of, shown_names
from .clusters import STRONG, Link, Name, cluster, propose
from .decisions import Decisions, digest
from .senses import FoundFacts, Said, Senses, end_of
from .short_names import with_short_names
from .spans import SpellingIndex

if TYPE_CHECKING:
    from .clusters import Embed

_STRONGEST = 10.0
_OF_ANOTHER = re.compile(r"['’]s? ")


class Merging:
    """The facts of all passages, before their names are merged.

    ``embed`` gives the vectors (n, d) of n names; without it, spellings and neighbours decide.
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
        self._passages = sorted(found, key=lambda one: (one.title, one.start, one.passage))
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

    def groups(self) -> list[list[Shown]]:
        """The names that may be one thing, group by group, as a model is shown them."""
        placed = self._senses.placed[: self._senses.given]
        lines = shown_names(placed, self._passages, self._generic)
        return groups_of(self._names, lines, self._links)

    def graph(
        self,
        same: Iterable[Sequence[Shown]] = (),
        others: Iterable[Shown] = (),
        apart: Collection[Parting] = (),
    ) -> EntityGraph:
        """One graph of all facts.

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
        spelled = {name.id: name.name for name in names}
        merges = senses.merges + [
            Merge(spelled[b], b, spelled[a], a, reason, score) for a, b, reason, score in followed
        ]
        ids = self._final = _final_ids(names, heads, preferred, self._generic)
        entities = _entities(senses.placed, ids, merges, self._generic)
        if self._by_model:
            entities = with_short_names(entities, self._passages)
        return EntityGraph(
            entities=entities,
            mentions=_mentions(self._passages, entities, _spelled(senses.placed, ids)),
            relations=_relations(self._passages, senses, ids),
            claims=_claims(self._passages, senses, ids),
            merges=tuple(sorted(merges)),
        )

    def _meant(self, line: Shown) -> Iterator[Parting]:
        """The names of a line, each in the passages that the line stands for."""
        said = [self._senses.placed[place][0] for place in line.members]
        for name in dict.fromkeys(normalised(one.spelling) for one in said):
            own = {one.passage for one in said if normalised(one.spelling) == name}
            yield Parting(name, tuple(sorted(own)))

    def _ids(
        self, same: Iterable[Sequence[Shown]], apart: Iterable[Parting]
    ) -> Iterator[list[str]]:
        """The ids that the lines of each group have now, without those of names ``apart``."""
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


def _final_ids(
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
    return {id: chosen[head].id for id, head in heads.items()}


def _entities(
    placed: Sequence[tuple[Said, str]],
    ids: Mapping[str, str],
    merges: Iterable[Merge],
    generic: Collection[str],
) -> tuple[Entity, ...]:
    groups: defaultdict[str, list[Said]] = defaultdict(list)
    for said, id in placed:
        groups[ids[id]].append(said)
    short: defaultdict[str, set[str]] = defaultdict(set)
    for merge in merges:
        if merge.reason == "short name":
            shorter = min(merge.kept, merge.merged, key=lambda name: len(person_parts(name)))
            short[ids[merge.kept_id]].add(normalised(shorter))
    return tuple(_entity(id, groups[id], short[id], generic) for id in sorted(groups))


def _spelled(
    placed: Iterable[tuple[Said, str]], ids: Mapping[str, str]
) -> defaultdict[tuple[str, str], set[str]]:
    """How each passage spells each entity."""
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for said, id in placed:
        found[said.passage, ids[id]].add(said.spelling)
    return found


def _entity(
    id: str, group: Sequence[Said], short: Collection[str], generic: Collection[str]
) -> Entity:
    ordered = sorted(group, key=lambda said: (said.title, said.passage))
    spellings = Counter(said.spelling for said in ordered)
    types = Counter(said.type for said in ordered if said.type)
    every = [spelling for spelling, _ in sorted(spellings.items(), key=_rank)]
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
    passages: Iterable[FoundFacts],
    entities: Iterable[Entity],
    spelled: Mapping[tuple[str, str], Collection[str]],
) -> tuple[EntityMention, ...]:
    present: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        for passage in entity.passages:
            present[passage].append(entity)
    found: list[EntityMention] = []
    for one in passages:
        spellings: defaultdict[str, list[str]] = defaultdict(list)
        for entity in present[one.passage]:
            for alias in {*entity.aliases, *spelled[one.passage, entity.id]}:
                spellings[alias].append(entity.id)
        spans = SpellingIndex(spellings).find(one.text)
        found.extend(EntityMention(id, one.passage, start, end) for id, start, end in spans)
    return tuple(sorted(found))


def _relations(
    passages: Iterable[FoundFacts], senses: Senses, ids: Mapping[str, str]
) -> tuple[Relation, ...]:
    phrases: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    strengths: defaultdict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for one in passages:
        for fact in one.facts["relations"]:
            a = end_of(senses.located, one.passage, fact["source"])
            b = end_of(senses.located, one.passage, fact["target"])
            phrase = " ".join(fact["relation"].split()).strip(" .,;:")
            if a is None or b is None or ids[a] == ids[b] or not phrase:
                continue
            own = ids[a], ids[b], phrase.casefold()
            phrases[own][phrase] += 1
            strength = min(max(fact["strength"], 0.0), _STRONGEST) / _STRONGEST
            strengths[own][one.passage] = max(strength, strengths[own].get(one.passage, 0.0))
    sums = {own: sum(by_passage.values()) for own, by_passage in strengths.items()}
    greatest = max(sums.values(), default=0.0) or 1.0
    return tuple(
        Relation(
            id=digest("relation", *own),
            source=own[0],
            target=own[1],
            relation=min(phrases[own].items(), key=_rank)[0],
            weight=total / greatest,
            passages=tuple(strengths[own]),
        )
        for own, total in sorted(sums.items())
    )


def _rank(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]


def _claims(
    passages: Iterable[FoundFacts], senses: Senses, ids: Mapping[str, str]
) -> tuple[EntityClaim, ...]:
    found: dict[str, EntityClaim] = {}
    for one in passages:
        for claim in one.facts["claims"]:
            subject = end_of(senses.located, one.passage, claim["subject"])
            object = end_of(senses.located, one.passage, claim["object"])
            if subject is not None:
                id = digest("claim", one.passage, *map(str, sorted(claim.items())))
                about = ids[object] if object else ""
                found[id] = EntityClaim(id, ids[subject], about, one.passage, claim)
    return tuple(found[id] for id in sorted(found))
