"""The router graph: what is out, which method answers, what happens where one finds little."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from http_stub import Response
from langgraph.checkpoint.memory import InMemorySaver
from ragraphs.algorithms.router.decision import Choice
from ragraphs.context import HopragContext, RouterContext
from ragraphs.graphs.methods import METHODS
from ragraphs.graphs.router import graph
from ragraphs.index import retrieval
from ragraphs.index.retrieval import ranking
from ragraphs.nodes.router import route as routing
from ragraphs.state.errors import RagraphsError
from ragraphs.state.usage import total_calls
from router_support import ABOUT, BORN, LACKING, MISSING, WHOLE, ask_at, path_of
from scripted_model import DOCUMENTS, FACT, MODEL, NOT_FOUND, QUESTION

NEVER = {**NOT_FOUND, "next": "", "source": "retrieve", "final": ""}
PAGE = ("https://bridges.example", "Bridges", "William Arrol built the Forth Bridge.")


@pytest.fixture
def ask(full_index):
    """Asks the router over all layers; with the scripted model unless another is chosen."""
    return partial(ask_at, full_index)


@pytest.fixture
def searched(monkeypatch) -> list[str]:
    """Every query that passages are searched for."""
    queries: list[str] = []

    def spy(index: Any, question: str, *given: Any) -> Any:
        queries.append(question)
        return ranking(index, question, *given)

    monkeypatch.setattr(retrieval, "ranking", spy)
    return queries


@pytest.mark.slow
def test_methods_without_their_layers_are_out_with_the_command_that_builds_them(indexing, script):
    indexing.run(documents=DOCUMENTS)
    obstacles = ask_at(indexing.name)["decision"]["obstacles"]
    assert {name for name, reason in obstacles.items() if reason} == {"hoprag", "tog2", "graphrag"}
    for method, layers in (
        ("hoprag", "hops"),
        ("tog2", "entities"),
        ("graphrag", "entities,communities"),
    ):
        assert obstacles[method].endswith(f"build it with: ragraphs index --layers {layers}")


@pytest.mark.slow
def test_methods_that_cost_more_than_is_left_are_out_with_a_reason(ask, script):
    decision = ask(max_calls=2)["decision"]
    assert decision["obstacles"]["crag"] == (
        "crag needs at least 3 calls of a model, and 2 are left."
    )
    assert decision["method"] in {"basic", "hoprag", "graphrag"}


@pytest.mark.parametrize("method", METHODS)
def test_the_users_choice_answers_and_no_other_is_tried(ask, script, method):
    script.replies["Answer"] = NOT_FOUND
    script.replies["CombinedAnswer"] = {**NOT_FOUND, "used": []}
    result = ask(method=method)
    assert result["decision"]["decided_by"] == "user"
    assert result["method"] == result["decision"]["method"] == method
    assert path_of(result) == [method] and not result["sufficient"]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "layer"), [("hoprag", "hops"), ("tog2", "entities")])
def test_a_choice_whose_layer_is_missing_is_told_in_a_sentence(indexing, script, method, layer):
    indexing.run(documents=DOCUMENTS)
    with pytest.raises(RagraphsError, match=f"build it with: ragraphs index --layers {layer}\\b"):
        ask_at(indexing.name, method=method)
    assert script.asked == []


def test_a_question_of_facts_begins_with_one_cheap_call(ask, script):
    result = ask()
    decision = result["decision"]
    assert (decision["decided_by"], decision["kind"], result["method"]) == (
        "classifier",
        "fact",
        "basic",
    )
    assert decision["reason"].startswith("Taken for a question about facts")
    assert sum(decision["kinds"].values()) == pytest.approx(1, abs=1e-3)
    assert script.kinds == ["Answer"] and result["answer"] == FACT
    assert result["asked"] == QUESTION and result["stop_reason"] == "answered"
    assert [attempt["why"] for attempt in result["path"]] == [decision["reason"]]


@pytest.mark.slow
def test_what_is_missing_is_looked_up_by_the_next_method_which_says_why(ask, script):
    script.replies["Answer"] = LACKING
    step = {"next": "", "source": "retrieve", "final": BORN}
    script.replies["StepReading"] = lambda human: {**script.quoting(human, BORN), **step}
    result = ask(top_k=1)
    assert path_of(result) == ["basic", "deeprag"] and result["sufficient"]
    first, second = result["path"]
    assert (first["sufficient"], first["stop_reason"], first["calls"]) == (False, "insufficient", 1)
    assert second["why"] == f"Still missing: {MISSING}" and second["stop_reason"] == "answered"
    assert result["method"] == "deeprag" and "1817" in result["answer"]
    assert sum(one["calls"] for one in result["path"]) == total_calls(result["usage"])


@pytest.mark.slow
def test_a_reason_to_doubt_is_no_question_for_the_next_method(ask, script):
    script.replies["Answer"] = lambda human: {**script.quoting(human, FACT), "answer": "Karl Lund"}
    result = ask(top_k=1)
    first, second = result["path"][:2]
    assert (first["method"], second["method"]) == ("basic", "deeprag")
    assert second["why"] == "It may have several parts."


@pytest.mark.parametrize("most", [0, 1, 2])
def test_at_most_so_many_methods_follow(ask, script, most):
    missing = ["Who was the designer of the Forth Bridge?"]
    script.replies["Answer"] = {**LACKING, "missing": missing}
    script.replies["StepReading"] = NEVER
    result = ask(escalations=most, max_calls=100)
    assert path_of(result) == ["basic", "hoprag", "deeprag"][: most + 1]
    assert not result["sufficient"] and result["stop_reason"] == "insufficient"
    assert result["missing"] == missing and result["evidence"] and result["citations"]


@pytest.mark.slow
def test_no_walk_follows_look_ups_after_which_the_same_is_missing(ask, script):
    script.replies["Answer"] = LACKING
    script.replies["StepReading"] = NEVER
    result = ask(max_calls=100)
    assert path_of(result) == ["basic", "deeprag"] and result["missing"] == [MISSING]


def test_a_model_of_few_parameters_is_led_no_further_unless_that_was_asked_for(openai, ask, script):
    row = {"id": "tiny.gguf", "meta": {"n_params": 134_515_008}}
    openai.documents["/v1/models"] = Response({"data": [row]})
    script.replies["Answer"] = LACKING
    script.replies["StepReading"] = script.final
    question = "Which school did the designer of the Forth Bridge attend?"  # no rule knows
    result = ask(question, top_k=1)
    assert path_of(result) == ["basic"] and not result["sufficient"]
    assert "set escalations" in " ".join(result["warnings"])
    assert path_of(ask(question, top_k=1, escalations=1)) == ["basic", "deeprag"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "missing", "method"),
    [
        (QUESTION, MISSING, "deeprag"),
        (QUESTION, "Who was the designer of the Forth Bridge?", "hoprag"),
        (
            "How is John Fowler related to Thomas Bouch?",
            "How did Thomas Bouch know John Fowler?",
            "tog2",
        ),
        (
            "How is John Fowler related to Thomas Bouch?",
            "How Thomas Bouch knew John Fowler.",
            "tog2",
        ),
        ("세종대왕이 반포한 것은?", "세종대왕은 무엇을 반포하였는가?", "hoprag"),
    ],
)
def test_what_is_missing_decides_who_goes_on(ask, script, question, missing, method):
    script.replies["Answer"] = {**LACKING, "missing": [missing]}
    script.replies["StepReading"] = NEVER
    result = ask(question, escalations=1)
    assert path_of(result) == ["basic", method]
    assert result["decision"]["parts"] == 1


@pytest.mark.slow
def test_parts_that_stand_side_by_side_are_read_as_a_tree_unless_another_way_is_chosen(ask, script):
    script.replies["Answer"] = LACKING
    script.replies["SubQuestions"] = {"questions": []}
    question = "Compare the Forth Bridge, the Tay Bridge and the Tower Bridge by cost."
    found = ask(question, escalations=1)
    assert found["decision"]["parts"] == 3 and path_of(found) == ["basic", "deeprag"]
    assert found["details"]["tree"]
    assert not ask(question, escalations=1, mode="narrative")["details"]["tree"]


@pytest.mark.parametrize("method", ["deeprag", "hoprag", "tog2", "crag"])
@pytest.mark.parametrize("found", [True, False])
def test_nothing_is_asked_retrieved_or_embedded_twice(
    ask, script, tavily, searched, embedded, monkeypatch, method, found
):
    tavily.pages = [PAGE]
    script.replies["Answer"] = LACKING
    script.replies["StepReading"] = script.final if found else NEVER
    alone = ask(method=method, top_k=2)
    monkeypatch.setattr(routing, "next_method", lambda *_: Choice(method, "It is its turn."))
    del script.asked[:], searched[:], embedded[:]
    result = ask(top_k=2, temperature=0.1, escalations=1)
    assert path_of(result) == ["basic", method]
    prompts = [(asked.system, asked.human) for asked in script.asked]
    assert len(prompts) == len(set(prompts)) == total_calls(result["usage"])
    assert len(prompts) <= total_calls(alone["usage"]) + 1
    assert len(searched) == len(set(searched)) and len(embedded) == len(set(embedded))
    assert not any(used["reused"] for used in result["usage"]["models"].values())


def test_where_nothing_speaks_of_it_the_web_is_asked_if_it_can_be(ask, script, tavily):
    tavily.pages = [PAGE]
    script.replies["Answer"] = lambda human: (
        script.quoting(human, PAGE[2]) if PAGE[2] in human else {**LACKING, "quotes": []}
    )
    result = ask()
    assert path_of(result) == ["basic", "crag"] and result["sufficient"]
    assert result["citations"][0]["document"] == PAGE[0]
    assert tavily.queries == [MISSING]
    assert script.kinds == ["Answer", "Grades", "Answer"]


@pytest.mark.slow
def test_the_answer_cites_what_each_method_found(ask, script):
    other = "John Fowler was born in Sheffield in 1817."
    script.replies["Answer"] = {**LACKING, "quotes": [{"id": "", "quote": FACT}]}
    script.replies["StepReading"] = lambda human: {
        **script.quoting(human, other),
        "next": "",
        "source": "retrieve",
        "final": "Sheffield",
    }
    result = ask("Where was the designer of the Forth Bridge born?", top_k=1)
    assert result["sufficient"] and result["answer"] == "Sheffield"
    assert {citation["quote"] for citation in result["citations"]} == {FACT, other}
    passages = {text["id"] for text in result["evidence"]}
    assert {citation["passage"] for citation in result["citations"]} <= passages


@pytest.mark.parametrize("question", [QUESTION, WHOLE, ABOUT])
def test_without_a_model_one_method_searches_and_no_other_follows(full_index, question):
    result = ask_at(full_index, f"{question} Zyx?", model="offline")
    assert len(result["path"]) == 1 and result["evidence"]


def test_after_graphrag_no_other_method_follows(ask, script):
    script.replies["CombinedAnswer"] = {**NOT_FOUND, "used": []}
    result = ask(WHOLE)
    assert path_of(result) == ["graphrag"] and not result["sufficient"]


def test_warnings_of_all_attempts_are_united(ask, script):
    invented = {"id": "1", "quote": "It was painted in a day by Leonardo."}
    replies = [{**NOT_FOUND, "quotes": [invented]}, script._answer]
    script.replies["Answer"] = lambda human: (
        reply(human) if callable(reply := replies.pop(0)) else reply
    )
    result = ask(grader="similarity")
    assert len(result["path"]) > 1 and result["sufficient"]
    assert sum("pointed nowhere" in warning for warning in result["warnings"]) == 1


def test_the_best_attempt_is_kept_where_none_suffices(ask, script):
    quoted = {**LACKING, "quotes": [{"id": "1", "quote": FACT}], "answer": "Fowler, perhaps."}
    script.replies["Answer"] = quoted
    script.replies["StepReading"] = NEVER
    result = ask(top_k=1, max_calls=100)
    assert len(result["path"]) > 1 and not result["sufficient"]
    assert result["answer"] == "Fowler, perhaps."
    assert [citation["quote"] for citation in result["citations"]] == [FACT]
    assert result["messages"][-1].additional_kwargs["method"] == result["method"]


@pytest.mark.parametrize("most", [1, 2, 3, 6])
@pytest.mark.parametrize("found", [True, False])
def test_the_limit_of_calls_holds_for_all_attempts_together(openai, ask, script, most, found):
    if not found:
        script.replies["Answer"] = LACKING
        script.replies["StepReading"] = NEVER
    result = ask(max_calls=most)
    assert len(openai.chats) == total_calls(result["usage"]) <= most
    assert result["sufficient"] == found
    assert result["method"] and result["answer"] and result["evidence"]


@pytest.mark.slow
def test_one_call_is_kept_for_the_answer_whatever_the_question_before_has_cost(full_index, script):
    saver = graph.copy({"checkpointer": InMemorySaver()})
    thread = {"configurable": {"thread_id": "1"}}
    asked = {"index": full_index, "model": MODEL}
    saver.invoke({"question": QUESTION}, thread, context=RouterContext(**asked, method="deeprag"))
    for most, kinds in ((1, ["Answer"]), (2, ["StandAloneQuestion", "Answer"])):
        del script.asked[:]
        context = RouterContext(**asked, max_calls=most, temperature=most)
        result = saver.invoke({"question": "And who painted it?"}, thread, context=context)
        assert script.kinds == kinds and result["answer"]
        assert any("taken as it stands" in warning for warning in result["warnings"]) == (most < 2)


@pytest.mark.slow
def test_what_the_method_returns_besides_is_in_the_details(ask, script):
    assert ask(method="crag")["details"]["verdict"] == "correct"
    assert len(ask(method="deeprag")["details"]["steps"]) == 1
    assert ask(method="deeprag", mode="tree")["details"]["tree"][0]["question"] == QUESTION
    assert {"hops", "vertices"} & ask(method="hoprag")["details"].keys()
    assert ask(method="basic")["details"] == {}


@pytest.mark.parametrize("method", METHODS)
async def test_sync_async_and_streams_agree(full_index, method):
    context = RouterContext(index=full_index, method=method, model="offline")
    given = {"question": QUESTION}
    streaming = {"stream_mode": "values", "output_keys": graph.output_channels, "context": context}
    results = [
        await asyncio.to_thread(graph.invoke, given, context=context),
        await graph.ainvoke(given, context=context),
        [part async for part in graph.astream(given, **streaming)][-1],
        await asyncio.to_thread(lambda: list(graph.stream(given, **streaming))[-1]),
    ]
    texts = [[message.text for message in result["messages"]] for result in results]
    assert results[0]["answer"] and all(text == texts[0] for text in texts)
    bare = [{**result, "messages": None} for result in results]
    assert all(result == bare[0] for result in bare)


def test_a_setting_reaches_the_method_only_when_it_is_set(ask, script):
    assert HopragContext().top_k == 20
    assert RouterContext(index="i", top_k=3).narrowed(HopragContext).top_k == 3
    assert RouterContext(index="i").narrowed(HopragContext).top_k == 20
    assert RouterContext(index="i").narrowed(HopragContext).model_fields_set == {"index"}
    assert len(ask(method="basic", top_k=2)["evidence"]) == 2
    ask(method="hoprag", n_hop=0)
    assert "HopLabels" not in script.kinds
    ask(method="hoprag", n_hop=1, temperature=0.5)
    assert "HopLabels" in script.kinds


@pytest.mark.parametrize("name", sorted(set(RouterContext.model_fields)))
def test_every_setting_of_a_method_is_one_of_the_router_with_the_same_words(name):
    from ragraphs.graphs import graph_of

    owners = [graph_of(method)[1] for method in METHODS]
    fields = [owner.model_fields[name] for owner in owners if name in owner.model_fields]
    assert fields or name in {"method", "escalations"}
    assert name == "top_k" or all(
        field.description == RouterContext.model_fields[name].description for field in fields
    )
    assert all(set(owner.model_fields) <= set(RouterContext.model_fields) for owner in owners)


def test_a_question_on_a_thread_finds_nothing_of_the_one_before(full_index, script):
    saver = graph.copy({"checkpointer": InMemorySaver()})
    thread = {"configurable": {"thread_id": "1"}}
    asked = {"index": full_index, "model": MODEL}
    saver.invoke({"question": QUESTION}, thread, context=RouterContext(**asked, method="crag"))
    second = saver.invoke({"question": ABOUT}, thread, context=RouterContext(**asked))
    assert second["decision"]["decided_by"] != "user"
    assert "verdict" not in second["details"] and path_of(second)[0] != "crag"
    assert sum(attempt["calls"] for attempt in second["path"]) < total_calls(second["usage"])
    assert saver.get_state(thread).values["latest"] == {}


def test_where_the_model_gives_no_reply_no_other_method_asks_it(openai, ask, script):
    script.replies["Answer"] = lambda human: Response(status=503, body={"error": "busy"})
    result = ask(max_calls=6)
    assert path_of(result) == ["basic"] and result["stop_reason"] == "model_failed"
    assert not result["sufficient"] and result["evidence"]


async def test_nothing_blocks_the_event_loop(full_index, script):
    from blockbuster import blockbuster_ctx

    context = RouterContext(index=full_index, model=MODEL)
    with blockbuster_ctx():
        result = await graph.ainvoke({"question": QUESTION}, context=context)
    assert result["sufficient"]


def test_a_very_small_budget_is_told_to_who_chose_an_expensive_method(ask, script):
    with pytest.raises(RagraphsError, match="deeprag needs at least 3 calls"):
        ask(method="deeprag", max_calls=2)
    assert script.asked == []
