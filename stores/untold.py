"""The entities that have changed since the reports on communities were written."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, select

from . import tables
from .queries import upsert

UNTOLD = "untold"  # property: these entities, by whom reports are made; none where all have changed
_MOST = 5000  # of more, all are gone through


def nothing_untold(made_by: str) -> dict[str, Any]:
    """The property of an index whose reports tell all, as ``made_by`` writes them."""
    return {"made_by": made_by, "entities": []}


def note_untold(connection: Connection, entities: Collection[str] | None) -> None:
    """Notes that ``entities``, or all where it is None, are not what reports tell of them."""
    table = tables.properties
    stored = connection.scalar(select(table.c.value).where(table.c.name == UNTOLD))
    known = json.loads(stored) if stored else None
    if known is None or (entities is not None and not entities):
        return
    found = None if entities is None else sorted({*known["entities"], *entities})
    new = None if found is None or len(found) > _MOST else {**known, "entities": found}
    upsert(connection, table, [{"name": UNTOLD, "value": json.dumps(new)}])
