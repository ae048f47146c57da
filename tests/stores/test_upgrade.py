"""An index that an earlier version made is brought up to date when it is opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from earlier_formats import as_in_format
from ragraphs.stores import schema
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.pieces import NewDocument, Piece
from ragraphs.stores.readings import Reading, ReadingStore
from ragraphs.stores.replies import ReplyStore
from sqlalchemy import text


def made_before(folder: Path, format: int = 1) -> None:
    """An index with a reading in the form that it had in format 1, or in format 2."""
    engine = schema.open_database(folder, create=True)
    said = "One. Two.", "Three. Four.", "Five."
    pieces = [Piece(20 * place, 20 * place + len(one), one) for place, one in enumerate(said)]
    documents = [NewDocument(id, id, id, "hash", pieces) for id in ("a", "b")]
    Catalogue(engine).write_documents(documents)
    passage = next(Catalogue(engine).all_passages())["id"]
    ReadingStore(engine).put([Reading(passage, "facts", "m", {"entities": []})])
    as_in_format(engine, format)
    engine.dispose()


def lines_before(catalogue: Catalogue) -> list[str]:
    found = catalogue.lines_before(catalogue.passage_ids())
    return [found[passage["id"]] for passage in catalogue.all_passages()]


@pytest.mark.parametrize("times", [1, 2])
def test_an_earlier_format_gets_the_lines_before_passages_and_keeps_what_was_read(tmp_path, times):
    made_before(tmp_path)
    for _ in range(times):
        engine = schema.open_database(tmp_path, create=False)
        catalogue, readings = Catalogue(engine), ReadingStore(engine)
        assert catalogue.property("format") == schema.FORMAT
        assert lines_before(catalogue) == 2 * ["", "One. Two.", "Three. Four."]
        assert [value for _, value in readings.values("facts")] == [{"entities": []}]
        assert len(readings.missing("facts", "m")) == 5
        assert len(readings.missing("facts", "m", "words of today")) == 6
        engine.dispose()


@pytest.mark.parametrize("format", [1, 2])
def test_an_earlier_format_gets_room_for_metadata(tmp_path, format):
    made_before(tmp_path, format)
    engine = schema.open_database(tmp_path, create=False)
    catalogue = Catalogue(engine)
    passages = list(catalogue.all_passages())
    assert [passage["metadata"] for passage in passages] == 6 * [{}]
    assert [document["metadata"] for document in catalogue.documents()] == 2 * [{}]
    pieces = [Piece(0, 4, "Five.", metadata={"year": 1843})]
    catalogue.write_documents([NewDocument("a", "a", "a", "other", pieces, {"year": 1843})])
    kept = next(passage for passage in passages if passage["text"] == "Five.")
    assert catalogue.passages([kept["id"]])[0]["metadata"] == {"year": 1843}
    assert catalogue.outdated_entries() == [kept["id"]]
    engine.dispose()


def test_a_table_that_an_index_never_had_is_made(tmp_path):
    made_before(tmp_path)
    with schema.open_file(tmp_path / schema.DATABASE).begin() as connection:
        connection.execute(text("DROP TABLE replies"))
    engine = schema.open_database(tmp_path, create=False)
    assert ReplyStore(engine).find(["key"]) == [None]
    assert lines_before(Catalogue(engine)) == 2 * ["", "One. Two.", "Three. Four."]
    engine.dispose()


def test_who_may_only_read_reads_an_upgraded_copy(tmp_path, monkeypatch):
    made_before(tmp_path)
    before = (tmp_path / schema.DATABASE).read_bytes()
    monkeypatch.setattr(schema, "is_read_only", lambda folder: True)
    engine = schema.open_database(tmp_path, create=False)
    assert lines_before(Catalogue(engine)) == 2 * ["", "One. Two.", "Three. Four."]
    engine.dispose()
    assert (tmp_path / schema.DATABASE).read_bytes() == before
