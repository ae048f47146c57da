"""Entities and passages that have changed since names were merged, and communities, reports and the
passage graph were made of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import inf
from typing import Any

from sqlalchemy import Connection

from .properties import keep_property, property_in

UNTOLD = "untold"  # property: these entities, by whom reports are made; none where all have changed
UNCLUSTERED = "unclustered"  # property: entities that are new or gone, or related otherwise
UNLINKED = "unlinked"  # property: passages that are not as the passage graph has them
UNASKED = "unasked"  # property: passages whose questions are not as edges were merged
UNMERGED = "unmerged"  # property: passages that are not as their names were merged
UNEMBEDDED = "unembedded"  # property: entities that are not as their vectors were made
UNEMBEDDED_REPORTS = "unembedded_reports"  # property: communities, in the same way
_MOST = 5000  # of more untold ones, all are gone through


def nothing_untold(made_by: Any) -> dict[str, Any]:
    """The property of an index whose reports, or communities, are of all that there is."""
    return {"made_by": made_by, "entities": []}


def note_untold(connection: Connection, entities: Collection[str] | None) -> None:
    """Notes that ``entities``, or all where it is None, are not what reports tell of them."""
    _note(connection, UNTOLD, entities, _MOST)


def note_unclustered(connection: Connection, entities: Collection[str] | None) -> None:
    """Notes that ``entities``, or all where it is None, are not as communities were found."""
    _note(connection, UNCLUSTERED, entities)


def note_unlinked(connection: Connection, passages: Collection[str] | None) -> None:
    """Notes that ``passages``, or all where it is None, are not as they are linked.

    They name other entities, or their sentences have other vectors.
    """
    _note(connection, UNLINKED, passages, _MOST)


def note_passages(connection: Connection, passages: Collection[str]) -> None:
    """Notes that ``passages`` came, went, or moved, or that something else was read in them."""
    note_unlinked(connection, passages)
    _note(connection, UNASKED, passages, _MOST)
    _note(connection, UNMERGED, passages, _MOST)


def note_unembedded(connection: Connection, rows: Iterable[Mapping[str, Any]] | None) -> None:
    """Notes the entities whose ``rows`` changed, or all where it is None."""
    _note(connection, UNEMBEDDED, None if rows is None else {row["id"] for row in rows}, _MOST)


def _note(
    connection: Connection, name: str, entities: Collection[str] | None, most: float = inf
) -> None:
    known = property_in(connection, name, changing=True)
    if known is None or (entities is not None and not entities):
        return
    found = None if entities is None else sorted({*known["entities"], *entities})
    new = None if found is None or len(found) > most else {**known, "entities": found}
    keep_property(connection, name, new)
