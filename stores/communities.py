"""The communities of an index's entities, and the reports on them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Engine, FromClause, Select, func, or_, select

from ..state.reports import Community, Report
from . import tables
from .communities_beside import (
    BESIDE,
    GONE,
    SEEN_BESIDE,
    clear_beside,
    community_row,
    copy_beside,
    member_rows,
    put_in_place,
    replace_beside,
    reports_in,
    source_rows,
)
from .degrees import note_degrees
from .properties import keep_property, property_in, property_row
from .queries import (
    count_rows,
    delete_with,
    persistent,
    plain_rows_with,
    replace_all,
    rows,
    rows_in_order,
    rows_with,
    update_rows,
    upsert,
)

BEGUN = "clustered_beside"  # property: the stamp of the hierarchy beside the one in use

_NO_FINDINGS = json.dumps([])


class StoredCommunity(NamedTuple):
    """A community with its report, if one was written yet.

    ``level`` is the level at which it first stands, ``size`` the number of its entities, ``writer``
    the model that wrote the report, or ``ASSEMBLED``.
    """

    id: str
    level: int
    parent: str
    size: int
    report: Report | None
    writer: str | None


class CommunityOutline(NamedTuple):
    """A community that something is told of, and its report's title and rating, without the text.

    The other fields are as in ``StoredCommunity``.
    """

    id: str
    level: int
    parent: str
    size: int
    title: str
    rating: float
    writer: str | None


ASSEMBLED = "assembled"
_IN_USE = tables.communities, tables.community_members, tables.report_sources


@persistent
class CommunityStore:
    """The hierarchy of communities of one index. All methods block.

    Another one stands ``beside`` it until its reports are there, and ``BEGUN`` is its stamp. Of it
    only that is stored in which it differs.

    >>> communities = CommunityStore(engine)
    >>> communities.replace([Community("c1", level=0, parent="", members=("e1", "e2"))])
    >>> communities.put_reports({"c1": (report, "offline")})
    """

    def __init__(self, engine: Engine, *, beside: bool = False) -> None:
        self._engine = engine
        self._is_beside = beside
        seen: tuple[FromClause, ...] = SEEN_BESIDE if beside else _IN_USE
        self._communities, self._members, self._sources = seen

    @property
    def beside(self) -> CommunityStore:
        """The hierarchy that will take the place of the one in use."""
        return CommunityStore(self._engine, beside=True)

    def take_place(self, properties: Mapping[str, Any]) -> None:
        """Puts the hierarchy beside in the place of the one in use, and sets ``properties``.

        It is one transaction. Where there is none beside, nothing is done.
        """
        with self._engine.begin() as connection:
            # Also where this is made again, since the answer of a server was lost.
            if property_in(connection, BEGUN) is None:
                return
            put_in_place(connection)
            recorded = [property_row(*item) for item in {BEGUN: None, **properties}.items()]
            upsert(connection, tables.properties, recorded)

    def give_up_beside(self) -> None:
        """Deletes the hierarchy beside."""
        with self._engine.begin() as connection:
            clear_beside(connection)
            keep_property(connection, BEGUN, None)

    def replace(
        self,
        communities: Sequence[Community],
        properties: Mapping[str, Any] | None = None,
        *,
        former: Collection[str] | None = None,
    ) -> None:
        """Puts a hierarchy in the place of the old one, and sets ``properties``, all at once.

        A community of the same members keeps its report until another one is written; in the
        hierarchy beside also the one that it has in the one in use. There ``communities`` may be
        only those in the place of ``former`` ones in use, while all others stay.
        """
        with self._engine.begin() as connection:
            if self._is_beside:
                replace_beside(connection, communities, former)
            else:
                _replace(connection, communities)
            recorded = [property_row(*item) for item in (properties or {}).items()]
            upsert(connection, tables.properties, recorded)

    def put_reports(
        self, reports: Mapping[str, tuple[Report, str]], sources: Mapping[str, str] | None = None
    ) -> None:
        """Stores reports by community, each with its writer; ``sources`` are hashes of theirs."""
        changes = {
            id: {
                **report,
                "findings": json.dumps(report["findings"], ensure_ascii=False),
                "writer": writer,
            }
            for id, (report, writer) in reports.items()
        }
        known = [{"community": id, "source": source} for id, source in (sources or {}).items()]
        table, _, source = BESIDE if self._is_beside else _IN_USE
        with self._engine.begin() as connection:
            if self._is_beside:
                copy_beside(connection, reports)
            update_rows(connection, table, changes)
            delete_with(connection, source.c.community, reports)
            upsert(connection, source, known)

    def sources(self, of: Iterable[str] | None = None) -> dict[str, str]:
        """The hashes of what reports were written from, by community, where they are known."""
        table = self._sources.c
        query = select(table.community, table.source)
        return dict(plain_rows_with(self._engine, query, table.community, of))

    def put_tokens(self, tokens: Mapping[str, int], of: Collection[str] | None = None) -> None:
        """Stores the tokens of what reports on communities may be written from.

        They are all that are known of the communities ``of``, or of all where these are None.
        """
        table = tables.report_tokens
        new = [{"community": id, "tokens": count} for id, count in tokens.items()]
        with self._engine.begin() as connection:
            if of is None:
                replace_all(connection, table, new)
                return
            delete_with(connection, table.c.community, of)
            upsert(connection, table, new)

    def tokens_of(self, ids: Iterable[str]) -> dict[str, int]:
        """The tokens of what reports on communities may be written from, where they are known."""
        table = tables.report_tokens.c
        query = select(table.community, table.tokens)
        return dict(self._pairs(query, table.community, ids))

    def all(self) -> list[StoredCommunity]:
        """Every community, by level and id."""
        table = self._communities
        query = select(table).order_by(table.c.level, table.c.id)
        return list(map(_community, rows(self._engine, query)))

    def outlines(self) -> Iterator[CommunityOutline]:
        """Every community whose report has a summary or a finding, by level and id."""
        return starmap(CommunityOutline, self._told(*CommunityOutline._fields))

    def told(self, of: Iterable[str] | None = None) -> Iterator[tuple[str, str, str]]:
        """Each of these, or of some of them, by its id with the title and summary of its report."""
        found = self._told("id", "title", "summary", of=of)
        return ((id, title, summary) for id, title, summary in found)

    def count_told(self) -> int:
        """The number of communities whose report has a summary or a finding."""
        return count_rows(self._engine, self._communities, self._says())

    def _says(self) -> ColumnElement[bool]:
        table = self._communities
        return or_(table.c.summary != "", table.c.findings != _NO_FINDINGS)

    def _told(self, *columns: str, of: Iterable[str] | None = None) -> Iterator[Any]:
        table = self._communities
        query = select(*(table.c[name] for name in columns)).where(self._says())
        query = query.order_by(table.c.level, table.c.id)
        return rows_with(self._engine, query, table.c.id, of)

    def get(self, ids: Iterable[str]) -> dict[str, StoredCommunity]:
        """Communities by id, in the order of ``ids``; unknown ones are left out."""
        stored = rows_in_order(self._engine, self._communities, ids)
        return {row.id: _community(row) for row in stored}

    def parents(self) -> dict[str, str]:
        """The parent of every community, empty for those at the root, by level and id."""
        table = self._communities
        query = select(table.c.id, table.c.parent).order_by(table.c.level, table.c.id)
        return {id: parent for id, parent in rows(self._engine, query)}

    def parents_of(self, ids: Iterable[str]) -> dict[str, str]:
        """The parent of each of the communities ``ids``, empty for those at the root."""
        table = self._communities
        return dict(self._pairs(select(table.c.id, table.c.parent), table.c.id, ids))

    def children_of(self, ids: Iterable[str]) -> dict[str, str]:
        """The parent of every community that one of ``ids`` is divided into, by level and id."""
        table = self._communities
        query = select(table.c.id, table.c.parent).order_by(table.c.level, table.c.id)
        return dict(self._pairs(query, table.c.parent, ids))

    def _pairs(
        self, query: Select[Any], column: ColumnElement[str], values: Iterable[str]
    ) -> Iterator[Any]:
        return plain_rows_with(self._engine, query, column, values)

    def changed_beside(self) -> dict[str, str | None]:
        """The parents of communities beside that differ; None where only those in use have one."""
        table = tables.communities_beside.c
        query = select(table.id, table.parent, table.level)
        return {
            id: None if level == GONE else parent for id, parent, level in rows(self._engine, query)
        }

    def unreported(self) -> set[str]:
        """The communities that no report was written on yet."""
        table = self._communities
        return {
            id for (id,) in rows(self._engine, select(table.c.id).where(table.c.title.is_(None)))
        }

    def members(self, of: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """Pairs of a community, or one of those given, and an entity in it, in ascending order."""
        table = self._members
        query = select(table.c.community, table.c.entity).order_by(
            table.c.community, table.c.entity
        )
        return plain_rows_with(self._engine, query, table.c.community, of)

    def members_of(self, id: str) -> list[str]:
        """The entities of one community, by id."""
        table = self._members
        query = select(table.c.entity).where(table.c.community == id).order_by(table.c.entity)
        return [entity for (entity,) in rows(self._engine, query)]

    def communities_of(self, entities: Iterable[str]) -> list[tuple[str, str]]:
        """Pairs of a community and one of ``entities`` in it, in ascending order."""
        table = self._members
        query = select(table.c.community, table.c.entity)
        return sorted(plain_rows_with(self._engine, query, table.c.entity, entities))

    def paths_of(self, entities: Iterable[str] | None = None) -> dict[str, list[str]]:
        """The communities of all entities, or of some, level by level."""
        members, table = self._members, self._communities
        query = select(members.c.entity, table.c.id).join(table, table.c.id == members.c.community)
        query = query.order_by(table.c.level)
        found = plain_rows_with(self._engine, query, members.c.entity, entities)
        paths: defaultdict[str, list[str]] = defaultdict(list)
        for entity, community in found:
            paths[entity].append(community)
        return dict(paths)

    def sizes_of(self, ids: Iterable[str]) -> dict[str, int]:
        """The number of entities in each of the communities ``ids``."""
        table = self._communities
        return dict(self._pairs(select(table.c.id, table.c.size), table.c.id, ids))

    def degrees_of(self, ids: Iterable[str]) -> dict[str, float]:
        """The sum of the weights of all relations at the entities of each community."""
        members, relations = self._members, tables.relations.c
        found: dict[str, float] = dict.fromkeys(ids := list(ids), 0.0)
        for end in (relations.source, relations.target):
            query = (
                select(members.c.community, func.sum(relations.weight))
                .join(tables.relations, end == members.c.entity)
                .where(relations.source != relations.target)
                .group_by(members.c.community)
            )
            for id, degree in rows_with(self._engine, query, members.c.community, ids):
                found[id] += degree
        # Databases add in orders of their own.
        return {id: round(degree, 6) for id, degree in found.items()}

    def total_weight(self) -> float:
        """The sum of the weights of all relations between two entities."""
        relations = tables.relations.c
        query = select(func.sum(relations.weight)).where(relations.source != relations.target)
        (total,) = next(rows(self._engine, query))
        return round(total or 0.0, 6)

    def count(self) -> int:
        return count_rows(self._engine, self._communities)

    def count_unreported(self) -> int:
        """The number of communities that no report was written on yet."""
        table = self._communities
        return count_rows(self._engine, table, table.c.title.is_(None))


def _replace(connection: Connection, communities: Sequence[Community]) -> None:
    """Makes ``communities`` all that are in use; each of the same members keeps its report."""
    note_degrees(connection, None)
    kept = reports_in(connection, _IN_USE[0], _IN_USE[2])
    rows: tuple[Iterable[dict[str, Any]], ...] = (
        [community_row(each, kept) for each in communities],
        member_rows(communities),
        source_rows(communities, kept),
    )
    for one, rows_of in zip(_IN_USE, rows, strict=True):
        replace_all(connection, one, rows_of)


def _community(row: Any) -> StoredCommunity:
    report: Report | None = None
    if row.title is not None:
        report = {
            "title": row.title,
            "summary": row.summary,
            "rating": row.rating,
            "findings": json.loads(row.findings),
        }
    return StoredCommunity(row.id, row.level, row.parent, row.size, report, row.writer)
