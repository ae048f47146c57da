"""The hierarchy beside the one in use: the rows in which it differs, and the whole that is seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, delete, exists, select, union_all

from ..state.reports import Community
from . import tables
from .degrees import forget_degrees
from .queries import batches, replace_all

BESIDE = (tables.communities_beside, tables.community_members_beside, tables.report_sources_beside)
_IN_USE, _MEMBERS, _SOURCES = tables.communities, tables.community_members, tables.report_sources
_ROWS, _NEW_MEMBERS, _NEW_SOURCES = BESIDE
GONE = -1  # the level of a community of the hierarchy in use that is not in the one beside
_REPORT = ("title", "summary", "rating", "findings", "writer")
_HAS_ROW = exists().where(_ROWS.c.id == _IN_USE.c.id)
_ISGONE = exists().where(_ROWS.c.id == _MEMBERS.c.community, _ROWS.c.level == GONE)
_IS_TOLD = exists().where(_ROWS.c.id == _SOURCES.c.community)

# The id of a community tells its members, which therefore never change.
SEEN_BESIDE = (
    union_all(
        select(_ROWS).where(_ROWS.c.level != GONE), select(_IN_USE).where(~_HAS_ROW)
    ).subquery("communities_seen"),
    union_all(select(_NEW_MEMBERS), select(_MEMBERS).where(~_ISGONE)).subquery("members_seen"),
    union_all(select(_NEW_SOURCES), select(_SOURCES).where(~_IS_TOLD)).subquery("sources_seen"),
)


def replace_beside(
    connection: Connection, communities: Sequence[Community], former: Collection[str] | None = None
) -> None:
    """Makes ``communities`` the hierarchy beside, with all in use that are not among ``former``.

    Each keeps the report that was written on the same members, beside or in use.
    """
    table = _IN_USE.c
    query = select(table.id, table.level, table.parent)
    if former is None:
        found = connection.execute(query).fetchall()
    else:
        ids = {*former, *(each.id for each in communities)}
        found = [
            row
            for batch in batches(sorted(ids))
            for row in connection.execute(query.where(table.id.in_(batch)))
        ]
    in_use = {id: (level, parent) for id, level, parent in found}
    gone = in_use.keys() - {each.id for each in communities}
    kept = reports_in(connection, _ROWS, _NEW_SOURCES, _ROWS.c.level != GONE)
    new = [
        each
        for each in communities
        if each.id in kept or in_use.get(each.id) != (each.level, each.parent)
    ]
    moved = [each.id for each in new if each.id not in kept and each.id in in_use]
    for batch in batches(moved):
        kept |= reports_in(connection, _IN_USE, _SOURCES, _IN_USE.c.id.in_(batch))
    rows = [community_row(each, kept) for each in new]
    rows += [community_row(Community(id, GONE, "", ()), {}) for id in sorted(gone)]
    replace_all(connection, _ROWS, rows)
    replace_all(connection, _NEW_MEMBERS, member_rows(one for one in new if one.id not in in_use))
    replace_all(connection, _NEW_SOURCES, source_rows(new, kept))


def copy_beside(connection: Connection, ids: Iterable[str]) -> None:
    """Gives the communities ``ids`` that stand as in use a row beside, to be changed."""
    for batch in batches(ids):
        standing = select(_IN_USE).where(_IN_USE.c.id.in_(batch), ~_HAS_ROW)
        connection.execute(_ROWS.insert().from_select(_ROWS.columns.keys(), standing))


def put_in_place(connection: Connection) -> None:
    """Puts the rows beside in the place of those in use, and leaves none beside."""
    other = select(_ROWS.c.id)
    gone = other.where(_ROWS.c.level == GONE)
    forget_degrees(connection, connection.scalars(other.where(_ROWS.c.level != 0)))
    for table in (_MEMBERS, tables.report_tokens):
        connection.execute(delete(table).where(table.c.community.in_(gone)))
    connection.execute(delete(_SOURCES).where(_SOURCES.c.community.in_(other)))
    connection.execute(delete(_IN_USE).where(_IN_USE.c.id.in_(other)))
    connection.execute(delete(_ROWS).where(_ROWS.c.level == GONE))
    for table, beside in zip((_IN_USE, _MEMBERS, _SOURCES), BESIDE, strict=True):
        names = table.columns.keys()
        connection.execute(table.insert().from_select(names, select(beside)))
    clear_beside(connection)


def clear_beside(connection: Connection) -> None:
    """Leaves no rows beside, so that all that is seen there is what is in use."""
    for table in BESIDE:
        connection.execute(delete(table))


def reports_in(
    connection: Connection, table: Table, sources: Table, *conditions: ColumnElement[bool]
) -> dict[str, Mapping[str, Any]]:
    """The report of each community that meets ``conditions``, with the hash of its source."""
    columns = (table.c.id, *(table.c[name] for name in _REPORT), sources.c.source)
    query = select(*columns).outerjoin(sources, sources.c.community == table.c.id)
    return {row.id: dict(row._mapping) for row in connection.execute(query.where(*conditions))}


def community_row(each: Community, kept: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The row of a community, with the report that is ``kept`` of it."""
    return {
        "id": each.id,
        "level": each.level,
        "parent": each.parent,
        "size": len(each.members),
        **{name: kept[each.id][name] if each.id in kept else None for name in _REPORT},
    }


def member_rows(communities: Iterable[Community]) -> Iterator[dict[str, Any]]:
    """The rows of the entities in each of ``communities``."""
    return (
        {"community": one.id, "entity": entity} for one in communities for entity in one.members
    )


def source_rows(
    communities: Iterable[Community], kept: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The rows of the hashes of what reports that are ``kept`` were written from."""
    return [
        {"community": each.id, "source": kept[each.id]["source"]}
        for each in communities
        if each.id in kept and kept[each.id]["source"] is not None
    ]
