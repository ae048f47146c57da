"""Cross-encoders: a real, tiny one that fastembed loads, and what callers may name."""

from __future__ import annotations

import sys

import pytest
from ragraphs.context import BasicContext, CragContext, DeepragContext, IndexContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.crag import graph as crag
from ragraphs.graphs.deeprag import graph as deeprag
from ragraphs.graphs.index import graph as index_graph
from ragraphs.models import reranker
from ragraphs.models.reranker import candidates, open_cross_encoder
from ragraphs.settings import Settings, settings
from ragraphs.state.errors import RagraphsError
from tiny_cross_encoder import LISTED

QUESTION = "Who designed the iron bridge?"
DOCUMENTS = [
    {"id": "song", "title": "Bridge", "text": "The bridge bridge bridge of a song."},
    {"id": "forth", "title": "Forth", "text": "Who designed the iron bridge was John Fowler."},
    {"id": "iron", "title": "Iron", "text": "Iron is the metal of a bridge."},
]
NAME = f"fastembed:{LISTED}"


@pytest.fixture
def encoder(cross_encoder) -> str:
    return str(cross_encoder([QUESTION, *(one["text"] for one in DOCUMENTS)]))


@pytest.fixture
def index() -> None:
    index_graph.invoke({"documents": DOCUMENTS}, context=IndexContext(embeddings="lexical"))


@pytest.mark.slow
def test_a_model_in_a_folder_scores_each_text_with_its_title(encoder):
    opened = open_cross_encoder(encoder, settings())
    assert opened.scores(QUESTION, DOCUMENTS) == [2.0, 5.0, 3.0]
    assert opened.scores(QUESTION, []) == [] and opened.name == NAME


@pytest.mark.slow
def test_what_the_retriever_found_is_ordered_anew_with_the_scores_as_evidence(encoder, index):
    def found(**chosen):
        asked = {"question": "metal, the who was"}
        return basic.invoke(asked, context=BasicContext(**chosen))["evidence"]

    assert found()[0]["document"] == "iron" and found(rerank="") == found()
    assert [one["document"] for one in found(rerank=encoder)][:2] == ["forth", "iron"]
    result = basic.invoke({"question": QUESTION}, context=BasicContext(rerank=encoder))
    ranked = [(one["document"], one["score"]) for one in result["evidence"]]
    assert ranked == [("forth", 5.0), ("iron", 3.0), ("song", 2.0)]
    assert result["usage"]["retrievals"] == 1
    kept = basic.invoke({"question": QUESTION}, context=BasicContext(rerank=encoder, top_k=1))
    assert [one["document"] for one in kept["evidence"]] == ["forth"]


def test_only_the_candidates_are_read(encoder, index):
    def first(**chosen):
        context = BasicContext(rerank=encoder, top_k=1, retriever="hybrid", **chosen)
        [found] = basic.invoke({"question": "metal, the who was"}, context=context)["evidence"]
        return found["document"], found["score"]

    assert (first(), first(rerank_candidates=1)) == (("forth", 3.0), ("iron", 2.0))
    assert [candidates(None, 3), candidates(None, 20), candidates(5, 10), candidates(30, 10)] == [
        50,
        100,
        10,
        30,
    ]


def test_sub_questions_are_reranked_as_well(encoder, index):
    chosen = DeepragContext(rerank=encoder, step_passages=1, mode="tree")
    found = deeprag.invoke({"question": QUESTION}, context=chosen)["evidence"]
    assert found[0]["document"] == "forth" and found[0]["score"] >= 4.0


@pytest.mark.slow
def test_without_a_fit_a_cross_encoder_claims_nothing_and_says_so(encoder, index):
    def asked(**chosen):
        context = CragContext(grader="cross-encoder", rerank=encoder, **chosen)
        return crag.invoke({"question": QUESTION}, context=context)

    result = asked()
    assert result["verdict"] == "ambiguous"
    assert sum("is not fitted to this index" in warning for warning in result["warnings"]) == 1
    assert [grade["score"] > 0 for grade in result["grades"]] == [True] * 3
    assert asked(upper=0.98, lower=0.0)["verdict"] == "correct"
    assert not any("not fitted" in one for one in asked(upper=0.98, lower=0.0)["warnings"])
    assert asked(upper=1.0, lower=0.999)["verdict"] == "incorrect"


def test_the_grader_takes_the_model_of_rerank_or_says_what_to_name(encoder, index):
    question = {"question": QUESTION}
    context = CragContext(grader="cross-encoder", rerank=encoder, upper=0.98)
    assert crag.invoke(question, context=context)["verdict"] == "correct"
    with pytest.raises(RagraphsError, match="name one with rerank, such as fastembed:"):
        crag.invoke(question, context=CragContext(grader="cross-encoder"))


@pytest.mark.parametrize("name", ["word2vec", "fastembed", "fastembed:", "openai:any"])
def test_unknown_cross_encoders_are_named_in_a_sentence(name):
    with pytest.raises(RagraphsError, match="There is no cross-encoder called"):
        open_cross_encoder(name, Settings())


def test_a_folder_without_a_model_is_one_sentence(tmp_path):
    with pytest.raises(RagraphsError, match="'nowhere' of the cross-encoder does not exist"):
        open_cross_encoder(f"{NAME}@nowhere", Settings())
    with pytest.raises(RagraphsError, match="could not be loaded") as caught:
        open_cross_encoder(f"{NAME}@{tmp_path}", Settings())
    assert "\n" not in str(caught.value)


def test_without_a_network_it_is_said_within_seconds(monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", "empty")
    with pytest.raises(RagraphsError, match="its hub cannot be reached"):
        open_cross_encoder(NAME, Settings())


def test_without_fastembed_the_sentence_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "fastembed.rerank.cross_encoder", None)
    with pytest.raises(RagraphsError, match="is not installed; run: pip install fastembed"):
        open_cross_encoder(f"{NAME}@{tmp_path}/other", Settings())


def test_a_model_that_gives_no_numbers_is_one_sentence(cross_encoder):
    opened = open_cross_encoder(cross_encoder(["a b"], per_word=float("nan")), settings())
    with pytest.raises(RagraphsError, match=f"{LISTED} does not score texts"):
        opened.scores("a", [DOCUMENTS[0]])


@pytest.mark.parametrize(
    ("operator", "name", "allowed"),
    [
        ({}, f"{NAME}@FOLDER", True),
        ({"models": ["openai:any"]}, f"{NAME}@FOLDER", False),
        ({"models": [NAME]}, f"{NAME}@FOLDER", True),
        ({"root": "."}, f"{NAME}@FOLDER", False),
        ({"root": "."}, NAME, False),
        ({"root": ".", "models": [NAME]}, f"{NAME}@FOLDER", False),
        ({"root": ".", "models": [NAME]}, NAME, True),
        ({"root": ".", "rerank": f"{NAME}@FOLDER"}, NAME, True),
        ({"root": ".", "rerank": f"{NAME}@FOLDER"}, f"{NAME}@other", False),
    ],
)
def test_folders_and_downloads_are_the_operators_affair(
    monkeypatch, tmp_path, operator, name, allowed
):
    opened: list[str] = []
    monkeypatch.setattr(reranker, "_opened", lambda name: opened.append(name))
    if allowed:
        open_cross_encoder(name, Settings(**operator))
        assert opened == [operator.get("rerank", name)]
    else:
        with pytest.raises(RagraphsError, match="is not allowed here") as caught:
            open_cross_encoder(name, Settings(**operator))
        assert "FOLDER" not in str(caught.value) and opened == []


def test_the_operators_cross_encoder_is_taken_unless_the_caller_wants_none(
    monkeypatch, encoder, index
):
    monkeypatch.setenv("RAGRAPHS_RERANK", encoder)
    settings.cache_clear()
    question = {"question": QUESTION}
    assert basic.invoke(question, context=BasicContext())["evidence"][0]["score"] == 5.0
    assert basic.invoke(question, context=BasicContext(rerank=""))["evidence"][0]["score"] != 5.0


def test_callers_of_a_server_do_not_read_the_folder(monkeypatch, encoder):
    monkeypatch.setenv("RAGRAPHS_RERANK", encoder)
    monkeypatch.setenv("RAGRAPHS_ROOT", ".")
    settings.cache_clear()
    assert BasicContext().rerank == NAME
