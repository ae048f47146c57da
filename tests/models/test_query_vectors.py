"""A question is embedded once, however many searches ask for its vector."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.models.query_vectors import embed_queries
from ragraphs.state.errors import RagraphsError


class Counting(LexicalEmbedder):
    """Lexical embeddings that keep the batches they were given."""

    def __init__(self):
        super().__init__()
        self.batches: list[list[str]] = []

    def embed(self, texts):
        self.batches.append(list(texts))
        return super().embed(texts)


@pytest.fixture
def embedder() -> Counting:
    return Counting()


def test_only_queries_that_were_not_asked_before_are_embedded_in_one_batch(embedder):
    first = embed_queries(embedder, ["Who?", "Where?"])
    second = embed_queries(embedder, ["When?", "Where?", "Why?"])
    assert embedder.batches == [["Who?", "Where?"], ["When?", "Why?"]]
    assert np.array_equal(second[1], first[1])


def test_vectors_are_in_the_order_of_the_queries_and_one_may_stand_twice(embedder):
    queries = ["Who wrote it?", "Where is Rome?", "Who wrote it?"]
    expected = LexicalEmbedder().embed(queries)
    assert np.array_equal(embed_queries(embedder, queries), expected)
    assert embedder.batches == [["Who wrote it?", "Where is Rome?"]]


def test_embeddings_do_not_share_what_they_remember(embedder):
    other = Counting()
    embed_queries(embedder, ["Who?"])
    embed_queries(other, ["Who?"])
    assert other.batches == [["Who?"]]


def asked_twice_at_once(embedder, fails: bool):
    """Two searches for "Who?", the second begun while the first one waits for its vector."""
    begun, go_on = Event(), Event()
    embed = embedder.embed

    def waiting(texts):
        embedder.embed = embed
        begun.set()
        go_on.wait(60)
        if fails:
            raise RagraphsError("The server is away.")
        return embed(texts)

    embedder.embed = waiting
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(embed_queries, embedder, ["Who?"])
        assert begun.wait(60)
        second = threads.submit(embed_queries, embedder, ["Who?"])
        go_on.set()
    return first, second


def test_searches_at_the_same_time_embed_a_question_once(embedder):
    first, second = asked_twice_at_once(embedder, fails=False)
    assert np.array_equal(first.result(), second.result())
    assert embedder.batches == [["Who?"]]


def test_where_one_search_fails_the_other_embeds_its_question_itself(embedder):
    first, second = asked_twice_at_once(embedder, fails=True)
    assert isinstance(first.exception(), RagraphsError)
    assert np.array_equal(second.result(), LexicalEmbedder().embed(["Who?"]))


def test_a_request_that_brings_too_few_vectors_leaves_nothing_behind(embedder):
    embed, embedder.embed = embedder.embed, lambda texts: LexicalEmbedder().embed(texts[:1])
    with pytest.raises(ValueError, match="zip"):
        embed_queries(embedder, ["Who?", "Where?"])
    embedder.embed = embed
    embed_queries(embedder, ["Who?", "Where?"])
    assert embedder.batches == [["Who?", "Where?"]]


@pytest.mark.slow
def test_of_many_queries_the_last_are_remembered(embedder):
    for number in range(12_000):
        embed_queries(embedder, [f"Question {number}?"])
    embedder.batches.clear()
    embed_queries(embedder, ["Question 11999?"])
    assert embedder.batches == []
    embed_queries(embedder, ["Question 0?"])
    assert embedder.batches == [["Question 0?"]]
