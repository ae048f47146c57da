"""Embeddings by name: over HTTP, without a network, and without a model."""

from __future__ import annotations

import time

import numpy as np
import pytest
from http_stub import Response
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.models import embeddings as embedding
from ragraphs.models.embeddings import (
    DEFAULT_FASTEMBED,
    MULTILINGUAL_FASTEMBED,
    FastEmbedder,
    open_embedder,
    resolve_auto,
    suits,
)
from ragraphs.models.lexical import LexicalEmbedder, _features, folded
from ragraphs.settings import Settings, settings
from ragraphs.state.errors import RagraphsError
from stub_openai import KEY, embeddings, failure

LEXICAL = LexicalEmbedder()
ENGLISH = "The bridge was opened in 1890, and it is the longest of its kind."
KOREAN = "이 다리는 1890년에 개통되었으며 같은 종류의 다리 가운데 가장 길다."


@pytest.fixture
def embedder(openai, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    settings.cache_clear()
    return open_embedder("openai:embedder", settings())


@pytest.fixture
def without_network(monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", "empty")


def test_openai_embeds_a_batch_in_one_request_to_unit_length(openai, embedder):
    vectors = embedder.embed(["a", "ab", "abc"])
    assert vectors.shape == (3, 3) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.allclose(vectors[2] / vectors[2][0], [1, 4 / 3, 1])
    assert len(openai.requests) == 1
    body = openai.bodies[0]
    assert body["input"] == ["a", "ab", "abc"] and body["model"] == "embedder"
    assert openai.requests[0].headers["Authorization"] == f"Bearer {KEY}"


def test_openai_embeds_nothing_without_a_request(openai, embedder):
    assert len(embedder.embed([])) == 0


@pytest.mark.parametrize(
    "response",
    [
        failure(401, f"Bad key {KEY}"),
        failure(404, "No such model"),
        embeddings([[1.0, 2.0]]),
        embeddings([[1.0, 2.0], [1.0]]),
        Response({"data": None}),
        Response("text"),
    ],
    ids=["key", "model", "too few", "ragged", "no data", "no object"],
)
def test_openai_failing_is_one_sentence_without_the_key(openai, embedder, response):
    openai.otherwise = lambda path, body: response
    with pytest.raises(RagraphsError, match="embeddings openai:embedder") as caught:
        embedder.embed(["a", "b"])
    assert KEY not in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("environment", [{}, {"OPENAI_API_KEY": ""}])
def test_openai_without_a_key_says_what_to_set(monkeypatch, environment):
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(RagraphsError, match="set OPENAI_API_KEY"):
        open_embedder("openai:embedder", Settings())


@pytest.mark.parametrize("name", ["", "word2vec", "fastembed", "openai:", "lexical:x"])
def test_unknown_embeddings_are_named_in_a_sentence(name):
    with pytest.raises(RagraphsError, match="There are no embeddings called"):
        open_embedder(name, Settings())


@pytest.mark.slow
@pytest.mark.parametrize("text", [ENGLISH, KOREAN])
def test_auto_without_a_network_is_lexical_within_seconds_and_says_so(without_network, text):
    name, note = resolve_auto(settings(), [text])
    assert name == "lexical"
    assert note is not None and "lexical" in note and "cannot be reached" in note


@pytest.mark.slow
def test_auto_offline_by_choice_is_lexical(without_network, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert resolve_auto(settings(), [ENGLISH])[0] == "lexical"


@pytest.fixture
def every_model(monkeypatch):
    """Every local model is at hand."""
    opened: list[str] = []
    monkeypatch.setattr(embedding, "open_embedder", lambda name, operator: opened.append(name))
    return opened


def test_auto_goes_by_the_languages_of_the_documents(every_model):
    assert resolve_auto(settings(), [ENGLISH]) == (f"fastembed:{DEFAULT_FASTEMBED}", None)
    for texts in ([KOREAN], [ENGLISH, KOREAN]):
        name, note = resolve_auto(settings(), texts)
        assert name == f"fastembed:{MULTILINGUAL_FASTEMBED}" and note and name in note
    assert [suits(f"fastembed:{DEFAULT_FASTEMBED}@a", [text]) for text in (ENGLISH, KOREAN)] == [
        True,
        False,
    ]
    assert suits(f"fastembed:{MULTILINGUAL_FASTEMBED}", [KOREAN]) and suits("lexical", [KOREAN])


def test_auto_takes_nothing_that_is_paid_for_and_says_how_it_is_had(every_model, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    name, note = resolve_auto(Settings(), [ENGLISH])
    assert name.startswith("fastembed:")
    assert note == "--embeddings openai:text-embedding-3-small takes OpenAI's."


def test_fastembed_from_a_folder_that_does_not_exist_is_one_sentence():
    with pytest.raises(RagraphsError, match="'nowhere' of the embedding model does not exist"):
        open_embedder("fastembed:sentence-transformers/all-MiniLM-L6-v2@nowhere", Settings())


@pytest.mark.parametrize("model", ["sentence-transformers/all-MiniLM-L6-v2", "made/up"])
def test_fastembed_from_a_folder_without_a_model_is_one_sentence(tmp_path, model):
    with pytest.raises(RagraphsError, match="could not be loaded") as caught:
        open_embedder(f"fastembed:{model}@{tmp_path}", Settings())
    assert "\n" not in str(caught.value)


@given(st.text(max_size=200))
def test_lexical_vectors_are_deterministic_and_of_unit_length_or_zero(text):
    vector, again = LEXICAL.embed([text])[0], LEXICAL.embed(["other", text])[1]
    assert np.array_equal(vector, again)
    assert vector.dtype == np.float32
    length = float(np.linalg.norm(vector))
    assert length == 0 or abs(length - 1) < 1e-5


def test_a_lexical_vector_does_not_depend_on_the_texts_beside_it():
    texts = [f"bridge {n} of Scotland, bridge {n % 7}" for n in range(150)] + ["", "the of"]
    assert np.array_equal(LEXICAL.embed(texts), [LEXICAL.embed([text])[0] for text in texts])


def test_folded_lexical_vectors_are_as_if_hashed_into_fewer_places(monkeypatch):
    texts = ["Forth Bridge: a bridge in Scotland, painted red", "경복궁", ""]
    found = folded(LEXICAL.embed(texts), 256)
    _features.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr("ragraphs.models.lexical._DIMENSION", 256)
        assert np.allclose(found, LEXICAL.embed(texts), atol=1e-6)
    _features.cache_clear()
    assert found.shape == (3, 256) and not found[2].any()


@pytest.mark.parametrize("text", ["경복궁은 1395년에 지어졌다.", "東京都", "Forth Bridge", "7"])
def test_lexical_vectors_exist_in_every_script(text):
    assert np.linalg.norm(LEXICAL.embed([text])[0]) == pytest.approx(1)


@pytest.mark.parametrize("text", ["", "   ", "the of and", "!?"])
def test_lexical_gives_a_zero_vector_where_there_are_no_terms(text):
    assert not LEXICAL.embed([text]).any()


def test_lexical_vectors_of_related_texts_are_nearer():
    bridge, bridges, sonata = LEXICAL.embed(
        ["The Forth Bridge in Scotland", "bridges of Scotland", "a piano sonata in C"]
    )
    assert bridge @ bridges > 0.3 > abs(bridge @ sonata)


def test_texts_are_embedded_at_once_and_stay_in_order():
    class Model:
        def embed(self, texts, batch_size):
            assert len(texts) == batch_size == 1
            time.sleep(0.002 * len(texts[0]))
            yield [len(texts[0]), 1.0]

    lengths = [9, 1, 7, 2, 5]
    vectors = FastEmbedder("tiny", Model()).embed(["x" * length for length in lengths])
    assert [round(float(a / b)) for a, b in vectors] == lengths
    assert FastEmbedder("tiny", Model()).embed([]).shape == (0, 0)
