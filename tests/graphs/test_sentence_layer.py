"""Embedding sentences: resumed, made anew, mended; and an index that lacks some says so."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from http_stub import Response
from ragraphs.algorithms.linear_rag import passage_records
from ragraphs.algorithms.linear_rag.passage_records import sentence_texts
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index import opening
from ragraphs.index.known_sentences import known_sentences
from ragraphs.index.retrieval import search
from ragraphs.language import mentions
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.vector_tables import SentenceVectors
from raw_sql import sql
from stub_openai import OpenAIStub, failure

LONG = 24  # sentences of a document; three of 64 do not make one request
REMOTE = {"embeddings": "openai:stub", "layers": ["sentences"]}
LOCAL = {"layers": ["sentences"]}


def documents(count: int) -> list[dict[str, str]]:
    return [
        {
            "id": f"d{n}",
            "title": f"Tower {n}",
            "text": " ".join(f"Tower {n} has a part called Bell {n}x{m}." for m in range(LONG)),
        }
        for n in range(count)
    ]


def requests_for_sentences(openai: OpenAIStub) -> list[list[str]]:
    """The texts of each request that was for sentences, whose titles stand before a colon."""
    inputs = [request["input"] for request in openai.bodies]
    return [texts for texts in inputs if all(": " in text for text in texts)]


def assert_complete(indexing: Any) -> None:
    """Every passage has the vectors of its sentences, and the retriever finds all passages."""
    index = indexing.index
    texts = {
        passage["id"]: sentence_texts(passage["title"], passage["text"])
        for passage in index.catalogue.all_passages()
    }
    counts = {id: len(found) for id, found in texts.items()}
    assert index.sentences.counts() == counts
    flat = [each for found in texts.values() for each in found]
    assert np.array_equal(index.sentences.load(counts), index.embedder.embed(flat).astype("f2"))
    found = search(index, "Which Tower has Bell 1x1?", "graph", 100)
    assert len(found) == index.catalogue.count_passages()


def damage(indexing: Any, change: str) -> None:
    """Changes the row of one passage, or with DELETE takes it away."""
    one = "WHERE passage = (SELECT min(passage) FROM sentence_vectors)"
    with indexing.index.catalogue._engine.begin() as connection:
        sql(connection, f"{change} {one}")


@pytest.mark.slow
def test_a_request_holds_whole_passages_and_at_most_64_sentences(indexing, openai):
    indexing.run(documents=documents(5), context=REMOTE)
    sizes = sorted(len(texts) for texts in requests_for_sentences(openai))
    assert sizes == [LONG, 2 * LONG, 2 * LONG]
    assert_complete(indexing)


def test_the_sentences_of_a_long_passage_go_in_several_requests(indexing, openai):
    whole = [{"id": "d", "title": "", "text": " ".join(d["text"] for d in documents(4))}]
    indexing.run(documents=whole, context={**REMOTE, "chunk_tokens": 2000})
    assert list(indexing.index.sentences.counts().values()) == [4 * LONG]
    assert sorted(map(len, (r["input"] for r in openai.bodies))) == [1, 32, 64]


@pytest.mark.slow
def test_batches_are_embedded_side_by_side_where_another_machine_embeds(indexing, openai):
    answer = openai.otherwise
    openai.otherwise = lambda path, body: Response(answer(path, body).body, seconds=0.2)
    indexing.run(documents=documents(24), context={**REMOTE, "concurrency": 9})
    assert openai.most_in_flight >= 9


@pytest.mark.slow
def test_after_a_failure_only_what_is_missing_is_embedded(indexing, openai):
    answer = openai.otherwise
    refused = answering_until(answer, "Bell 4x1.")
    openai.otherwise = refused
    with pytest.raises(RagraphsError, match="what is done is kept"):
        indexing.run(documents=documents(6), context={**REMOTE, "concurrency": 1})
    done = indexing.index.sentences.counts()
    assert 0 < len(done) < 6
    openai.otherwise = answer
    openai.requests.clear()
    indexing.run(context={"embeddings": "openai:stub"})
    again = [text for texts in requests_for_sentences(openai) for text in texts]
    assert len(again) == (6 - len(done)) * LONG
    assert_complete(indexing)


def answering_until(
    answer: Callable[[str, Any], Response], refused: str
) -> Callable[[str, Any], Response]:
    """Answers as before, but refuses any request with a sentence that ends like ``refused``.

    A sentence has its title before it; without, it measures what vectors are worth.
    """

    def respond(path: str, body: Any) -> Response:
        sentences = [text for text in body["input"] if text.endswith(refused) and ": " in text]
        return failure(400, "no") if sentences else answer(path, body)

    return respond


@pytest.mark.slow
def test_what_is_complete_is_not_embedded_again(indexing, embedded):
    indexing.run(documents=documents(3), context=LOCAL)
    embedded.clear()
    stamp = indexing.index.catalogue.property("vectors_written")
    indexing.run()
    assert embedded == []
    indexing.index.sentences.clear()
    indexing.run()
    assert len(embedded) == 3 * LONG
    assert indexing.index.catalogue.property("vectors_written") == stamp
    assert_complete(indexing)


@pytest.mark.slow
def test_progress_counts_the_passages_whose_sentences_have_vectors(indexing):
    context = indexing.context(**LOCAL)
    events = [
        event
        for event in index_graph.stream(
            {"documents": documents(30)}, context=context, stream_mode="custom"
        )
        if event["step"] == "embed_sentences"
    ]
    assert [event["total"] for event in events] == [30] * len(events)
    assert all(a["done"] < b["done"] for a, b in pairwise(events))
    assert events[-1]["done"] == 30


@pytest.mark.slow
def test_repair_makes_the_vectors_anew(indexing):
    indexing.run(documents=documents(3), context=LOCAL)
    wrong = [
        SentenceVectors(id, np.ones((count, 1024), dtype=np.float32))
        for id, count in indexing.index.sentences.counts().items()
    ]
    indexing.index.sentences.put(wrong)
    indexing.run(context={"repair": True})
    assert_complete(indexing)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM sentence_vectors",
        "UPDATE sentence_vectors SET vectors = substr(vectors, 1, 99)",
        "UPDATE sentence_vectors SET vectors = substr(vectors, 1, 99), sentences = 1",
    ],
)
def test_an_index_without_all_its_vectors_says_so_and_the_next_run_mends_it(
    indexing, embedded, change
):
    indexing.run(documents=documents(3), context=LOCAL)
    damage(indexing, change)
    with pytest.raises(RagraphsError, match=r"not complete: .* run ragraphs index to complete it"):
        search(indexing.index, "Which Tower has Bell 1x1?", "graph", 3)
    embedded.clear()
    indexing.run()
    assert len(embedded) == LONG
    assert_complete(indexing)


@pytest.mark.slow
def test_a_repair_makes_sentences_anew_that_are_cut_otherwise_than_before(
    indexing, monkeypatch: pytest.MonkeyPatch
):
    cut = passage_records.sentences
    with monkeypatch.context() as patched:
        for module in (passage_records, mentions):
            patched.setattr(module, "sentences", lambda text: cut(text)[:1])
        indexing.run(documents=documents(3), context=LOCAL)
    assert set(indexing.index.sentences.counts().values()) == {1}
    indexing.run(context={"repair": True})
    assert_complete(indexing)


@pytest.mark.slow
def test_vectors_of_sentences_that_an_earlier_version_cut_are_made_anew(indexing, embedded):
    indexing.run(documents=documents(3), context=LOCAL)
    indexing.index.catalogue.set_property("sentences_cut", 1)
    assert search(indexing.index, "Which Tower has Bell 1x1?", "graph", 1)
    embedded.clear()
    indexing.run()
    assert len(embedded) == 3 * LONG
    assert_complete(indexing)


@pytest.mark.slow
def test_a_graph_of_other_sentences_than_are_stored_says_so(indexing):
    indexing.run(documents=documents(3), context=LOCAL)
    counts = indexing.index.sentences.counts()
    indexing.index.sentences.put(
        [SentenceVectors(id, np.ones((n + 1, 1024), dtype=np.float32)) for id, n in counts.items()]
    )
    with pytest.raises(RagraphsError, match="run ragraphs index to complete it"):
        search(indexing.index, "Which Tower has Bell 1x1?", "graph", 3)
    indexing.run()
    assert_complete(indexing)


@pytest.mark.slow
@pytest.mark.in_folder("no database lacks a table of an earlier version")
def test_an_index_that_was_built_before_the_table_was_there_is_completed(indexing):
    indexing.run(documents=documents(3), context=LOCAL)
    with indexing.index.catalogue._engine.begin() as connection:
        sql(connection, "DROP TABLE sentence_vectors")
    opening._alive.pop(indexing.index.location)
    with pytest.raises(RagraphsError, match="bring it up to date with: ragraphs index --index"):
        search(indexing.index, "Which Tower has Bell 1x1?", "graph", 3)
    indexing.run()
    assert_complete(indexing)


@pytest.mark.slow
def test_a_large_index_misses_vectors_of_a_passage_that_went_and_came_in_runs_cut_off(
    indexing, embedded, monkeypatch
):
    monkeypatch.setattr("ragraphs.stores.large.FLAT_FROM", 0)
    indexing.run(documents=documents(3), context=LOCAL)
    with monkeypatch.context() as patched, pytest.raises(RagraphsError):
        patched.setattr("ragraphs.index.sentences._link_passages", lambda *_, **__: 1 // 0)
        indexing.run(remove=["d1"])
    embedded.clear()
    indexing.run(documents=documents(2)[1:])
    assert len(embedded) == 1 + LONG  # of the passage itself, and of its sentences
    assert_complete(indexing)


@pytest.mark.slow
def test_korean_sentences_are_embedded_and_walked_over(indexing):
    given = [
        {"id": "1", "title": "훈민정음", "text": "훈민정음은 세종대왕이 만들었다. 글자이다."},
        {"id": "2", "title": "세종대왕", "text": "세종대왕은 한양에서 태어났다. 왕이었다."},
    ]
    indexing.run(documents=given, context=LOCAL)
    assert list(indexing.index.sentences.counts().values()) == [2, 2]
    assert_complete(indexing)


@pytest.mark.slow
def test_the_vectors_of_the_layer_are_those_of_the_sentences_that_are_read(indexing):
    indexing.run(documents=documents(2), context=LOCAL)
    index = indexing.index
    one, other = list(index.catalogue.all_passages())[:2]
    found = known_sentences(index.catalogue, index.sentences, [one["id"], "gone"])
    assert {passage for passage, _ in found} == {one["id"]} != {other["id"]}
    texts = [f"{one['title']}: {sentence}" for _, sentence in found]
    assert np.array_equal(list(found.values()), index.embedder.embed(texts).astype("f2"))
    index.catalogue.set_property("sentences_cut", 1)
    assert known_sentences(index.catalogue, index.sentences, [one["id"]]) == {}
