"""Properties of an index by name, anything that JSON can hold, in a transaction of the caller."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, select

from . import tables
from .queries import upsert

_TABLE = tables.properties


def property_row(name: str, value: Any) -> dict[str, Any]:
    """The row of a property, whose ``value`` is anything JSON can hold."""
    return {"name": name, "value": json.dumps(value)}


def property_in(connection: Connection, name: str, *, changing: bool = False) -> Any:
    """The property ``name``, or None; with ``changing``, nobody else changes it meanwhile."""
    query = select(_TABLE.c.value).where(_TABLE.c.name == name)
    stored = connection.scalar(query.with_for_update() if changing else query)
    return None if stored is None else json.loads(stored)


def keep_property(connection: Connection, name: str, value: Any) -> None:
    """Keeps ``value`` under ``name``."""
    upsert(connection, _TABLE, [property_row(name, value)])
