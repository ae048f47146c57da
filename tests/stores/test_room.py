"""The room that a catalogue takes on the disk."""

from __future__ import annotations

import json

from ragraphs.stores import schema
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.queries import is_postgresql
from ragraphs.stores.readings import Reading, ReadingStore
from raw_sql import sql
from sqlalchemy import Engine


def test_a_long_reading_takes_less_room_than_its_text_and_is_read_as_it_was(engine: Engine):
    readings = ReadingStore(engine)
    short, long = {"incoming": ["Who?"]}, {"incoming": ["Who designed the Forth Bridge?"] * 99}
    of_before = {"incoming": ["Wer baute sie?"] * 99}
    given = {"p1": short, "p2": long, "p3": long}
    readings.put([Reading(id, "questions", "offline", value) for id, value in given.items()])
    with engine.begin() as connection:
        change = "UPDATE readings SET value = :value WHERE passage = 'p3'"
        sql(connection, change, value=json.dumps(of_before))
        size = "SELECT length(value) FROM readings WHERE passage = 'p2'"
        assert sql(connection, size).scalar_one() < 200 or is_postgresql(engine)
    assert dict(readings.values("questions")) == {**given, "p3": of_before}


def test_the_log_of_a_large_change_does_not_stay_large(tmp_path):
    engine = schema.open_database(tmp_path, create=True)
    log = tmp_path / f"{schema.DATABASE}-wal"
    Catalogue(engine).set_property("large", "x" * (9 << 20))
    assert log.stat().st_size > 8 << 20
    for number in range(3):
        Catalogue(engine).set_property("small", number)
    assert log.stat().st_size <= 1 << 20
    engine.dispose()
