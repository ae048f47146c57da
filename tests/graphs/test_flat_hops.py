"""The hops layer by candidates: the same edges and answers as by comparison with all."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from ragraphs.algorithms.hoprag.candidates import Candidates
from ragraphs.context import HopragContext
from ragraphs.graphs.hoprag import graph as hoprag
from ragraphs.index.hops import load_hops
from ragraphs.index.layers import HOPS
from ragraphs.index.narrowing import narrowed

from lab.benchmarks.synthetic import made_up

TEXTS = [{**text, "metadata": {"shelf": number % 2}} for number, text in enumerate(made_up(40))]
QUESTIONS = [f"Who founded {text['title']}?" for text in TEXTS[:5]]


@pytest.fixture
def flat(monkeypatch):
    """Switches to the flat way; an index that is opened later takes it."""

    def switch() -> None:
        monkeypatch.setattr("ragraphs.stores.large.FLAT_FROM", 0)

    return switch


def edges_of(indexing: Any) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in indexing.export().splitlines()]
    return [line for line in lines if line["kind"] == "hop"]


def asked(indexing: Any, question: str) -> tuple[list[str], list[float], float]:
    """The passages found, SIM of the edges that share a word with the question, best promise.

    SIM of edges that share none is noise of hashed words, and they need not be compared.
    """
    context = HopragContext(index=indexing.name, model="offline", top_k=5)
    answer = hoprag.invoke({"question": question}, context=context)
    hops = load_hops(indexing.index)
    edges = hops.ask(question)
    similarities = edges.similarities(hops.nearest(edges, 20))
    near = similarities[similarities > 0.1].tolist()
    return [text["id"] for text in answer["evidence"]], near, edges.best_promise


@pytest.mark.slow
def test_a_small_index_has_the_same_edges_and_answers_by_candidates(indexing, other, flat):
    context = {"layers": ["hops"], "model": "offline"}
    indexing.run(documents=TEXTS, context=context)
    exact = [asked(indexing, question) for question in QUESTIONS]
    flat()
    other.run(documents=TEXTS, context=context)
    assert "vectors" in HOPS.load(indexing.index, None)
    assert "near_lists" in HOPS.load(other.index, None)
    for one, by_all in zip(edges_of(other), edges_of(indexing), strict=True):
        assert one | {"similarity": 0} == by_all | {"similarity": 0}
        assert one["similarity"] == pytest.approx(by_all["similarity"], abs=1e-3)
    for question, (texts, similarities, promise) in zip(QUESTIONS, exact, strict=True):
        found = asked(other, question)
        assert found[0] == texts
        assert similarities and found[1] == pytest.approx(similarities, abs=1e-3)
        assert found[2] == pytest.approx(promise, abs=0.01)


@pytest.mark.slow
def test_edges_of_dense_vectors_differ_only_in_near_ties(indexing, other, openai, flat):
    context = {"layers": ["hops"], "embeddings": "openai:stub", "model": "offline"}
    indexing.run(documents=TEXTS, context=context)
    flat()
    other.run(documents=TEXTS, context=context)
    assert "near_graph" in HOPS.load(other.index, None)
    exact, found = ({_key(edge): edge for edge in edges_of(each)} for each in (indexing, other))
    same = exact.keys() & found.keys()
    # The stub's vectors are all near each other, and half precision changes the order of such.
    assert len(same) > 0.9 * len(exact)
    for key in same:
        assert found[key]["similarity"] == pytest.approx(exact[key]["similarity"], abs=1e-3)
    best = [max(edge["similarity"] for edge in edges.values()) for edges in (exact, found)]
    assert best[0] == pytest.approx(best[1], abs=1e-3)


def _key(edge: dict[str, Any]) -> tuple[str, ...]:
    return edge["source"], edge["target"], edge["raised"], edge["question"]


@pytest.mark.slow
@pytest.mark.parametrize("embeddings", ["lexical", "openai:stub"])
def test_after_changes_the_edges_are_those_of_a_fresh_index(
    indexing, other, openai, flat, monkeypatch, embeddings
):
    flat()
    context = {"layers": ["hops"], "embeddings": embeddings, "model": "offline"}
    indexing.run(documents=TEXTS[:30], context=context)
    compared: list[int] = []
    best = Candidates.best
    monkeypatch.setattr(
        Candidates,
        "best",
        lambda self, outgoing, parts: (
            compared.append(len(outgoing.passages)) or best(self, outgoing, parts)
        ),
    )
    changed = [{**TEXTS[2], "text": TEXTS[35]["text"]}, *TEXTS[30:34]]
    gone = [TEXTS[7]["id"], TEXTS[11]["id"]]
    indexing.run(documents=changed, remove=gone, context=context)
    kept = [text for text in TEXTS[:30] if text["id"] not in {TEXTS[n]["id"] for n in (2, 7, 11)}]
    other.run(documents=[*kept, *changed], context=context)
    followed, anew = ({_key(edge): edge for edge in edges_of(each)} for each in (indexing, other))
    same = followed.keys() & anew.keys()
    # The stub's vectors are all near each other, so that candidates by their graph vary.
    assert len(same) >= (0.9 if embeddings != "lexical" else 1) * len(followed.keys() | anew.keys())
    for key in same:
        assert followed[key]["similarity"] == pytest.approx(anew[key]["similarity"], abs=1e-3)
    assert compared[0] < compared[1] / 2


@pytest.mark.slow
@pytest.mark.parametrize("narrow", [True, False])
def test_a_filter_leaves_the_edges_among_its_passages(indexing, flat, monkeypatch, narrow):
    flat()
    indexing.run(documents=TEXTS, context={"layers": ["hops"]})
    part = narrowed(indexing.index, {"shelf": 1})
    if narrow:
        monkeypatch.setattr("ragraphs.stores.large.FLAT_FROM", 100)
    hops, shelf = load_hops(part), part.allowed
    assert (hops.open is not None) is narrow
    question = hops.ask(QUESTIONS[1])
    nearest = hops.nearest(question, 20)
    ends = [(hops.vertex(hops.graph.ids[hops.edges.source[edge]]), hops.target(edge))
            for edge in nearest]  # fmt: skip
    assert nearest and all(shelf.issuperset(pair) for pair in ends)
    similarities = question.similarities(nearest).tolist()
    assert similarities == sorted(similarities, reverse=True)
    outside = next(id for id in hops.graph.ids if id not in shelf)
    assert hops.out_edges(outside) == []


@pytest.mark.slow
def test_a_layer_of_an_earlier_format_is_made_anew(indexing):
    indexing.run(documents=TEXTS, context={"layers": ["hops"]})
    index, edges = indexing.index, edges_of(indexing)
    HOPS.record(index, "1:" + HOPS.stamp(index).removeprefix(HOPS.format))
    indexing.run()
    assert HOPS.stamp(index).startswith(HOPS.format)
    assert edges_of(indexing) == edges


def test_questions_far_from_the_compared_edges_are_scored_on_demand(indexing, flat):
    flat()
    indexing.run(documents=TEXTS, context={"layers": ["hops"]})
    hops = load_hops(indexing.index)
    question = hops.ask(QUESTIONS[0])
    none = replace(question, compared=question.compared[:0], _similarities=question.vector[:0])
    some = question.compared[:7]
    assert none.similarities(some) == pytest.approx(question.similarities(some), abs=1e-6)
