"""Embedding questions: resumed, made anew, mended; and an index that lacks some says so."""

from __future__ import annotations

import re
import threading
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from http_stub import Response
from ragraphs.algorithms.hoprag.sketches import Sketches
from ragraphs.algorithms.packed_texts import PackedTexts
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index import opening
from ragraphs.index.hop_edges import question_id
from ragraphs.index.hops import load_hops
from ragraphs.index.layers import HOPS
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.moved_rows import MovedRows
from raw_sql import sql
from stub_openai import failure

LOCAL = {"layers": ["hops"]}
REMOTE = {**LOCAL, "embeddings": "openai:stub", "model": "openai:stub"}
EACH = 10  # questions that a text answers; each asks one more that another answers
BATCH = 64
# The question that another text asks too, so that an edge has it.
SHARED = f"WHERE id = '{question_id('Who built part 0 of Tower 1?')}'"


def documents(count: int) -> list[dict[str, str]]:
    return [
        {"id": f"d{n}", "title": f"Tower {n}", "text": f"Tower {n} stands in Ulm."}
        for n in range(count)
    ]


def questions(body: Any) -> dict[str, list[str]]:
    number = int(re.search(r'title="Tower (\d+)"', body["messages"][1]["content"])[1])
    asked = [f"Who built part {part} of Tower {number}?" for part in range(EACH)]
    return {"incoming": asked, "outgoing": [f"Who built part 0 of Tower {number + 1}?"]}


@pytest.fixture
def remote(openai):
    """A model whose texts each ask ten questions of their own, and embeddings from afar."""
    openai.answer = questions
    return openai


def asked_in(indexing: Any) -> list[str]:
    """Every distinct question."""
    readings = indexing.index.readings.values("questions")
    lists = [[*value["incoming"], *value["outgoing"]] for _, value in readings]
    return sorted({question for asked in lists for question in asked})


def requests_for_questions(openai: Any) -> list[list[str]]:
    return [body["input"] for body in openai.bodies if is_for_questions(body)]


def is_for_questions(body: Any) -> bool:
    return all(text.endswith("?") for text in body.get("input", [""]))


def assert_complete(indexing: Any) -> None:
    """Every distinct question has its vector, nothing else has one, and the edges load."""
    index, asked = indexing.index, asked_in(indexing)
    ids = [question_id(question) for question in asked]
    assert asked and index.questions.ids() == set(ids)
    halves = index.embedder.embed(asked).astype(np.float16)
    assert np.array_equal(index.questions.get(ids), halves)
    assert len(load_hops(index).graph.edges) > 0


def change(indexing: Any, statement: str) -> None:
    """Changes the vectors, and forgets what was kept of them in memory."""
    with indexing.index.catalogue._engine.begin() as connection:
        sql(connection, statement)
    indexing.index.kept.clear()


def damage_edges(index: Any) -> None:
    """Damages the edges, which have vectors of their own, so that they are made from the table."""
    (HOPS.path(index) / "rows.npy").write_bytes(b"")


@pytest.mark.slow
def test_requests_of_at_most_64_questions_are_under_way_side_by_side(indexing, remote):
    answer, together = remote.otherwise, threading.Barrier(5)

    def held(path: str, body: Any) -> Response:
        if is_for_questions(body):
            together.wait(20)
        return answer(path, body)

    remote.otherwise = held
    indexing.run(documents=documents(30), context={**REMOTE, "concurrency": 5})
    remote.otherwise = answer
    sizes = [len(texts) for texts in requests_for_questions(remote)]
    assert sum(sizes) == len(asked_in(indexing)) == 30 * EACH + 1
    assert len(sizes) == 5 and max(sizes) == BATCH
    assert_complete(indexing)


@pytest.mark.slow
def test_after_a_failure_only_what_is_missing_is_embedded(indexing, remote):
    answer, allowed = remote.otherwise, iter(range(2))

    def failing(path: str, body: Any) -> Response:
        refused = is_for_questions(body) and next(allowed, None) is None
        return failure(400, "no") if refused else answer(path, body)

    remote.otherwise = failing
    with pytest.raises(RagraphsError, match="what is done is kept"):
        indexing.run(documents=documents(30), context={**REMOTE, "concurrency": 1})
    assert len(indexing.index.questions.ids()) == 2 * BATCH
    remote.otherwise = answer
    remote.requests.clear()
    indexing.run(context={"embeddings": "openai:stub", "model": "openai:stub"})
    assert sum(map(len, requests_for_questions(remote))) == 30 * EACH + 1 - 2 * BATCH
    assert_complete(indexing)


@pytest.mark.slow
def test_what_is_complete_is_not_embedded_again_and_chroma_is_left_alone(indexing, embedded):
    indexing.run(documents=documents(3), context=LOCAL)
    stamp = indexing.index.catalogue.property("vectors_written")
    embedded.clear()
    indexing.run()
    assert embedded == []
    indexing.index.questions.clear()
    indexing.run()
    assert sorted(embedded) == asked_in(indexing)
    assert indexing.index.catalogue.property("vectors_written") == stamp
    assert_complete(indexing)


@pytest.mark.slow
def test_progress_counts_the_questions_that_have_vectors(indexing, remote):
    context = indexing.context(**{**REMOTE, "concurrency": 1})
    given = {"documents": documents(20)}
    events = [
        event
        for event in index_graph.stream(given, context=context, stream_mode="custom")
        if event["step"] == "embed_questions"
    ]
    assert [event["total"] for event in events] == [20 * EACH + 1] * 4
    assert all(a["done"] < b["done"] for a, b in pairwise(events))
    assert events[-1]["done"] == 20 * EACH + 1


@pytest.mark.slow
def test_repair_makes_the_vectors_anew(indexing):
    indexing.run(documents=documents(3), context=LOCAL)
    store = indexing.index.questions
    ids = sorted(store.ids())
    store.add([*ids, "asked by nobody"], np.ones((len(ids) + 1, 1024), dtype=np.float32))
    indexing.run(context={"repair": True})
    assert_complete(indexing)


@pytest.mark.slow
def test_a_question_that_is_still_asked_elsewhere_keeps_its_vector(indexing, remote, embedded):
    indexing.run(documents=documents(4), context={**LOCAL, "model": "openai:stub"})
    embedded.clear()
    indexing.run(remove=["d1"])
    assert question_id("Who built part 0 of Tower 1?") in indexing.index.questions.ids()
    assert question_id("Who built part 1 of Tower 1?") not in indexing.index.questions.ids()
    assert embedded == []
    assert_complete(indexing)


@pytest.mark.slow
@pytest.mark.in_folder("its rows are changed by SQL of SQLite")
@pytest.mark.parametrize(
    ("statement", "made"),
    [
        (f"DELETE FROM question_vectors {SHARED}", 1),
        (f"UPDATE question_vectors SET vector = substr(vector, 1, 20) {SHARED}", 1),
        (f"UPDATE question_vectors SET vector = x'' {SHARED}", 1),
        ("DELETE FROM question_vectors", 4 * EACH + 1),
        ("UPDATE question_vectors SET vector = substr(vector, 1, 20)", 4 * EACH + 1),
    ],
)
def test_an_index_without_all_its_vectors_says_so_and_the_next_run_mends_it(
    indexing, remote, embedded, statement, made
):
    indexing.run(documents=documents(4), context={**LOCAL, "model": "openai:stub"})
    change(indexing, statement)
    damage_edges(indexing.index)
    with pytest.raises(RagraphsError, match=r"not complete: .* run ragraphs index to complete it"):
        load_hops(indexing.index)
    embedded.clear()
    indexing.run()
    assert len(embedded) == made
    assert_complete(indexing)


def test_questions_are_answered_by_the_vectors_that_the_edges_have(indexing):
    indexing.run(documents=documents(3), context=LOCAL)
    before = load_hops(indexing.index).ask("Where is Tower 1?").promises([0, 1])
    change(indexing, "DELETE FROM question_vectors")
    asked = load_hops(indexing.index).ask("Where is Tower 1?")
    assert asked.promises([0, 1]).tolist() == before.tolist()


@pytest.mark.slow
def test_vectors_of_edges_share_the_file_of_before_until_a_purge(indexing, monkeypatch):
    monkeypatch.setattr("ragraphs.stores.arrays._MAPPED_BYTES", 1)
    monkeypatch.setattr("ragraphs.stores.moved_rows.MOST_CHANGED", 1.0)
    names = "Arlen Brisk Corin Delta Efrem Fjord Galen Hollow Irwin Jarvis".split()
    given = [
        {"id": one, "title": one, "text": f"{one} Quill built {other} Tower. {one} met {other}."}
        for one, other in pairwise(names)
    ]
    indexing.run(documents=given[1:], context=LOCAL)
    indexing.run(documents=given[:1], context=LOCAL)
    index = indexing.index

    def vectors():
        arrays = index.arrays.load(HOPS.arrays(index))
        questions = PackedTexts.from_arrays(arrays, "questions")
        used = dict(zip(arrays["rows"].tolist(), arrays["incoming"].tolist(), strict=True))
        ids = [question_id(questions[used[row]]) for row in sorted(used)]
        expected = index.questions.get(ids)
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        kept, asked = arrays["vectors"], expected[0]
        np.testing.assert_allclose(kept[:], expected, atol=1e-3)
        np.testing.assert_allclose(kept @ asked, expected @ asked, atol=1e-3)
        return kept

    assert isinstance(vectors(), MovedRows)
    assert load_hops(index).ask("Who built Tower 3?").compared.size
    indexing.run(context={**LOCAL, "purge": True})
    assert not isinstance(vectors(), MovedRows)


@pytest.mark.slow
def test_sketches_of_lexical_embeddings_are_kept_without_their_zeros(indexing):
    indexing.run(documents=documents(3), context=LOCAL)
    index = indexing.index
    arrays = index.arrays.load(HOPS.arrays(index))
    vectors = index.questions.get(
        list(map(question_id, PackedTexts.from_arrays(arrays, "questions")))
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    kept = Sketches.of(vectors).to_arrays()
    assert all(np.array_equal(arrays[name], array) for name, array in kept.items())
    assert arrays["question_sketches"].size < vectors.size / 8


@pytest.mark.in_folder("no database lacks a table of an earlier version")
def test_an_index_that_was_built_before_the_table_was_there_is_completed(indexing):
    indexing.run(documents=documents(3), context=LOCAL)
    change(indexing, "DROP TABLE question_vectors")
    opening._alive.pop(indexing.index.location)
    damage_edges(indexing.index)
    with pytest.raises(RagraphsError, match="bring it up to date with: ragraphs index"):
        load_hops(indexing.index)
    indexing.run()
    assert_complete(indexing)


@pytest.mark.slow
def test_korean_questions_are_embedded(indexing):
    given = [
        {"id": "1", "title": "훈민정음", "text": "훈민정음은 세종대왕이 만들었다."},
        {"id": "2", "title": "세종대왕", "text": "세종대왕은 한양에서 태어났다."},
    ]
    indexing.run(documents=given, context=LOCAL)
    assert any("세종대왕" in question for question in asked_in(indexing))
    assert_complete(indexing)
