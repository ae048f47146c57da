"""The entities and relations near a change, merged anew from the names that it has touched."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ..algorithms.entities.clustering import cluster
from ..algorithms.entities.clusters import MOST_SHARING, FormsOf, Link, Name, compatible, propose
from ..algorithms.entities.decisions import ALONE, Decisions, alone, entity_id
from ..algorithms.entities.merging import (
    entities_of,
    final_ids,
    mentions_in,
    relations_of,
    scaled,
    stated_in,
)
from ..algorithms.entities.name_forms import forms_of, is_surname
from ..algorithms.entities.sense_kinds import Said
from ..algorithms.entities.senses import Senses
from ..algorithms.entities.spellings import person_parts, same_person
from ..language.mentions import normalised
from ..state.entities import Entity, EntityGraph, EntityMention, Merge, Relation, SaidName
from ..stores import tables
from ..stores.kept_names import (
    KEPT_NAMES,
    found,
    group_sizes,
    in_one_transaction,
    known_names,
    merges_of,
    one_of,
    replace_forms,
    replace_near,
    said_with,
)
from .near_names import SAID, NearNames, NotNearError
from .opening import Index

if TYPE_CHECKING:
    from collections.abc import Hashable

    from sqlalchemy import Connection

    from ..algorithms.entities.clusters import Embed

_MOST = 2_000  # names
_FORMS, _RELATED = tables.name_forms.c, tables.related_names.c


class NearNamesMerged:
    """The names that may be one with those that a change has touched, merged anew.

    ``ids`` are the entities of all these ``names``, ``merges`` say why. ``changed`` are the names
    whose entity is another than before, ``former`` the entities before.
    """

    def __init__(self, connection: Connection, placed: NearNames, embed: Embed | None) -> None:
        self._connection, self._placed, self._embed = connection, placed, embed
        self._known: dict[str, Name] = {}
        self.names = set(placed.touched)
        self._renew_forms()
        links = self._closed()
        own = [self._known[id] for id in sorted(self.names) if id in self._known]
        heads, followed = cluster(own, links)
        self.ids = final_ids(own, heads, (), placed.generic)
        self.merges = sorted({*self._spelled(), *self._short(), *self._followed(followed)})
        entities = self._entities(self.names)
        self.former = set(entities.values()) | {one.entity for one in placed.before}
        self.changed = {id for id in self.names if self.ids.get(id) != entities.get(id)}

    def _entities(self, names: Iterable[str]) -> dict[str, str]:
        """The entity of each name, as it was before."""
        names = set(names)
        found_in = {one.name: one.entity for one in self._placed.before if one.name in names}
        query = select(SAID.name, SAID.entity).distinct()
        query = query.where(SAID.passage.not_in(self._placed.passages))
        rows = found(self._connection, query, SAID.name, names)
        return found_in | dict(tuple(row) for row in rows)

    def _load(self, ids: Iterable[str]) -> list[Name]:
        """The names with these ids that passages have."""
        wanted = set(ids)
        missing = sorted(wanted - self._known.keys())
        passages, titles = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        merged = tables.merged_passages.c
        query = select(SAID.name, SAID.passage, merged.document)
        query = query.where(merged.passage == SAID.passage)
        for id, passage, title in found(self._connection, query, SAID.name, missing):
            passages[id].add(passage)
            titles[id].add(title)
        near = defaultdict[str, set[str]](set)
        for id, other in found(
            self._connection, select(_RELATED.name, _RELATED.other), _RELATED.name, missing
        ):
            near[id].add(other)
        for id, one in known_names(self._connection, missing).items():
            if id in passages:
                kinds = frozenset(one.kinds.split())
                sets = map(frozenset, (passages[id], titles[id], near[id]))
                self._known[id] = Name(id, one.spelling, kinds, *sets)
        return [self._known[id] for id in sorted(wanted) if id in self._known]

    def _renew_forms(self) -> None:
        """Stores the forms of the touched names, and adds those that are now linked otherwise."""
        connection, touched = self._connection, set(self.names)
        names, nothing = self._load(touched), frozenset[str]()
        former = (
            Name(one.id, one.spelling, frozenset(one.kinds.split()), nothing, nothing)
            for one in self._placed.former.values()
        )
        before = {(form.hash, name.id) for name in former for form in forms_of(name)}
        after = {(form.hash, name.id) for name in names for form in forms_of(name)}
        every = {hash for hash, _ in before | after}
        sizes = group_sizes(connection, every)
        replace_forms(connection, before - after, after - before)
        now = group_sizes(connection, every)
        most = MOST_SHARING
        crossed = {one for one in every if (sizes.get(one, 0) > most) != (now.get(one, 0) > most)}
        self.names |= one_of(connection, _FORMS.form, crossed, _FORMS.name)
        surnames = [one for one in every if is_surname(one) and now.get(one, 0) <= most]
        bearers = one_of(connection, _FORMS.form, surnames, _FORMS.name)
        spelled = [one.name for one in names] + [
            one.spelling for one in self._placed.former.values()
        ]
        for id, one in known_names(connection, bearers - self.names).items():
            single = len(person_parts(one.spelling)) == 1
            if single or any(same_person(one.spelling, other) != "no" for other in spelled):
                self.names.add(id)

    def _closed(self) -> list[Link]:
        """The links among the names, once all are there that are linked with one of them."""
        before = {one.entity for one in self._placed.before}
        while True:
            found_now = self._links()
            ends = {id for link in found_now for id in link[:2]}
            query = select(SAID.name).distinct().where(SAID.slot.contains(ALONE))
            own = {id for (id,) in found(self._connection, query, SAID.name, ends)}
            # General words mean another thing elsewhere.
            linked = [link for link in found_now if own.isdisjoint(link[:2])]
            ends = {id for link in linked for id in link[:2]} | self.names
            entities = before.union(self._entities(ends).values())
            mates = one_of(self._connection, SAID.entity, entities, SAID.name)
            if self.names >= ends | mates:
                return linked
            self.names |= ends | mates
            if len(self.names) > _MOST:
                raise NotNearError

    def _links(self) -> list[Link]:
        """The links of which one end is among the names."""
        forms = [form for name in self._load(self.names) for form in forms_of(name)]
        sizes = group_sizes(self._connection, {hash for hash, *_ in forms})
        few = {hash for hash, *_ in forms if sizes[hash] <= MOST_SHARING}
        near = one_of(self._connection, _FORMS.form, few, _FORMS.name)
        common: defaultdict[FormsOf, set[Hashable]] = defaultdict(set)
        for hash, make, form in forms:
            if sizes[hash] > MOST_SHARING:
                common[make].add(form)
        proposed = propose(self._load(self.names | near), self._embed, common)
        links = [link for link in proposed if not self.names.isdisjoint(link[:2])]
        return [*links, *self._alias_links()]

    def _alias_links(self) -> Iterator[Link]:
        """Links by names that texts explain."""
        said = said_with(self._connection, SAID.name, self.names)
        if any(one.short != one.name for one in said if one.own):
            raise NotNearError
        table = tables.explained_names.c
        aliases = one_of(self._connection, table.name, self.names, table.alias)
        slots = {one.slot for one in said}
        aliases |= one_of(self._connection, table.alias, slots, table.alias)
        meant = defaultdict[str, set[str]](set)
        rows = found(self._connection, select(table.alias, table.name), table.alias, aliases)
        for alias, name in rows:
            meant[alias] |= {name} - {""}
        for alias, ids in meant.items():
            if len(ids) == 1:
                (id,) = ids
                others = {
                    one.short for one in said_with(self._connection, SAID.slot, [alias]) if one.own
                }
                near = {one.id: one for one in self._load({id, *others})}
                for other in sorted(others - {id}):
                    both = id in near and other in near
                    if both and compatible(near[id].kinds, near[other].kinds):
                        yield Link(id, other, "alias in text", 1.0)

    def _followed(self, followed: Iterable[Link]) -> list[Merge]:
        names = self._known
        return [
            Merge(names[b].name, b, names[a].name, a, reason, score)
            for a, b, reason, score in followed
        ]

    def _spelled(self) -> Iterator[Merge]:
        """Merges of the spellings of one name."""
        counts = func.count()
        query = select(SAID.own, SAID.spelling, counts).group_by(SAID.own, SAID.spelling)
        spellings = defaultdict[str, list[tuple[int, str]]](list)
        for id, spelling, count in found(self._connection, query, SAID.own, self.names):
            spellings[id].append((-count, spelling))
        for id, one in known_names(self._connection, spellings).items():
            kind = one.kinds.split()[0] if one.kinds else ""
            (_, main), *others = sorted(spellings[id])
            for _, other in others:
                own = entity_id(alone(other), kind)
                yield Merge(main, id, other, own, "same normalised name", 1.0)

    def _short(self) -> Iterator[Merge]:
        """Merges of short names of persons with their full names, in single documents."""
        stored = merges_of(self._connection, sorted(self.names))
        stored = [one for one in stored if one.reason == "short name"]
        owners = self.names.union(one.merged_id for one in stored)
        query = select(SAID.own, SAID.short).distinct().where(SAID.own != SAID.short)
        rows = {tuple(row) for row in found(self._connection, query, SAID.own, owners)}
        first = self._placed.short_merges()
        for pair in rows:
            if self.names.isdisjoint(pair):
                continue
            if pair in first:
                yield first[pair]
                continue
            own = [one for one in stored if (one.merged_id, one.kept_id) == pair]
            if len(own) != 1:
                raise NotNearError
            yield own[0]


def near_graph(
    connection: Connection, placed: NearNames, merged: NearNamesMerged
) -> tuple[EntityGraph, dict[str, Collection[str]]]:
    """The graph near a change; and all that it replaces, by the tables' names."""
    _note_entities(connection, merged)
    owners = merged.former | set(merged.ids.values())
    entities = _entities(connection, placed, merged)
    relations, replaced = _relations(connection, placed, merged)
    mentions, passages = _mentions(connection, placed, merged, entities)
    graph = EntityGraph(entities, tuple(mentions), relations, (), tuple(merged.merges))
    return graph, {
        **dict.fromkeys(("entities", "descriptions", "aliases", "entity_passages"), owners),
        **dict.fromkeys(("relations", "relation_passages"), replaced),
        "mentions": passages,
        "merges": merged.names,
    }


def _note_entities(connection: Connection, merged: NearNamesMerged) -> None:
    table = tables.said_names
    by_entity = defaultdict[str, list[str]](list)
    for id, entity in merged.ids.items():
        by_entity[entity].append(id)
    for entity, names in by_entity.items():
        here = (SAID.name.in_(names), SAID.entity != entity)
        connection.execute(table.update().where(*here).values(entity=entity))


def _entities(
    connection: Connection, placed: NearNames, merged: NearNamesMerged
) -> tuple[Entity, ...]:
    said = said_with(connection, SAID.name, merged.ids)
    reader = Senses((), Decisions())
    given = placed.facts.around(one for one in said if one.own)
    spelled = {
        here.passage: iter([reader.said_as(here, name) for name in here.spelled or ()])
        for here in given
    }
    explained = placed.facts.of(one.passage for one in said if not one.own)
    titles = {one.passage: one.title for one in explained}
    names = [
        (
            next(spelled[one.passage])
            if one.own
            else Said(one.passage, titles[one.passage], one.spelling, one.slot, "", ""),
            one.name,
        )
        for one in said
    ]
    return entities_of(names, merged.ids, merged.merges, placed.generic)


def _mentions(
    connection: Connection, placed: NearNames, merged: NearNamesMerged, entities: Iterable[Entity]
) -> tuple[list[EntityMention], set[str]]:
    """Where passages name entities that are spelled in other ways than before, and the passages."""
    new = {one.id: one.aliases for one in entities}
    stored = _aliases(connection, new)
    other = [id for id, own in new.items() if set(own) != set(stored.get(id, ()))]
    passages = one_of(connection, SAID.name, merged.changed, SAID.passage) | placed.passages
    passages |= one_of(connection, SAID.entity, other, SAID.passage)
    said = defaultdict[str, list[tuple[str, str]]](list)
    for one in said_with(connection, SAID.passage, passages):
        said[one.passage].append((one.spelling, one.entity))
    every = {entity for own in said.values() for _, entity in own}
    aliases = {**_aliases(connection, every - new.keys()), **new}
    found_in = [
        mention
        for one in placed.facts.of(passages)
        for mention in mentions_in(one, said[one.passage], aliases)
    ]
    return sorted(found_in), passages


def _aliases(connection: Connection, entities: Iterable[str]) -> dict[str, list[str]]:
    table = tables.aliases.c
    spelled = defaultdict[str, list[str]](list)
    for entity, spelling in found(
        connection, select(table.entity, table.spelling), table.entity, entities
    ):
        spelled[entity].append(spelling)
    return spelled


def _relations(
    connection: Connection, placed: NearNames, merged: NearNamesMerged
) -> tuple[tuple[Relation, ...], set[str]]:
    """The relations that other passages state than before, or between others; and their ids."""
    stated = tables.relation_passages.c
    passages = one_of(connection, SAID.name, merged.changed, SAID.passage) | placed.passages
    ids = one_of(connection, stated.passage, passages, stated.relation)
    now = {one.id for one in _stated(connection, placed, passages)}
    ids |= now
    passages |= one_of(connection, stated.relation, ids, stated.passage)
    found_in = [one for one in _stated(connection, placed, passages) if one.id in ids]
    table = tables.relations.c
    most = max((one.weight for one in found_in), default=0.0)
    is_less = most < placed.greatest and 1.0 in one_of(connection, table.id, ids, table.weight)
    if is_less and one_of(connection, table.weight, [1.0], table.id) <= ids:
        raise NotNearError
    if most > placed.greatest:
        raise NotNearError
    return scaled(found_in, placed.greatest), ids


def _stated(connection: Connection, placed: NearNames, passages: Collection[str]) -> list[Relation]:
    said = defaultdict[str, list[SaidName]](list)
    for one in said_with(connection, SAID.passage, passages):
        said[one.passage].append(one)
    every = [one for own in said.values() for one in own]
    counts: Counter[str] = Counter()
    query = select(SAID.name, func.count()).group_by(SAID.name)
    for name, count in found(connection, query, SAID.name, (one.name for one in every)):
        counts[name] = count

    def located(passage: str) -> Mapping[str, str]:
        chosen: dict[str, str] = {}
        for one in sorted(said[passage], key=lambda one: (-counts[one.name], one.name)):
            chosen.setdefault(one.spelling, one.name)
            chosen.setdefault(normalised(one.spelling), one.name)
        return chosen

    ids = {one.name: one.entity for one in every}
    return relations_of(stated_in(placed.facts.of(passages), located, ids))


def merge_near(index: Index, embed: Embed | None) -> bool:
    """Merges the names near what has changed; False where all names have to be. Blocks."""
    if index.catalogue.property(KEPT_NAMES) is None:
        return False

    def merge(connection: Connection) -> None:
        placed = NearNames(index, connection)
        placed.place()
        merged = NearNamesMerged(connection, placed, embed)
        replace_near(connection, *near_graph(connection, placed, merged))

    try:
        in_one_transaction(index.engine, merge)
    except NotNearError:
        return False
    return True
