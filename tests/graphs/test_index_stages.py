"""Stages of indexing beside a model's work, and how they end."""

from __future__ import annotations

import threading
import time

import pytest
from communities_support import MODEL, Script, clustered, texts_of
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.state.errors import RagraphsError

DOCUMENTS = clustered(20)
LAYERS = {"layers": ["hops", "communities"], "model": MODEL, "max_cluster_size": 5}


@pytest.fixture
def model(openai) -> Script:
    return Script(openai)


def held_until(condition, answer):
    """The answer, once ``condition`` holds; a test fails where it never does."""

    def held(human):
        ends = time.monotonic() + 20
        while not condition():
            assert time.monotonic() < ends
            time.sleep(0.01)
        return answer(human)

    return held


@pytest.mark.slow
def test_passages_get_vectors_while_the_model_reads(indexing, model):
    def embedded():
        return len(indexing.index.vectors.ids("passages")) == len(DOCUMENTS)

    model.answers["PassageReading"] = held_until(embedded, model.passagereading)
    result = indexing.run(documents=DOCUMENTS, context=LAYERS)
    assert model.counts["PassageReading"] == len(DOCUMENTS)
    assert result["failures"] == [] and result["warnings"] == []


@pytest.mark.slow
def test_questions_get_vectors_while_the_model_describes(indexing, model):
    def done():
        return indexing.index.questions.ids()

    def in_its_words(human):
        """Every passage describes an entity in words of its own, and at length."""
        read = model.passagereading(human)
        ((_, title, _),) = texts_of(human)
        for entity in read["entities"]:
            entity["description"] += f" So says {' and '.join(f'{title}{n}' for n in range(40))}."
        return read

    model.answers["PassageReading"] = in_its_words
    model.answers["Description"] = held_until(done, model.description)
    indexing.run(documents=DOCUMENTS, context=LAYERS)
    assert model.counts["Description"] > 1


def test_entities_get_vectors_while_the_model_reports(indexing, model):
    def done():
        return indexing.index.vectors.ids("entities")

    model.answers["CommunityReport"] = held_until(done, model.communityreport)
    indexing.run(documents=DOCUMENTS, context=LAYERS)
    assert model.counts["CommunityReport"] > 1


@pytest.mark.slow
def test_embeddings_that_fail_end_the_reading_too_and_no_reply_is_lost(
    indexing, model, monkeypatch
):
    few = {**LAYERS, "concurrency": 2}
    answered = threading.Event()
    embed = LexicalEmbedder.embed

    def passagereading(human):
        if len(model.of("PassageReading")) > 4:
            answered.set()
        return Script.passagereading(model, human)

    def failing(self, texts):
        assert answered.wait(20)
        raise RagraphsError("The embeddings are down.")

    model.answers["PassageReading"] = passagereading
    monkeypatch.setattr(LexicalEmbedder, "embed", failing)
    with pytest.raises(RagraphsError, match=r"^The embeddings are down\."):
        indexing.run(documents=DOCUMENTS, context=few)
    asked = len(model.of("PassageReading"))
    assert asked < len(DOCUMENTS)
    monkeypatch.setattr(LexicalEmbedder, "embed", embed)
    indexing.run(context=few)
    in_flight = 2
    assert len(model.of("PassageReading")) <= len(DOCUMENTS) + in_flight
    indexing.assert_whole()
