"""The hoprag graph: the walk, its trace, its calls, and what it does when the model fails."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from http_stub import Response
from ragraphs.algorithms.hoprag.walk import helpfulness, importance
from ragraphs.context import HopragContext
from ragraphs.graphs.hoprag import graph
from ragraphs.index.grading import keep_hop_skill
from ragraphs.index.hops import load_hops
from ragraphs.state.errors import RagraphsError
from stub_openai import failure

MODEL = "openai:stub"
TEXTS = {
    "Atomium": "The Atomium stands in Brussels. It was designed by André Waterkeyn.",
    "André Waterkeyn": "André Waterkeyn was an engineer. He was born in Wimbledon.",
    "Wimbledon": "Wimbledon is a district of London, known for tennis.",
    "Tennis": "Tennis is played with rackets on a court of grass or clay.",
    "World fairs": "A world fair shows the achievements of nations.",
    "Grass": "Grass grows on meadows and on lawns.",
}
DOCUMENTS = [{"id": title, "title": title, "text": text} for title, text in TEXTS.items()]
DOCUMENTS[-1]["metadata"] = {"section": "Grass › Facts"}
QUESTION = {"question": "Where was the designer of the Atomium born?"}
ASKED = {
    "Atomium": (
        ["Who designed the Atomium?"],
        ["Where was André Waterkeyn born?", "What is Grass?"],
    ),
    "André Waterkeyn": (["Where was André Waterkeyn born?"], ["What is Wimbledon known for?"]),
    "Wimbledon": (["What is Wimbledon known for?"], ["How is tennis played?"]),
    "Tennis": (["How is tennis played?"], ["What is Grass?"]),
    "World fairs": (["What does a world fair show?"], ["Who designed the Atomium?"]),
    "Grass": (["What is Grass?"], ["What does a world fair show?"]),
}
QUOTES = [
    {"id": "1", "quote": "He was born in Wimbledon."},
    {"id": "2", "quote": "It was designed by André Waterkeyn."},
]


class Script:
    """A model that writes the questions above, follows what ``label`` says, and answers."""

    def __init__(self, openai):
        openai.answer = self
        self.label = lambda question: "necessary" if "born" in question else None
        self.hops = []
        self.openai = openai

    def __call__(self, body):
        human = body["messages"][1]["content"]
        if "Write both lists" in human:
            incoming, outgoing = ASKED[re.search(r'title="(.+?)"', human)[1]]
            return {"incoming": incoming, "outgoing": outgoing}
        if "follow-up" in human:
            self.hops.append(body)
            lines = re.findall(r"^(\d+\.\d+) (.+)$", human, re.MULTILINE)
            labels = {id: self.label(question) for id, question in lines}
            return {
                label: [id for id in labels if labels[id] == label]
                for label in ("necessary", "indirect")
            }
        return {"quotes": QUOTES, "sufficient": True, "answer": "Wimbledon"}


@pytest.fixture
def model(openai):
    return Script(openai)


@pytest.fixture
def ask(indexing, model, snapshots):
    context = {"layers": ["hops"], "model": MODEL}
    snapshots.fill(indexing.name, lambda: indexing.run(documents=DOCUMENTS, context=context))
    model.openai.requests.clear()

    def ask_it(**chosen):
        context = {"index": indexing.name, "model": MODEL, "top_k": 2, **chosen}
        return graph.invoke(QUESTION, context=HopragContext(**context))

    return ask_it


def titles(result):
    return [passage["title"] for passage in result["evidence"]]


def test_the_walk_follows_what_the_model_calls_necessary(ask):
    result = ask(top_k=3)
    assert result["answer"] == "Wimbledon"
    assert result["sufficient"]
    assert result["citations"][0]["title"] == "André Waterkeyn"


def test_the_trace_says_which_question_led_where(ask):
    ids = {passage["title"]: passage["id"] for passage in ask(top_k=6)["evidence"]}
    hops = ask(top_k=2)["hops"]
    assert [hop["round"] for hop in hops] == sorted(hop["round"] for hop in hops)
    walked = [hop for hop in hops if hop["round"] and hop["source"] == ids["Atomium"]]
    assert {
        "round": 1,
        "source": ids["Atomium"],
        "target": ids["André Waterkeyn"],
        "raised": "Where was André Waterkeyn born?",
        "question": "Where was André Waterkeyn born?",
        "label": "necessary",
    }.items() <= walked[0].items()


def test_indirect_questions_are_followed_where_none_is_necessary(ask, model):
    model.label = lambda question: "indirect" if "Wimbledon" in question else None
    walked = [hop for hop in ask(top_k=6)["hops"] if hop["round"]]
    assert {hop["label"] for hop in walked} == {"indirect"}


@pytest.mark.slow
def test_every_necessary_hop_of_a_passage_is_followed_but_as_printed_the_best_one(ask, model):
    model.label = lambda question: "necessary"
    ids = {passage["title"]: passage["id"] for passage in ask(top_k=6)["evidence"]}

    def reached(**chosen):
        hops = ask(n_hop=1, max_calls=50, **chosen)["hops"]
        return {hop["target"] for hop in hops if hop["source"] == ids["Atomium"]}

    assert reached(traversal="every") == {ids["André Waterkeyn"], ids["Grass"]}
    assert len(reached(as_printed=True)) == 1


def test_nothing_is_followed_that_the_model_leaves_out(ask, model):
    model.label = lambda question: None
    result = ask()
    assert [hop for hop in result["hops"] if hop["round"]] == []
    assert result["answer"]


def test_without_hops_there_is_retrieval_only(ask, model):
    result = ask(n_hop=0)
    assert model.hops == []
    assert {hop["round"] for hop in result["hops"]} == {0}
    assert {passage["found"] for passage in result["evidence"]} == {"retrieved"}


def offered(body):
    """The follow-up questions of a request with the titles that they lead to."""
    human = body["messages"][1]["content"]
    return re.findall(r"^\d+\.\d+ (.+) → (.+)$", human, re.MULTILINE)


def test_every_passage_is_offered_once_with_its_title_and_headings(ask, model):
    model.label = lambda question: "necessary"
    ask(top_k=2)
    pairs = [pair for body in model.hops for pair in offered(body)]
    assert ("Where was André Waterkeyn born?", "André Waterkeyn") in pairs
    assert ("What is Grass?", "Grass › Facts") in pairs
    assert len({title for _, title in pairs}) == len(pairs)
    assert any('title="Grass › Facts"' in str(body["messages"]) for body in model.hops)


@pytest.mark.parametrize("n_hop", [0, 1])
@pytest.mark.parametrize("top_k", [1, 2, 3, 4])
def test_a_walk_reaches_at_most_top_k_passages_and_as_many_a_round(ask, model, top_k, n_hop):
    model.label = lambda question: "necessary"
    for traversal in ("model", "similarity"):
        reached = {
            hop["target"] for hop in ask(top_k=top_k, n_hop=n_hop, traversal=traversal)["hops"]
        }
        assert 0 < len(reached) <= (n_hop + 1) * top_k


@pytest.mark.slow
def test_a_hop_enters_the_evidence_behind_what_the_retriever_puts_first(ask, model):
    first = titles(ask(n_hop=0, top_k=6))[0]
    model.label = lambda question: None if question.endswith(f"→ {first}") else "necessary"
    assert titles(ask(top_k=6))[0] == first


def test_a_batch_asks_about_several_passages_at_once(ask, model):
    model.label = lambda question: "necessary"
    ask(top_k=6)
    assert len(model.hops) == 1


@pytest.mark.slow
def test_batches_of_one_round_are_asked_side_by_side(ask, model, monkeypatch):
    def slowly(path, body):
        return Response(**{**vars(model.openai._otherwise(path, body)), "seconds": 0.2})

    model.openai.otherwise = slowly
    monkeypatch.setattr("ragraphs.nodes.hoprag.asking.BATCH", 1)
    ask(top_k=6)
    assert model.openai.most_in_flight > 1


def test_traversal_by_similarity_asks_no_model_but_for_the_answer(ask, model):
    result = ask(traversal="similarity")
    assert model.hops == []
    assert len(model.openai.chats) == 1
    assert {hop["label"] for hop in result["hops"]} == {"retrieved", "similarity"}
    assert "André Waterkeyn" in titles(result)


def test_the_offline_reader_traverses_by_similarity(ask, model):
    result = ask(model="offline")
    assert model.openai.chats == []
    [(model, used)] = result["usage"]["models"].items()
    assert (model, used.pop("calls"), set(used.values())) == ("offline", 1, {0})


@pytest.mark.slow
@pytest.mark.parametrize("reply", ["no json at all", {"labels": "none"}, Response({}, 500)])
def test_where_the_model_gives_no_labels_similarity_chooses_with_a_warning(ask, model, reply):
    script = model.openai.answer
    model.openai.answer = lambda body: (
        reply if "follow-up" in body["messages"][1]["content"] else script(body)
    )
    result = ask(max_retries=0)
    assert {hop["label"] for hop in result["hops"] if hop["round"]} == {"similarity"}
    assert any("by similarity" in warning for warning in result["warnings"])
    assert result["answer"] == "Wimbledon"


def test_numbers_that_were_not_offered_are_not_followed(ask, model):
    script = model.openai.answer
    odd = {"necessary": ["9.9", "1"], "indirect": []}
    model.openai.answer = lambda body: (
        odd if "follow-up" in body["messages"][1]["content"] else script(body)
    )
    assert [hop for hop in ask()["hops"] if hop["round"]] == []


@pytest.mark.parametrize("most", [1, 2])
def test_one_call_is_kept_for_the_answer(ask, model, monkeypatch, most):
    model.label = lambda question: "necessary"
    monkeypatch.setattr("ragraphs.nodes.hoprag.asking.BATCH", 1)
    result = ask(top_k=6, max_calls=most)
    assert len(model.openai.chats) == most
    assert result["answer"] == "Wimbledon"
    assert any("limit on requests" in warning for warning in result["warnings"])


def test_labels_are_asked_for_by_number_with_the_texts_fenced(ask, model):
    ask(top_k=6)
    human = model.hops[0]["messages"][1]["content"]
    assert re.search(
        r'<text id="\d" title="Atomium">\n.*designed by André Waterkeyn\.\n'
        r"\d\.1 Where was André Waterkeyn born\? → André Waterkeyn\n",
        human,
    )
    assert QUESTION["question"] in human


@pytest.mark.slow
def test_sync_and_async_give_the_same(ask, indexing):
    context = HopragContext(index=indexing.name, model=MODEL, top_k=2)
    alone = asyncio.run(graph.ainvoke(QUESTION, context=context))
    invoked = ask()
    assert {**alone, "usage": None} == {**invoked, "usage": None}


def test_progress_is_streamed_for_every_round(ask, indexing):
    context = HopragContext(index=indexing.name, traversal="similarity", top_k=2)
    events = list(graph.stream(QUESTION, context=context, stream_mode="custom"))
    assert {event["step"] for event in events} == {"reason"}
    assert [event["done"] for event in events] == list(range(1, len(events) + 1))


@pytest.mark.slow
def test_an_index_without_the_layer_says_how_to_build_it(indexing):
    indexing.run(documents=DOCUMENTS)
    with pytest.raises(RagraphsError, match="ragraphs index --layers hops"):
        graph.invoke(QUESTION, context=HopragContext(index=indexing.name))


@pytest.mark.slow
def test_passages_that_the_layer_does_not_know_are_still_evidence(indexing, model):
    script = model.openai.answer
    model.openai.answer = lambda body: (
        failure(400, "no") if "André" in body["messages"][1]["content"] else script(body)
    )
    indexing.run(documents=DOCUMENTS, context={"layers": ["hops"], "model": MODEL})
    context = HopragContext(index=indexing.name, traversal="similarity", top_k=6)
    result = graph.invoke(QUESTION, context=context)
    assert "André Waterkeyn" in titles(result)


@pytest.mark.slow
def test_a_single_passage_has_no_edges_and_is_still_found(indexing):
    indexing.run(documents=DOCUMENTS[:1], context={"layers": ["hops"]})
    question = {"question": "Who designed the Atomium?"}
    result = graph.invoke(question, context=HopragContext(index=indexing.name))
    assert result["answer"] == "André Waterkeyn"


def test_the_output_is_plain_json(ask):
    result = ask()
    assert json.loads(json.dumps(result)) == result


def test_as_printed_the_walk_starts_at_the_nearest_edges_and_keeps_the_best_by_h(ask, indexing):
    result = ask(top_k=3, n_hop=1, as_printed=True, model="offline")
    hops = load_hops(indexing.index)
    asked = hops.ask(QUESTION["question"])
    first = [hops.target(edge) for edge in hops.nearest(asked, 3)]
    assert [hop["target"] for hop in result["hops"] if hop["round"] == 0] == first
    arrivals = list(first)
    for passage in dict.fromkeys(first):
        edges = hops.out_edges(passage)
        found = dict(zip(edges, asked.similarities(edges).tolist(), strict=True))
        arrivals.append(hops.target(max(found, key=found.__getitem__)))
    assert [hop["target"] for hop in result["hops"]] == arrivals
    shares = importance({id: arrivals.count(id) for id in arrivals})
    kept = {passage["id"]: passage["score"] for passage in result["evidence"]}
    assert len(kept) == 3 and kept.keys() <= shares.keys()
    assert list(kept.values()) == sorted(kept.values(), reverse=True)
    low, high = (helpfulness(dict.fromkeys(shares, sim), shares) for sim in (-0.5, 1.0))
    assert all(low[id] <= score <= high[id] for id, score in kept.items())


def test_as_printed_a_request_shows_every_edge_of_one_passage(ask, model, indexing):
    result = ask(top_k=2, n_hop=1, as_printed=True)
    hops = load_hops(indexing.index)
    starts = {hop["target"] for hop in result["hops"] if hop["round"] == 0}
    assert len(model.hops) == len(starts)
    edges = sorted(len(hops.out_edges(passage)) for passage in starts)
    assert sorted(len(offered(body)) for body in model.hops) == edges


@pytest.mark.slow
def test_every_hop_of_a_round_is_shown_where_that_is_wanted(ask, model, monkeypatch):
    monkeypatch.setattr("ragraphs.algorithms.hoprag.offers.MOST", 1)
    model.label = lambda question: None
    ask(top_k=3, n_hop=1)
    few = [pair for body in model.hops for pair in offered(body)]
    model.hops.clear()
    ask(top_k=3, n_hop=1, traversal="every")
    every = [pair for body in model.hops for pair in offered(body)]
    assert len(few) == 1 < len(every)
    assert len({title for _, title in every}) == len(every)


@pytest.mark.slow
def test_the_walk_weighs_what_its_labels_were_measured_at(ask, model, indexing):
    last = titles(ask(top_k=6, n_hop=0))[-1]
    model.label = lambda question: "necessary" if f"→ {last}" in question else None

    def place(model, skill):
        asyncio.run(keep_hop_skill(indexing.index, model, skill))
        return titles(ask(top_k=6, n_hop=1, traversal="every")).index(last)

    unmeasured = place("openai:another", 1.0)
    assert place(MODEL, 1.0) < unmeasured <= place(MODEL, 0.0)
    assert place(MODEL, 0.0) == 5
