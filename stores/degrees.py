"""The sums of the weights at all members of communities, kept while relations change."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select

from . import tables
from .properties import keep_property, property_in
from .queries import batches

DEGREES = "degrees"  # property: of communities of level 0 in use, and the sum of all weights
_MEMBERS, _RELATIONS = tables.community_members.c, tables.relations.c
_DECIMALS = 6


def note_degrees(connection: Connection, changed: Sequence[Mapping[str, Any]] | None) -> None:
    """Adds what ``changed``: rows of relations that went, and then those that came; None of all."""
    known = property_in(connection, DEGREES)
    if known is None or not (changed or changed is None):
        return
    if changed is None:
        return keep_property(connection, DEGREES, None)
    at: defaultdict[str, float] = defaultdict(float)
    for sign, row in _signed(connection, changed):
        if row["source"] != row["target"]:
            known["total"] += sign * row["weight"]
            at[row["source"]] += sign * row["weight"]
            at[row["target"]] += sign * row["weight"]
    degrees = known["of"]
    query = select(_MEMBERS.entity, _MEMBERS.community)
    for batch in batches(at):
        for entity, id in connection.execute(query.where(_MEMBERS.entity.in_(batch))):
            if id in degrees:
                degrees[id] = round(degrees[id] + at[entity], _DECIMALS)
    return keep_property(connection, DEGREES, known)


def forget_degrees(connection: Connection, gone: Iterable[str]) -> None:
    """Leaves out communities that are in use at level 0 no more."""
    if known := property_in(connection, DEGREES):
        left = known["of"].keys() - set(gone)
        kept = {**known, "of": {id: known["of"][id] for id in sorted(left)}}
        keep_property(connection, DEGREES, kept)


def _signed(
    connection: Connection, changed: Collection[Mapping[str, Any]]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Each row with 1 where it came, and −1 where it went."""
    left = Counter(row["id"] for row in changed)
    there = set[str]()
    for batch in batches(left):
        there |= set(connection.scalars(select(_RELATIONS.id).where(_RELATIONS.id.in_(batch))))
    for row in changed:
        left[row["id"]] -= 1
        came = row["id"] in there and not left[row["id"]]
        yield (1 if came else -1), row
