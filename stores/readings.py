"""The readings of passages by a model, for the layers that need them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, Engine, Select, and_, delete, exists, or_, select

from . import tables
from .queries import (
    batches,
    count_rows,
    persistent,
    plain_rows,
    plain_rows_with,
    rows,
    rows_with,
    upsert,
)
from .untold import note_passages

ReadingKind = Literal["questions", "facts"]

IMPORTED = "imported"

_READINGS, _CODES = tables.readings, tables.reading_codes


class Reading(NamedTuple):
    """The ``value`` that ``model`` read in a passage, or the reason why it could not.

    ``words`` is the hash of the words by which it was asked; empty where they are not known.
    """

    passage: str
    kind: ReadingKind
    model: str
    value: dict[str, Any] | None
    reason: str | None = None
    words: str = ""


@persistent
class ReadingStore:
    """The readings of an index; a passage's are removed with it. All methods block.

    >>> readings = ReadingStore(engine)
    >>> readings.put([Reading("p1", "questions", "offline", {"incoming": [], "outgoing": []})])
    >>> readings.missing("questions", "offline")
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, readings: Sequence[Reading]) -> None:
        """Stores readings, in one transaction, in place of earlier ones of the same kind.

        A failure replaces nothing that was read before, by whatever model.
        """
        new = [
            reading._asdict()
            | {"value": reading.value and json.dumps(reading.value, ensure_ascii=False)}
            for reading in readings
        ]
        with self._engine.begin() as connection:
            upsert(connection, _READINGS, new, where=_is_no_loss)
            upsert(connection, _CODES, [_code_row(one) for one in new if one["value"]])
            forget_codes(connection, [one["passage"] for one in new if not one["value"]])
            note_passages(connection, {one.passage for one in readings})

    def missing(self, kind: ReadingKind, model: str, words: str | None = None) -> list[str]:
        """The passages that ``model`` has not read yet, or could not, in the order of storing.

        Given ``words``, only a reading by these counts; one that was imported always does.
        """
        stored, by = select(tables.passages.c.number, tables.passages.c.id), _READINGS.c
        read = stored.join(_READINGS, by.passage == tables.passages.c.id)
        read = read.where(by.model != IMPORTED, *_read(kind))
        # Each is a part of an index, in which "other than" would be looked for in all rows.
        otherwise = [by.model < model, by.model > model]
        if words is not None:
            otherwise += [
                and_(by.model == model, part) for part in (by.words < words, by.words > words)
            ]
        queries = [read.where(part) for part in otherwise]
        # Codes take a tenth of the room of what was read.
        if count_rows(self._engine, _CODES, _CODES.c.kind == kind) < count_rows(
            self._engine, tables.passages
        ):
            same = _CODES.c.passage == tables.passages.c.id, _CODES.c.kind == kind
            queries.append(stored.where(~exists().where(*same)))
        found = {row for query in queries for row in plain_rows(self._engine, query)}
        return [passage for _, passage in sorted(found)]

    def values(self, kind: ReadingKind) -> Iterator[tuple[str, Any]]:
        """Each passage that was read with its reading's value, by passage."""
        for passage, value in rows(self._engine, _values(kind)):
            yield passage, json.loads(value)

    def values_of(self, kind: ReadingKind, passages: Iterable[str]) -> dict[str, Any]:
        """The reading's value of each of ``passages`` that was read."""
        found = rows_with(self._engine, _values(kind), _READINGS.c.passage, passages)
        return {passage: json.loads(value) for passage, value in found}

    def codes(self, kind: ReadingKind, of: Iterable[str] | None = None) -> dict[str, str]:
        """Each passage that was read with a hash of 64 bits of its reading's value, by passage.

        A hash has 16 hexadecimal digits. Given the passages ``of``, only these, in any order.
        """
        query = _codes(kind)
        if of is not None:
            return dict(plain_rows_with(self._engine, query, _CODES.c.passage, of))
        return dict(plain_rows(self._engine, query))

    def stamp(self, kind: ReadingKind) -> str:
        """A hash of all readings of a kind, which changes when any of them does."""
        codes = self.codes(kind)
        return hashlib.sha256("".join(chain.from_iterable(codes.items())).encode()).hexdigest()

    def failed(self, kind: ReadingKind) -> list[tuple[str, str]]:
        """The passages that could not be read, and why."""
        query = (
            select(_READINGS.c.passage, _READINGS.c.reason)
            .where(_READINGS.c.kind == kind, _READINGS.c.value.is_(None))
            .order_by(_READINGS.c.passage)
        )
        return [(passage, reason) for passage, reason in rows(self._engine, query)]

    def count(self, kind: ReadingKind) -> int:
        """The number of passages that were read."""
        return count_rows(self._engine, _READINGS, *_read(kind))


def write_codes(connection: Connection) -> None:
    """Writes the codes of all readings, of a database that has none yet."""
    query = select(_READINGS).where(_READINGS.c.value.is_not(None))
    found = connection.execute(query, execution_options={"yield_per": 500}).mappings()
    for batch in batches(found):
        upsert(connection, _CODES, list(map(_code_row, batch)))


def forget_codes(connection: Connection, passages: Iterable[str]) -> None:
    """Deletes the codes of readings of ``passages`` that are gone, or have no value."""
    is_read = exists().where(
        _READINGS.c.passage == _CODES.c.passage,
        _READINGS.c.kind == _CODES.c.kind,
        _READINGS.c.value.is_not(None),
    )
    for batch in batches(passages):
        connection.execute(delete(_CODES).where(_CODES.c.passage.in_(batch), ~is_read))


def _code_row(reading: Any) -> dict[str, Any]:
    code = hashlib.blake2b(reading["value"].encode(), digest_size=8).hexdigest()
    return {"passage": reading["passage"], "kind": reading["kind"], "code": code}


def _codes(kind: ReadingKind) -> Select[Any]:
    query = select(_CODES.c.passage, _CODES.c.code).where(_CODES.c.kind == kind)
    return query.order_by(_CODES.c.passage)


def _is_no_loss(new: Any) -> ColumnElement[bool]:
    table = _READINGS.c
    return or_(new.value.is_not(None), table.value.is_(None))


def _read(kind: ReadingKind) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """The conditions that a reading is of ``kind`` and has a value."""
    return _READINGS.c.kind == kind, _READINGS.c.value.is_not(None)


def _values(kind: ReadingKind) -> Select[Any]:
    table = _READINGS.c
    return select(table.passage, table.value).where(*_read(kind)).order_by(table.passage)
