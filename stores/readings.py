"""What a model read in each passage, for the layers that need it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import Engine, and_, func, select
from sqlalchemy.dialects.sqlite import insert

from . import schema

ReadingKind = Literal["questions", "facts"]

IMPORTED = "imported"


class Reading(NamedTuple):
    """What ``model`` read in a passage, or the reason why it could not."""

    passage: str
    kind: ReadingKind
    model: str
    value: dict[str, Any] | None
    reason: str | None = None


class ReadingStore:
    """The readings of an index; those of a passage go when it goes. All methods block."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, readings: Sequence[Reading]) -> None:
        """Stores readings, in one transaction, in place of earlier ones of the same kind."""
        if not readings:
            return
        rows = [
            {**reading._asdict(), "value": reading.value and _dump(reading.value)}
            for reading in readings
        ]
        upsert = insert(schema.readings)
        replaced = {name: upsert.excluded[name] for name in ("model", "value", "reason")}
        with self._engine.begin() as connection:
            connection.execute(
                upsert.on_conflict_do_update(index_elements=["passage", "kind"], set_=replaced),
                rows,
            )

    def missing(self, kind: ReadingKind, model: str) -> list[str]:
        """The passages that ``model`` has not read yet, or could not, in the order of storing.

        What was imported counts as read.
        """
        passages, table = schema.passages, schema.readings
        done = and_(
            table.c.passage == passages.c.id,
            table.c.kind == kind,
            table.c.model.in_((model, IMPORTED)),
            table.c.value.is_not(None),
        )
        query = (
            select(passages.c.id)
            .outerjoin(table, done)
            .where(table.c.passage.is_(None))
            .order_by(passages.c.number)
        )
        with self._engine.connect() as connection:
            return list(connection.scalars(query))

    def values(self, kind: ReadingKind) -> Iterator[tuple[str, Any]]:
        """The passages with what was read in them, by passage."""
        table = schema.readings
        query = (
            select(table.c.passage, table.c.value)
            .where(table.c.kind == kind, table.c.value.is_not(None))
            .order_by(table.c.passage)
        )
        with self._engine.connect() as connection:
            for passage, value in connection.execute(query):
                yield passage, json.loads(value)

    def stamp(self, kind: ReadingKind) -> str:
        """A hash of all values, which changes when any of them does."""
        table = schema.readings
        query = (
            select(table.c.passage, table.c.value)
            .where(table.c.kind == kind, table.c.value.is_not(None))
            .order_by(table.c.passage)
        )
        digest = hashlib.sha256()
        with self._engine.connect() as connection:
            for passage, value in connection.execute(query):
                digest.update(f"{passage}{value}".encode())
        return digest.hexdigest()

    def failed(self, kind: ReadingKind) -> list[tuple[str, str]]:
        """The passages that could not be read, and why."""
        table = schema.readings
        query = (
            select(table.c.passage, table.c.reason)
            .where(table.c.kind == kind, table.c.value.is_(None))
            .order_by(table.c.passage)
        )
        with self._engine.connect() as connection:
            return [(passage, reason) for passage, reason in connection.execute(query)]

    def count(self, kind: ReadingKind) -> int:
        """How many passages were read."""
        table = schema.readings
        query = select(func.count()).where(table.c.kind == kind, table.c.value.is_not(None))
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
