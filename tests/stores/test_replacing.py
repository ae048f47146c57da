"""Rows that take the place of others: only those that differ are written."""

from __future__ import annotations

import random

import pytest
from ragraphs.stores import tables
from ragraphs.stores.queries import replace_all
from sqlalchemy import event, select

WORDS = ["", "a", "Z", "é", "한", "😀", "￿", "a b"]


def rows_of(table, chance):
    """Some rows of a table of each kind: of one key, of several, and numbered."""
    words, number = lambda: chance.choice(WORDS), lambda: chance.randrange(3)
    rows = {
        "communities": lambda: {
            "id": words(), "level": number(), "parent": words(), "size": 1,
            "title": chance.choice([None, *WORDS]), "summary": None, "rating": None,
            "findings": "[]", "writer": None,
        },
        "mentions": lambda: {
            "entity": words(), "passage": words(), "start": number(), "end": number(),
        },
        "merges": lambda: {
            "kept": words(), "kept_id": words(), "merged": "b", "merged_id": "c",
            "reason": "model", "score": 1 / (1 + number()),
        },
    }  # fmt: skip
    keys = [name for name in table.primary_key.columns.keys() if name != "number"]  # noqa: SIM118
    made = [rows[table.name]() for _ in range(chance.randrange(30))]
    return list({tuple(row[name] for name in keys or row): row for row in made}.values())


@pytest.fixture
def written(engine):
    """How many rows each statement that writes was given."""
    counts = []

    def count(connection, cursor, statement, parameters, context, executemany):
        if statement.startswith(("INSERT", "DELETE")):
            counts.append(len(parameters) if executemany else 1)

    event.listen(engine, "before_cursor_execute", count)
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("name", ["communities", "mentions", "merges"])
def test_whatever_stood_there_the_new_rows_are_all(engine, name):
    table, chance = tables.metadata.tables[name], random.Random(name)
    for _ in range(25):
        new = rows_of(table, chance)
        chance.shuffle(new)
        with engine.begin() as connection:
            replace_all(connection, table, iter(new))
            columns = [table.c[key] for key in (new[0] if new else ())]
            found = connection.execute(select(*columns)).all() if new else []
            assert not new or sorted(map(repr, map(tuple, found))) == sorted(
                repr(tuple(row.values())) for row in new
            )
            assert len(connection.execute(select(table)).all()) == len(new)


@pytest.mark.slow
def test_rows_that_are_there_already_are_not_written(engine, written):
    table = tables.aliases
    rows = [
        {"entity": f"e{n}", "place": place, "spelling": f"Name {n}", "name": f"name {n}"}
        for n in range(50)
        for place in range(2)
    ]
    with engine.begin() as connection:
        replace_all(connection, table, rows)
        before = connection.execute(select(table).order_by(*table.primary_key)).all()
        written.clear()
        replace_all(connection, table, list(reversed(rows)))
        assert written == []
        changed = [*rows[:-1], {**rows[-1], "spelling": "Another"}]
        replace_all(connection, table, changed)
        after = connection.execute(select(table).order_by(*table.primary_key)).all()
    assert sum(written) <= 2
    assert len(set(after) ^ set(before)) == 2
