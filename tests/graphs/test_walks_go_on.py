"""The hoprag and the tog2 graph, started from the evidence that an earlier method found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from ragraphs.context import BasicContext, HopragContext, QuestionContext, Tog2Context
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.hoprag import graph as hoprag
from ragraphs.graphs.tog2 import graph as tog2
from ragraphs.index import retrieval
from ragraphs.index.opening import open_index
from ragraphs.nodes.router.handing import handed_on
from ragraphs.state.found import NOTHING, Found
from scripted_model import FACT, MODEL, TEXTS, Script

QUESTION = {"question": "Where was the designer of the Forth Bridge born?"}
MISSING = "Where was John Fowler born?"
BORN = "John Fowler was born in Sheffield in 1817."


class Walk(NamedTuple):
    """A method that walks, and the way in which its model follows everything or nothing."""

    graph: Any
    context: type[QuestionContext]
    prompt: str
    follow: Callable[[str], Any]
    leave: Any


def numbers(human: str) -> list[str]:
    words = (line.split(" ")[0] for line in human.splitlines())
    return [word for word in words if word.replace(".", "").isdigit() and "." in word]


WALKS = {
    "hoprag": Walk(
        hoprag,
        HopragContext,
        "HopLabels",
        lambda human: {"necessary": numbers(human), "indirect": []},
        {"necessary": [], "indirect": []},
    ),
    "tog2": Walk(
        tog2,
        Tog2Context,
        "RelationScores",
        lambda human: {"scores": [{"id": id, "score": 1} for id in numbers(human)]},
        {"scores": []},
    ),
}


def answer(human: str) -> Any:
    """Both facts are quoted where they are shown, and the answer needs both."""
    quotes = [{"id": "1", "quote": fact} for fact in (FACT, BORN) if fact in human]
    if len(quotes) == 2:
        return {"quotes": quotes, "sufficient": True, "answer": "Sheffield", "missing": []}
    return {"quotes": quotes, "sufficient": False, "answer": "", "missing": [MISSING]}


class Asking:
    """Asks a walk over an index with all layers: alone, or from what basic found."""

    def __init__(self, walk: Walk, index: str, script: Script) -> None:
        self.walk, self.index, self.script = walk, index, script

    def first(self) -> Found:
        """Basic reads the nearest passage alone, in which the second fact is missing."""
        result = basic.invoke(QUESTION, context=self.chosen(BasicContext, 1))
        assert not result["sufficient"] and [one["quote"] for one in result["citations"]] == [FACT]
        ranked = {text["id"]: 1.0 for text in result["evidence"]}
        return handed_on(NOTHING, {**result, "ranked": ranked})

    def chosen(self, context: type[QuestionContext], top_k: int) -> Any:
        return context(index=self.index, model=MODEL, top_k=top_k, max_retries=0)

    def __call__(self, found: Found = NOTHING, top_k: int = 2) -> Any:
        context = self.chosen(self.walk.context, top_k).starting_from(found)
        return self.walk.graph.invoke(QUESTION, context=context)


def asked_for(result: Any) -> int:
    """The prompts of a run, those with a stored reply included."""
    return sum(model["calls"] + model["reused"] for model in result["usage"]["models"].values())


@pytest.fixture(params=WALKS)
def ask(request, full_index, script) -> Asking:
    walk = WALKS[request.param]
    script.replies["Answer"] = answer
    script.replies["Judgement"] = {"sufficient": False, "clue": MISSING}
    script.replies[walk.prompt] = walk.follow
    return Asking(walk, full_index, script)


@pytest.fixture
def searched(monkeypatch) -> list[str]:
    """The queries that passages are searched for."""
    queries: list[str] = []
    ranking = retrieval.ranking

    def spy(index: Any, question: str, *given: Any) -> Any:
        queries.append(question)
        return ranking(index, question, *given)

    monkeypatch.setattr(retrieval, "ranking", spy)
    return queries


@pytest.mark.slow
def test_the_walk_reaches_the_missing_fact_and_both_texts_are_cited(ask):
    result = ask(ask.first())
    assert (result["answer"], result["sufficient"]) == ("Sheffield", True)
    assert [citation["quote"] for citation in result["citations"]] == [FACT, BORN]
    assert result["evidence"][0]["title"] == "Forth Bridge"


@pytest.mark.slow
def test_nothing_is_searched_for_or_asked_twice(ask, searched, script):
    found = ask.first()
    assert searched == [QUESTION["question"]]
    usage = ask(found)["usage"]
    assert len(searched) == 1
    assert {model["reused"] for model in usage["models"].values()} == {0}
    prompts = [(asked.system, asked.human) for asked in script.asked]
    assert len(prompts) == len(set(prompts))


@pytest.mark.slow
def test_the_model_is_told_of_the_missing_question_as_of_a_text(ask, script):
    ask(ask.first())
    assert f"Still to be found: <text>{MISSING}</text>" in script.prompts(ask.walk.prompt)[0]


@pytest.mark.slow
@pytest.mark.parametrize("top_k", [1, 2, 4])
def test_the_walk_takes_at_most_as_many_calls_as_alone(ask, top_k):
    started, alone = ask(ask.first(), top_k), ask(top_k=top_k)
    assert asked_for(started) <= asked_for(alone)


def test_where_nothing_leads_on_nobody_is_asked_again(ask, script):
    found = ask.first()
    script.replies[ask.walk.prompt] = ask.walk.leave
    result = ask(found, top_k=1)
    assert asked_for(result) == 1
    assert script.kinds == ["Answer", ask.walk.prompt]
    assert (result["missing"], result["citations"]) == ([MISSING], found["citations"])
    assert (result["sufficient"], result["stop_reason"]) == (False, "insufficient")


def test_passages_that_were_read_are_not_offered_again(full_index, script):
    ask = Asking(WALKS["hoprag"], full_index, script)
    script.replies |= {"Answer": answer, "HopLabels": ask.walk.leave}
    found = ask.first()
    ask()
    [alone] = script.prompts("HopLabels")
    every = ask.chosen(BasicContext, len(TEXTS))
    read = basic.invoke(QUESTION, context=every)["evidence"]
    ask({**found, "evidence": read})
    assert "→" in alone
    assert script.kinds.count("HopLabels") == 1


def test_without_a_model_no_hop_leads_to_what_was_read(full_index, script):
    ask = Asking(WALKS["hoprag"], full_index, script)
    script.replies["Answer"] = answer
    found = ask.first()
    read = {text["id"] for text in found["evidence"]}
    context = HopragContext(index=full_index, model=MODEL, traversal="similarity")
    result = hoprag.invoke(QUESTION, context=context.starting_from(found))
    walked = [hop["target"] for hop in result["hops"] if hop["round"]]
    assert walked and not read & set(walked)


def test_the_ranking_is_left_for_the_next_method(ask):
    context = ask.chosen(ask.walk.context, 2)
    states = ask.walk.graph.stream(
        QUESTION, context=context, stream_mode="values", output_keys=["ranked"]
    )
    *_, last = states
    assert set(last["ranked"]) == {
        passage["id"] for passage in open_index(context).catalogue.all_passages()
    }
