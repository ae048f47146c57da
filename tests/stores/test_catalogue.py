"""The catalogue: documents, passages and the lexical index stay whole and in step."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from ragraphs.state.errors import RagraphsError
from ragraphs.stores import schema
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.pieces import NewDocument, Piece
from ragraphs.stores.queries import close_database, is_postgresql, table_names
from ragraphs.stores.readings import IMPORTED, Reading, ReadingStore
from raw_sql import sql
from sqlalchemy import Engine


def document(id: str, *texts: str, title: str = "", path: str = "") -> NewDocument:
    return NewDocument(id, path or id, title or id, f"hash of {texts}"[:200], pieces(*texts))


def pieces(*texts: str) -> list[Piece]:
    found, start = [], 0
    for piece in texts:
        found.append(Piece(start, start + len(piece), piece))
        start += len(piece) + 1
    return found


def by_text(catalogue: Catalogue) -> dict[str, tuple[str, int, int]]:
    return {p["text"]: (p["id"], p["start"], p["end"]) for p in catalogue.all_passages()}


def term_rows(catalogue: Catalogue) -> list[tuple[Any, ...]]:
    table = "term_blocks" if is_postgresql(catalogue.engine) else "passage_terms"
    with catalogue.engine.connect() as connection:
        if table == "passage_terms":
            rows = sql(connection, "SELECT rowid, title, body FROM passage_terms")
        else:
            rows = sql(connection, "SELECT * FROM term_blocks ORDER BY term, block")
        return [tuple(map(str, row)) for row in rows]


def texts_found(catalogue: Catalogue, question: str) -> list[str]:
    ids = [id for id, _ in catalogue.search_terms(question, 10)]
    return [passage["text"] for passage in catalogue.passages(ids)]


@pytest.fixture
def catalogue(engine: Engine) -> Catalogue:
    return Catalogue(engine)


@pytest.fixture
def in_sqlite(tmp_path: Path) -> Iterator[Catalogue]:
    engine = schema.open_database(tmp_path / "index", create=True)
    yield Catalogue(engine)
    engine.dispose()


@pytest.mark.slow
def test_a_written_document_has_its_passages_in_order(catalogue):
    catalogue.write_documents([document("a", "one", "two"), document("b", "three")])
    assert [row["passages"] for row in catalogue.documents()] == [2, 1]
    assert [p["text"] for p in catalogue.all_passages()] == ["one", "two", "three"]
    assert catalogue.count_documents() == 2
    assert catalogue.count_passages() == 3


@pytest.mark.slow
def test_an_edit_keeps_the_ids_of_unchanged_passages_and_moves_their_spans(catalogue):
    catalogue.write_documents([document("a", "one", "two", "three")])
    before = by_text(catalogue)
    catalogue.write_documents([document("a", "before all", "one", "three")])
    after = by_text(catalogue)
    assert {"one", "three"} == before.keys() & after.keys()
    assert after["one"] == (before["one"][0], 11, 14)
    assert after["three"][0] == before["three"][0]
    assert catalogue.contents(["a"]) == {"a": "hash of ('before all', 'one', 'three')"}
    assert catalogue.documents()[0]["passages"] == 3
    assert texts_found(catalogue, "two") == []
    assert catalogue.search_terms("before one three", 9) != []


def test_the_same_text_twice_in_a_document_is_two_passages(catalogue):
    catalogue.write_documents([document("a", "same", "same"), document("b", "same")])
    assert len(catalogue.passage_ids()) == 3
    kept = catalogue.passage_ids()
    catalogue.write_documents([document("a", "same")])
    assert catalogue.passage_ids() < kept
    assert catalogue.count_passages() == 2


@pytest.mark.slow
def test_other_documents_are_not_touched_by_an_edit(catalogue):
    catalogue.write_documents([document("a", "one"), document("b", "two")])
    before = by_text(catalogue)["two"]
    catalogue.write_documents([document("a", "other")])
    assert by_text(catalogue)["two"] == before


@pytest.mark.slow
@pytest.mark.parametrize("before_error", [1, 700])
def test_an_error_while_pieces_stream_leaves_the_document_as_it_was(catalogue, before_error):
    catalogue.write_documents([document("a", "one", "two")])
    before = (catalogue.documents(), list(catalogue.all_passages()), term_rows(catalogue))

    def failing() -> Iterator[Piece]:
        for place in range(before_error):
            yield Piece(place, place + 1, f"piece {place}")
        raise OSError("the disk went away")

    with pytest.raises(OSError, match="went away"):
        catalogue.write_documents([NewDocument("a", "a", "new title", "new", failing())])
    assert (catalogue.documents(), list(catalogue.all_passages()), term_rows(catalogue)) == before


@pytest.mark.slow
def test_a_process_killed_while_pieces_stream_leaves_the_document_as_it_was(
    catalogue, request, tmp_path
):
    catalogue.write_documents([document("a", "one", "two")])
    place = ["", str(tmp_path / "index")]
    if is_postgresql(catalogue.engine):
        place = [request.getfixturevalue("postgres").url, str(tmp_path)]
    before = (catalogue.documents(), list(catalogue.all_passages()), term_rows(catalogue))
    script = """
import os, signal, sys
from pathlib import Path
from ragraphs.stores.schema import open_database
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.pieces import NewDocument, Piece
from ragraphs.stores.postgresql import open_shared
def pieces():
    for place in range(1200):
        yield Piece(place, place + 1, f"piece {place}")
    os.kill(os.getpid(), signal.SIGKILL)
[url, name] = sys.argv[1:]
engine = open_shared(url, name, create=False) if url else open_database(Path(name), create=False)
Catalogue(engine).write_documents([NewDocument("a", "a", "new", "new", pieces())])
"""
    done = subprocess.run([sys.executable, "-c", script, *place], check=False)
    assert done.returncode == -9
    assert (catalogue.documents(), list(catalogue.all_passages()), term_rows(catalogue)) == before


@pytest.mark.slow
def test_a_removed_document_leaves_no_trace_in_any_table(catalogue):
    catalogue.write_documents([document("a.txt", "one"), document("b.txt", "two")])
    for path in ("a.txt", "b.txt"):
        catalogue.note_file(path, f"hash of {path}", {f"{path}, page 2": "unreadable"})
    assert catalogue.remove_documents(["a.txt", "never there"]) == 1
    with catalogue.engine.connect() as connection:
        for table in table_names(catalogue.engine):
            for row in sql(connection, f"SELECT * FROM {table}"):
                assert "a.txt" not in str(row)
                assert "one" not in row
    assert catalogue.files() == {"b.txt": "hash of b.txt"}
    assert [row["path"] for row in catalogue.failures()] == ["b.txt"]


def test_a_passage_whose_metadata_changed_is_outdated_until_it_is_described_or_gone(catalogue):
    def write(year: int) -> list[str]:
        for id in ("a", "b"):
            piece = Piece(0, 3, "one", metadata={"year": year})
            catalogue.write_documents([NewDocument(id, id, id, f"{year}", [piece])])
        return catalogue.outdated_entries()

    assert write(1843) == write(1843) == []
    outdated = write(1844)
    assert set(outdated) == catalogue.passage_ids() and write(1844) == outdated
    catalogue.note_described(outdated[:1])
    assert catalogue.outdated_entries() == outdated[1:]
    catalogue.remove_documents(["a", "b"])
    assert catalogue.outdated_entries() == []


@pytest.mark.slow
def test_a_file_counts_as_unread_when_one_of_its_documents_goes_or_comes_from_elsewhere(catalogue):
    rows = [document(f"r#{n}", f"row {n}", path="r") for n in (1, 2)]
    for change in (
        lambda: catalogue.remove_documents(["r#1"]),
        lambda: catalogue.write_documents([document("r#1", "given inline", path="inline")]),
    ):
        catalogue.write_documents(rows)
        catalogue.note_file("r", "hash", {})
        change()
        assert catalogue.files() == {}


@pytest.mark.slow
def test_what_a_file_failed_in_is_replaced_by_its_next_reading(catalogue):
    catalogue.note_file("50%_a.jsonl", None, {"50%_a.jsonl, line 3": "bad", "50%_a.jsonl": "worse"})
    catalogue.note_file("50x_a.jsonl", None, {"50x_a.jsonl, line 1": "bad"})
    catalogue.note_file("50%_a.jsonl", "hash", {"50%_a.jsonl, line 4": "bad"})
    assert [row["place"] for row in catalogue.failures()] == [
        "50%_a.jsonl, line 4",
        "50x_a.jsonl, line 1",
    ]
    assert catalogue.files() == {"50%_a.jsonl": "hash"}


def test_a_planned_piece_is_new_or_stands_after_other_lines(catalogue):
    catalogue.write_documents([document("a", "one", "two", "four")])
    planned = catalogue.planned(document("a", "one", "three", "four", "one"))
    assert [(p.piece.text, p.is_new, p.is_moved) for p in planned] == [
        ("one", False, False),
        ("three", True, False),
        ("four", False, True),
        ("one", True, False),
    ]


def test_what_was_read_in_a_passage_is_kept_while_the_same_lines_stand_before_it(catalogue):
    readings = ReadingStore(catalogue.engine)
    catalogue.write_documents([document("a", "one", "two", "three", "four")])
    ids = {text: id for text, (id, *_) in by_text(catalogue).items()}
    for said in ("one", "two", "three"):
        readings.put([Reading(ids[said], "facts", "m", {"read": said})])
    readings.put([Reading(ids["four"], "facts", IMPORTED, {"read": "elsewhere"})])
    catalogue.write_documents([document("a", "zero", "one", "two", "four", "three")])
    assert dict(readings.values("facts")) == {
        ids["two"]: {"read": "two"},
        ids["four"]: {"read": "elsewhere"},
    }


@pytest.mark.slow
def test_a_term_in_the_title_counts_more_than_one_in_the_text(catalogue):
    catalogue.write_documents(
        [
            document("a", "The firth is crossed by a bridge.", title="Rivers"),
            document("b", "The river is crossed by a road.", title="Firth"),
            document("c", "Nothing of the kind stands here.", title="Others"),
        ]
    )
    found = catalogue.search_terms("firth", 10)
    assert [p["document"] for p in catalogue.passages([id for id, _ in found])] == ["b", "a"]
    assert found[0][1] > found[1][1] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        'the "bridge',
        "bridge NEAR(bridge river, 2)",
        "bridge* OR -bridge AND NOT title:bridge",
        "{title}: bridge ^bridge + bridge",
        "bridge's 'bridge' ''bridge",
        "bridge; DROP TABLE passages; --",
        "bridge \0 \ud800 bridge",
        "bridge " + "\\ % _ ( ) [ ] { } : ; ! ? # $ & | ~ ` 😀 ",
    ],
)
def test_what_means_something_to_fts5_is_only_text_in_a_question(catalogue, question):
    catalogue.write_documents([document("a", "A bridge."), document("b", "A road.")])
    assert texts_found(catalogue, question) == ["A bridge."]


@pytest.mark.slow
@pytest.mark.parametrize(
    "word",
    ["1,000원은", "bts'이야", "it’s한국", "aꟺb", "u.s.", "3.14", "ｆｕｌｌ", "naïve", "𞤀𞤣", "१२"],
)
def test_a_passage_is_found_by_any_word_that_it_holds(catalogue, word):
    catalogue.write_documents([document("a", f"Here stands {word}."), document("b", "Else.")])
    assert texts_found(catalogue, word) == [f"Here stands {word}."]


@pytest.mark.parametrize("question", ["", "???", "of the", "*", '"'])
def test_a_question_without_terms_finds_nothing(catalogue, question):
    catalogue.write_documents([document("a", "A bridge of the river.")])
    assert catalogue.search_terms(question, 10) == []


def test_a_question_of_many_thousand_words_is_answered(catalogue):
    catalogue.write_documents([document("a", "A bridge."), document("b", "A road.")])
    question = "bridge " + " ".join(f"word{n}" for n in range(7000))
    assert len(question) > 50_000
    assert texts_found(catalogue, question) == ["A bridge."]


def test_korean_words_match_whatever_particle_they_carry(catalogue):
    korean = "세종대왕이 훈민정음을 반포하였다."
    catalogue.write_documents([document("a", korean), document("b", "경복궁은 서울에 있다.")])
    for question in ("훈민정음은 누가 만들었나", "세종대왕의 업적", "훈민정음"):
        assert texts_found(catalogue, question)[0] == korean


@pytest.mark.slow
def test_a_lexical_index_made_anew_is_the_same(catalogue):
    catalogue.write_documents([document("a", "one bridge", "two"), document("b", "three bridges")])
    catalogue.write_documents([document("a", "two", "four")])
    rows, found = term_rows(catalogue), catalogue.search_terms("three bridges", 10)
    catalogue.rebuild_terms()
    assert term_rows(catalogue) == rows
    assert catalogue.search_terms("three bridges", 10) == found


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM passage_terms WHERE rowid = 1",
        "UPDATE passage_terms_data SET block = x'00'",
        "DROP TABLE passage_terms",
    ],
)
def test_a_damaged_lexical_index_is_made_anew(in_sqlite, tmp_path, damage):
    catalogue = in_sqlite
    catalogue.write_documents([document("a", "one bridge"), document("b", "two bridges")])
    rows, found = term_rows(catalogue), catalogue.search_terms("bridge", 10)
    catalogue.engine.dispose()
    with sqlite3.connect(tmp_path / "index" / schema.DATABASE) as connection:
        connection.execute(damage)
    connection.close()
    catalogue.rebuild_terms()
    assert (term_rows(catalogue), catalogue.search_terms("bridge", 10)) == (rows, found)


def test_a_damaged_lexical_index_is_told_in_one_sentence(catalogue):
    with catalogue.engine.begin() as connection:
        name = "term_blocks" if is_postgresql(catalogue.engine) else "passage_terms"
        sql(connection, f"DROP TABLE {name}")
    with pytest.raises(RagraphsError, match="ragraphs index --repair"):
        catalogue.search_terms("bridge", 10)


@pytest.mark.slow
def test_passages_come_in_the_order_of_their_ids_and_unknown_ids_are_left_out(catalogue):
    catalogue.write_documents([document("a", *(f"text {n}" for n in range(1200)))])
    ids = sorted(catalogue.passage_ids(), reverse=True)
    found = catalogue.passages(["unknown", *ids])
    assert [passage["id"] for passage in found] == ids


@pytest.mark.slow
def test_readers_are_not_held_up_by_a_writer_in_the_middle_of_a_document(catalogue, open_engine):
    catalogue.write_documents([document("a", "one")])

    def slow() -> Iterator[Piece]:
        # More than SQLite's cache holds, so that it writes before the end.
        yield from pieces(*(f"piece {n} " + "-" * 7500 for n in range(600)))
        other = open_engine()
        assert [p["text"] for p in Catalogue(other).all_passages()] == ["one"]
        assert Catalogue(other).search_terms("one", 1)
        close_database(other)

    catalogue.write_documents([NewDocument("b", "b", "b", "hash", slow())])
    assert catalogue.count_passages() == 601


@pytest.mark.slow
def test_of_two_who_settle_a_property_at_once_both_get_the_same(catalogue):
    with ThreadPoolExecutor(8) as threads:
        settled = set(threads.map(lambda value: catalogue.ensure_property("id", value), range(40)))
    assert settled == {catalogue.property("id")}


@pytest.mark.slow
def test_opening_at_once_from_many_threads_makes_one_catalogue(open_engine):
    def open_one(_: int) -> None:
        close_database(open_engine())

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(open_one, range(24))) == [None] * 24


@pytest.mark.parametrize("left", [100, 5000, 20_000])
def test_a_truncated_catalogue_is_told_with_what_can_help(in_sqlite, tmp_path, left):
    catalogue = in_sqlite
    catalogue.write_documents([document(f"{n}", "some text " * 90) for n in range(40)])
    catalogue.engine.dispose()
    file = tmp_path / "index" / schema.DATABASE
    file.write_bytes(file.read_bytes()[:left])
    with pytest.raises(RagraphsError, match=r"put back a copy .* ragraphs index SOURCE"):
        engine = schema.open_database(tmp_path / "index", create=False)
        list(Catalogue(engine).all_passages())
