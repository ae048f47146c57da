"""An index that an earlier version made is left as it is, until its writer brings it up to date."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest
from earlier_formats import as_in_format
from ragraphs.state.errors import IndexNotFoundError, RagraphsError
from ragraphs.stores import schema
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.copying import copy_tables, uneven_tables
from ragraphs.stores.pieces import NewDocument, Piece
from ragraphs.stores.postgresql import open_shared
from ragraphs.stores.queries import column_names, schema_name, table_names
from ragraphs.stores.readings import Reading, ReadingStore
from ragraphs.stores.replies import ReplyStore
from ragraphs.stores.vector_tables import QuestionVectors, SentenceStore, SentenceVectors
from raw_sql import sql
from sqlalchemy import Engine, inspect


class Open(Protocol):
    """Opens the database of the test."""

    def __call__(self, *, create: bool = False, any_format: bool = False) -> Engine: ...


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    engines: list[Engine] = []
    is_shared = request.param == "postgresql"
    url = request.getfixturevalue("postgres").url if is_shared else ""

    def open_it(*, create: bool = False, any_format: bool = False) -> Engine:
        ways = {"create": create, "any_format": any_format}
        if is_shared:
            engines.append(open_shared(url, str(tmp_path), **ways))
        else:
            engines.append(schema.open_database(tmp_path, **ways))
        return engines[-1]

    yield open_it
    for engine in engines:
        engine.dispose()


def made_before(opened: Open, format: int = 1) -> None:
    """An index with a reading in the form that it had in format 1, or in format 2."""
    engine = opened(create=True)
    said = "One. Two.", "Three. Four.", "Five."
    pieces = [Piece(20 * place, 20 * place + len(one), one) for place, one in enumerate(said)]
    documents = [NewDocument(id, id, id, "hash", pieces) for id in ("a", "b")]
    Catalogue(engine).write_documents(documents)
    passage = next(Catalogue(engine).all_passages())["id"]
    ReadingStore(engine).put([Reading(passage, "facts", "m", {"entities": []})])
    as_in_format(engine, format)
    engine.dispose()


def upgraded(opened: Open) -> Engine:
    engine = opened(any_format=True)
    schema.bring_up_to_date(engine)
    return opened()


def lines_before(catalogue: Catalogue) -> list[str]:
    found = catalogue.lines_before(catalogue.passage_ids())
    return [found[passage["id"]] for passage in catalogue.all_passages()]


@pytest.mark.slow
@pytest.mark.parametrize("format", [1, 2])
@pytest.mark.parametrize("create", [False, True])
def test_opening_an_earlier_format_changes_nothing_and_says_what_to_do(opened, format, create):
    made_before(opened, format)
    with pytest.raises(
        RagraphsError, match=r"bring it up to date with: ragraphs index --index \S+"
    ):
        opened(create=create)
    engine = opened(any_format=True)
    assert schema.format_of(engine) == str(format) and not schema.is_up_to_date(engine)
    assert "outdated_entries" not in table_names(engine)
    assert "metadata" not in column_names(engine, "passages")


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2])
def test_an_earlier_format_gets_the_lines_before_passages_and_keeps_what_was_read(opened, times):
    made_before(opened)
    for _ in range(times):
        engine = upgraded(opened)
        catalogue, readings = Catalogue(engine), ReadingStore(engine)
        assert schema.is_up_to_date(engine)
        assert catalogue.property("format") == schema.FORMAT
        assert lines_before(catalogue) == 2 * ["", "One. Two.", "Three. Four."]
        assert [value for _, value in readings.values("facts")] == [{"entities": []}]
        assert len(readings.missing("facts", "m")) == 5
        assert len(readings.missing("facts", "m", "words of today")) == 6


def test_format_5_keeps_long_texts_compressed(opened):
    engine = opened(create=True)
    facts = {"entities": [{"name": "Forth Bridge", "said": "It was designed by Fowler. " * 20}]}
    Catalogue(engine).write_documents([NewDocument("a", "a", "a", "hash", [Piece(0, 4, "One.")])])
    passage = next(Catalogue(engine).all_passages())["id"]
    ReadingStore(engine).put([Reading(passage, "facts", "m", facts)])
    as_in_format(engine, 4)
    assert sizes_of_readings(engine) == [len(json.dumps(facts))]
    engine.dispose()
    engine = upgraded(opened)
    assert [value for _, value in ReadingStore(engine).values("facts")] == [facts]
    shortest = 0 if engine.dialect.name == "sqlite" else len(json.dumps(facts)) - 1
    assert shortest < sizes_of_readings(engine)[0] <= shortest + 200


def sizes_of_readings(engine: Engine) -> list[int]:
    with engine.connect() as connection:
        return list(sql(connection, "SELECT length(value) FROM readings").scalars())


@pytest.mark.slow
@pytest.mark.parametrize("format", [1, 2])
def test_an_earlier_format_gets_room_for_metadata(opened, format):
    made_before(opened, format)
    catalogue = Catalogue(upgraded(opened))
    passages = list(catalogue.all_passages())
    assert [passage["metadata"] for passage in passages] == 6 * [{}]
    assert [document["metadata"] for document in catalogue.documents()] == 2 * [{}]
    pieces = [Piece(0, 4, "Five.", metadata={"year": 1843})]
    catalogue.write_documents([NewDocument("a", "a", "a", "other", pieces, {"year": 1843})])
    kept = next(passage for passage in passages if passage["text"] == "Five.")
    assert catalogue.passages([kept["id"]])[0]["metadata"] == {"year": 1843}
    assert catalogue.outdated_entries() == [kept["id"]]


@pytest.mark.slow
@pytest.mark.parametrize("format", [1, 2])
def test_an_upgraded_table_has_the_columns_of_a_new_one(opened, format):
    made_before(opened, format)
    engine, new = upgraded(opened), schema.open_memory()
    for name in table_names(new):
        if not name.startswith("passage_terms"):
            columns, wanted = (
                {
                    one["name"]: one["nullable"]
                    for one in inspect(each).get_columns(name, schema_name(each))
                }
                for each in (engine, new)
            )
            assert columns == wanted


@pytest.mark.slow
@pytest.mark.parametrize("format", [1, 2])
def test_an_earlier_format_is_copied_as_it_is_into_one_of_today(opened, format):
    made_before(opened, format)
    source, target = opened(any_format=True), schema.open_memory()
    copy_tables(source, target, lambda done, total: None)
    assert uneven_tables(source, target) == []
    catalogue = Catalogue(target)
    assert lines_before(catalogue) == 2 * (["", "One. Two.", "Three. Four."])
    assert [passage["metadata"] for passage in catalogue.all_passages()] == 6 * [{}]
    assert schema.format_of(source) == str(format) and schema.is_up_to_date(target)


@pytest.mark.slow
def test_vectors_of_an_earlier_format_are_kept_in_half_of_the_bits(opened):
    engine, vectors = opened(create=True), np.eye(4, dtype=np.float32)
    questions, sentences = QuestionVectors(engine), SentenceStore(engine)
    for store in (questions, questions.beside):
        store.add(["q1", "q2", "short"], vectors[:3])
    sentences.put([SentenceVectors("p", vectors[1:]), SentenceVectors("short", vectors)])
    as_in_format(engine, 3)
    with engine.begin() as connection:
        sql(connection, "UPDATE sentence_vectors SET sentences = 3 WHERE passage = 'short'")
        cut = "UPDATE question_vectors SET vector = substr(vector, 1, 15) WHERE id = 'short'"
        sql(connection, cut)
    engine.dispose()
    engine = upgraded(opened)
    questions, sentences = QuestionVectors(engine), SentenceStore(engine)
    questions.remove_damaged()
    assert questions.ids() == {"q1", "q2"}
    assert np.array_equal(questions.get(["q2", "q1"]), vectors[[1, 0]])
    assert np.array_equal(questions.beside.get(["short"]), vectors[2:3])
    assert sentences.missing({"p": 3, "short": 3}) == ["short"]
    assert np.array_equal(sentences.load({"p": 3}), vectors[1:])


@pytest.mark.slow
def test_a_failed_upgrade_leaves_the_format_as_it_was(opened, monkeypatch):
    made_before(opened)
    monkeypatch.setitem(schema.upgrade.__globals__["_STEPS"], "2", lambda connection: 1 // 0)
    engine = opened(any_format=True)
    with pytest.raises(ZeroDivisionError):
        schema.bring_up_to_date(engine)
    assert schema.format_of(engine) == "1"
    assert "before" not in column_names(engine, "passages")


@pytest.mark.slow
def test_a_table_that_an_index_never_had_is_made_by_its_writer(opened):
    engine = opened(create=True)
    with engine.begin() as connection:
        sql(connection, "DROP TABLE replies")
    assert not schema.is_up_to_date(opened())
    assert ReplyStore(upgraded(opened)).find(["key"]) == [None]


@pytest.mark.slow
def test_a_format_of_a_later_version_is_refused_by_all(opened):
    engine = opened(create=True)
    Catalogue(engine).set_property("format", schema.FORMAT + 1)
    for any_format in (False, True):
        with pytest.raises(RagraphsError, match="another version of ragraphs"):
            opened(any_format=any_format)


def test_a_database_without_tables_is_no_index_until_one_is_made(tmp_path):
    (tmp_path / schema.DATABASE).touch()
    with pytest.raises(IndexNotFoundError):
        schema.open_database(tmp_path, create=False)
    schema.open_database(tmp_path, create=True).dispose()
    schema.open_database(tmp_path, create=False).dispose()


def test_who_may_only_read_reads_an_upgraded_copy(tmp_path, monkeypatch):
    made_before(lambda **ways: schema.open_database(tmp_path, **ways))
    before = (tmp_path / schema.DATABASE).read_bytes()
    monkeypatch.setattr(schema, "is_read_only", lambda folder: True)
    engine = schema.open_database(tmp_path, create=False)
    assert lines_before(Catalogue(engine)) == 2 * ["", "One. Two.", "Three. Four."]
    engine.dispose()
    assert (tmp_path / schema.DATABASE).read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["ix_readings_by", "ix_entities_pending", "ix_relation_passages_passage"]
)
def test_an_index_of_rows_that_is_newer_than_the_format_is_made_by_the_writer(opened, name):
    engine = opened(create=True)
    with engine.begin() as connection:
        sql(connection, f"DROP INDEX {name}")
    assert not schema.is_up_to_date(opened())
    assert schema.is_up_to_date(upgraded(opened))
