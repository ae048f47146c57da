"""The communities of an index's entities, and the reports on them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any, NamedTuple

from sqlalchemy import Engine, or_, select

from ..state.reports import Community, Report
from . import tables
from .queries import (
    count_rows,
    persistent,
    replace_all,
    rows,
    rows_in_order,
    rows_with,
    update_rows,
)

_NO_FINDINGS = json.dumps([])
_REPORT = ("title", "summary", "rating", "findings", "writer")


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


@persistent
class CommunityStore:
    """The hierarchy of communities of one index. All methods block.

    >>> communities = CommunityStore(engine)
    >>> communities.replace([Community("c1", level=0, parent="", members=("e1", "e2"))])
    >>> communities.put_reports({"c1": (report, "offline")})
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def replace(self, communities: Sequence[Community]) -> None:
        """Puts a hierarchy in the place of the old one, in one transaction.

        A community of the same members keeps its report until another one is written.
        """
        table = tables.communities
        query = select(table.c.id, *(table.c[name] for name in _REPORT))
        with self._engine.begin() as connection:
            kept = {row.id: row._mapping for row in connection.execute(query)}
            new = (
                {
                    "id": each.id,
                    "level": each.level,
                    "parent": each.parent,
                    "size": len(each.members),
                    **{name: kept[each.id][name] if each.id in kept else None for name in _REPORT},
                }
                for each in communities
            )
            pairs = (
                {"community": each.id, "entity": entity}
                for each in communities
                for entity in each.members
            )
            replace_all(connection, table, new)
            replace_all(connection, tables.community_members, pairs)

    def put_reports(self, reports: Mapping[str, tuple[Report, str]]) -> None:
        """Stores reports by community, each with its writer."""
        changes = {
            id: {
                **report,
                "findings": json.dumps(report["findings"], ensure_ascii=False),
                "writer": writer,
            }
            for id, (report, writer) in reports.items()
        }
        with self._engine.begin() as connection:
            update_rows(connection, tables.communities, changes)

    def all(self) -> list[StoredCommunity]:
        """Every community, by level and id."""
        table = tables.communities
        query = select(table).order_by(table.c.level, table.c.id)
        return list(map(_community, rows(self._engine, query)))

    def outlines(self) -> Iterator[CommunityOutline]:
        """Every community whose report has a summary or a finding, by level and id."""
        table = tables.communities
        columns = [table.c[name] for name in CommunityOutline._fields]
        told = or_(table.c.summary != "", table.c.findings != _NO_FINDINGS)
        query = select(*columns).where(told).order_by(table.c.level, table.c.id)
        return starmap(CommunityOutline, rows(self._engine, query))

    def get(self, ids: Iterable[str]) -> dict[str, StoredCommunity]:
        """Communities by id, in the order of ``ids``; unknown ones are left out."""
        stored = rows_in_order(self._engine, tables.communities, ids)
        return {row.id: _community(row) for row in stored}

    def members(self) -> Iterator[tuple[str, str]]:
        """Pairs of a community and an entity in it, by community and entity."""
        table = tables.community_members
        query = select(table.c.community, table.c.entity).order_by(*table.primary_key.columns)
        return ((community, entity) for community, entity in rows(self._engine, query))

    def members_of(self, id: str) -> list[str]:
        """The entities of one community, by id."""
        table = tables.community_members
        query = select(table.c.entity).where(table.c.community == id).order_by(table.c.entity)
        return [entity for (entity,) in rows(self._engine, query)]

    def communities_of(self, entities: Iterable[str]) -> list[tuple[str, str]]:
        """Pairs of a community and one of ``entities`` in it, in ascending order."""
        table = tables.community_members
        query = select(table.c.community, table.c.entity)
        found = rows_with(self._engine, query, table.c.entity, entities)
        return sorted((community, entity) for community, entity in found)

    def count(self) -> int:
        """The number of communities."""
        return count_rows(self._engine, tables.communities)

    def count_unreported(self) -> int:
        """The number of communities that no report was written on yet."""
        table = tables.communities
        return count_rows(self._engine, table, table.c.title.is_(None))


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
