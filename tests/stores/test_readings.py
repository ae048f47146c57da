"""Readings of passages, and the codes by which a run finds which have changed."""

from __future__ import annotations

import pytest
from ragraphs.stores import tables
from ragraphs.stores.readings import Reading, ReadingStore, write_codes
from sqlalchemy import delete


def reading(passage, value, model="offline"):
    return Reading(passage, "facts", model, value)


@pytest.fixture
def readings(engine):
    readings = ReadingStore(engine)
    readings.put([reading(id, {"entities": [id]}) for id in ("p1", "p2", "p3")])
    return readings


def test_codes_follow_what_was_read(readings):
    before, stamp = readings.codes("facts"), readings.stamp("facts")
    readings.put([reading("p2", {"entities": []})])
    assert readings.stamp("facts") != stamp
    changed = readings.codes("facts")
    assert {id for id in before if before[id] != changed[id]} == {"p2"}
    readings.put([reading("p2", {"entities": ["p2"]})])
    assert (readings.codes("facts"), readings.stamp("facts")) == (before, stamp)
    assert readings.codes("questions") == {}


def test_a_failure_of_any_model_takes_the_place_of_no_reading(readings):
    before = readings.codes("facts"), dict(readings.values("facts"))
    readings.put([reading("p1", None), reading("p2", None, "another")])
    assert (readings.codes("facts"), dict(readings.values("facts"))) == before
    assert readings.missing("facts", "another") == [] and readings.failed("facts") == []


def test_codes_that_an_earlier_version_did_not_write_are_the_same(readings, engine):
    before = readings.codes("facts")
    with engine.begin() as connection:
        connection.execute(delete(tables.reading_codes))
        write_codes(connection)
    assert readings.codes("facts") == before
