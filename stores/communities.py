"""The communities of an index's entities, and the reports on them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Engine, Select, bindparam, delete, func, select

from ..state.reports import Community, Report
from . import schema
from .catalogue import batches

_BATCH = 500
_ROWS = 10_000
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


ASSEMBLED = "assembled"


class CommunityStore:
    """The hierarchy of communities of one index. All methods block."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def replace(self, communities: Sequence[Community]) -> None:
        """Puts a hierarchy in the place of the old one, in one transaction.

        A community of the same members keeps its report until another one is written.
        """
        table, members = schema.communities, schema.community_members
        with self._engine.begin() as connection:
            query = select(table.c.id, *(table.c[name] for name in _REPORT))
            kept = {row.id: row._mapping for row in connection.execute(query)}
            connection.execute(delete(table))
            connection.execute(delete(members))
            rows = (
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
            for some_rows in batches(rows, _ROWS):
                connection.execute(table.insert(), some_rows)
            for some_pairs in batches(pairs, _ROWS):
                connection.execute(members.insert(), some_pairs)

    def put_reports(self, reports: Mapping[str, tuple[Report, str]]) -> None:
        """Stores reports by community, each with its writer."""
        if not reports:
            return
        table = schema.communities
        statement = (
            table.update()
            .where(table.c.id == bindparam("at"))
            .values({name: bindparam(f"new_{name}") for name in _REPORT})
        )
        rows = [
            {
                "at": id,
                "new_title": report["title"],
                "new_summary": report["summary"],
                "new_rating": report["rating"],
                "new_findings": json.dumps(report["findings"], ensure_ascii=False),
                "new_writer": writer,
            }
            for id, (report, writer) in reports.items()
        ]
        with self._engine.begin() as connection:
            connection.execute(statement, rows)

    def all(self) -> list[StoredCommunity]:
        """Every community, by level and id."""
        table = schema.communities
        return self._communities(select(table).order_by(table.c.level, table.c.id))

    def get(self, ids: Iterable[str]) -> dict[str, StoredCommunity]:
        """Communities by id, in the order of ``ids``; unknown ones are left out."""
        table = schema.communities
        ids = list(dict.fromkeys(ids))
        found = {
            each.id: each
            for batch in batches(ids, _BATCH)
            for each in self._communities(select(table).where(table.c.id.in_(batch)))
        }
        return {id: found[id] for id in ids if id in found}

    def members(self) -> Iterator[tuple[str, str]]:
        """Pairs of a community and an entity in it, by community and entity."""
        table = schema.community_members
        query = select(table.c.community, table.c.entity).order_by(*table.primary_key.columns)
        with self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=_ROWS).execute(query):
                yield row.community, row.entity

    def members_of(self, id: str) -> list[str]:
        """The entities of one community, by id."""
        table = schema.community_members
        query = select(table.c.entity).where(table.c.community == id).order_by(table.c.entity)
        with self._engine.connect() as connection:
            return list(connection.scalars(query))

    def communities_of(self, entities: Iterable[str]) -> list[tuple[str, str]]:
        """Pairs of a community and one of ``entities`` in it."""
        table = schema.community_members
        found: list[tuple[str, str]] = []
        with self._engine.connect() as connection:
            for batch in batches(dict.fromkeys(entities), _BATCH):
                query = select(table).where(table.c.entity.in_(batch))
                found += [(row.community, row.entity) for row in connection.execute(query)]
        return sorted(found)

    def count(self) -> int:
        """How many communities there are."""
        with self._engine.connect() as connection:
            return connection.scalar(select(func.count()).select_from(schema.communities)) or 0

    def _communities(self, query: Select[Any]) -> list[StoredCommunity]:
        with self._engine.connect() as connection:
            return [_community(row) for row in connection.execute(query)]


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
