"""The hops layer in the catalogue's database: questions of passages, and edges between passages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Literal, TypedDict

from sqlalchemy import Engine, delete, select
from sqlalchemy.dialects.sqlite import insert

from . import schema
from .catalogue import batches

Direction = Literal["in", "out"]

_BATCH = 500


class QuestionRow(TypedDict):
    """A question of a passage: in-coming (it answers it) or out-coming (it raises it)."""

    id: str
    passage: str
    direction: Direction
    text: str


class EdgeRow(TypedDict):
    """A directed edge between passages.

    ``outgoing`` and ``incoming`` are the ids of the two questions that made it, ``similarity``
    their SIM in [0, 1], and ``others`` the pairs that join the same passages less well.
    """

    source: str
    target: str
    outgoing: str
    incoming: str
    similarity: float
    others: list[tuple[str, str]]


def question_row(passage: str, direction: Direction, text: str) -> QuestionRow:
    """A question with its id, a hash of what it is."""
    content = json.dumps([passage, direction, text])
    id = hashlib.blake2b(content.encode(), digest_size=12).hexdigest()
    return {"id": id, "passage": passage, "direction": direction, "text": text}


class HopStore:
    """Questions and edges. They go with their passages. All methods block."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def passages_with_questions(self) -> set[str]:
        """The ids of the passages that have questions."""
        with self._engine.connect() as connection:
            return set(connection.scalars(select(schema.questions.c.passage).distinct()))

    def add_questions(self, rows: Sequence[QuestionRow]) -> None:
        """Stores questions in one transaction; those that are there already stay."""
        with self._engine.begin() as connection:
            for batch in batches(rows, _BATCH):
                insertion = insert(schema.questions).on_conflict_do_nothing()
                connection.execute(insertion, [dict(row) for row in batch])

    def questions(self, ids: Sequence[str] | None = None) -> list[QuestionRow]:
        """All questions by id, or those with the given ids."""
        table = schema.questions
        query = select(table).order_by(table.c.id)
        with self._engine.connect() as connection:
            if ids is None:
                return [row._asdict() for row in connection.execute(query)]  # type: ignore[misc]
            found: list[QuestionRow] = []
            for batch in batches(ids, _BATCH):
                rows = connection.execute(query.where(table.c.id.in_(batch)))
                found += [row._asdict() for row in rows]  # type: ignore[misc]
            return found

    def question_ids(self) -> set[str]:
        """The ids of all questions."""
        with self._engine.connect() as connection:
            return set(connection.scalars(select(schema.questions.c.id)))

    def clear(self) -> None:
        """Removes all questions and edges."""
        with self._engine.begin() as connection:
            connection.execute(delete(schema.edges))
            connection.execute(delete(schema.questions))

    def replace_edges(self, edges: Iterable[EdgeRow]) -> None:
        """Stores ``edges`` in place of all that there were, in one transaction."""
        with self._engine.begin() as connection:
            connection.execute(delete(schema.edges))
            for batch in batches(edges, _BATCH):
                rows = [{**edge, "others": json.dumps(edge["others"])} for edge in batch]
                connection.execute(schema.edges.insert(), rows)

    def edges(self) -> list[EdgeRow]:
        """All edges, by source and target."""
        table = schema.edges
        with self._engine.connect() as connection:
            rows = connection.execute(select(table).order_by(table.c.source, table.c.target))
            return [
                {**row._asdict(), "others": [tuple(pair) for pair in json.loads(row.others)]}  # type: ignore[typeddict-item]
                for row in rows
            ]
