"""An answer is sufficient only where its citations support it, in every method."""

from __future__ import annotations

from typing import Any

import pytest
from http_stub import Response
from ragraphs.graphs import graph_of
from ragraphs.state.found import NOTHING
from scripted_model import FACT, MODEL, NOT_FOUND, QUESTION

METHODS = ["basic", "crag", "hoprag", "tog2", "deeprag", "graphrag"]
TOLD = "John Fowler designed the Forth Bridge, and Queen Victoria opened it."
NO_QUEEN = {"unsupported": ["Queen Victoria opened it"], "sufficient": False}


async def run(
    method: str, index: str, stream: str = "values", question: str = QUESTION, **chosen: Any
) -> list[Any]:
    graph, context_type = graph_of(method)
    search = {"search": "local"} if method == "graphrag" else {}
    settings = {"index": index, "model": MODEL, "max_retries": 0, **search, **chosen}
    context = context_type(**settings)
    parts = graph.astream({"question": question}, context=context, stream_mode=stream)
    return [part async for part in parts]


@pytest.fixture
def claiming(script):
    """The model answers ``TOLD`` and quotes ``FACT``, which holds half of it."""

    def answer(human: str) -> Any:
        return {**script._answer(human), "answer": TOLD}

    script.replies["Answer"] = answer
    script.replies["AnswerCheck"] = NO_QUEEN
    return script


@pytest.mark.parametrize("method", METHODS)
async def test_what_the_citations_state_is_not_asked_about(script, full_index, method):
    result = (await run(method, full_index))[-1]
    assert result["sufficient"] and result["answer"] == FACT
    assert "AnswerCheck" not in script.kinds


@pytest.mark.parametrize("method", METHODS)
async def test_a_claim_that_no_citation_supports_makes_an_answer_insufficient(
    claiming, full_index, method
):
    result = (await run(method, full_index))[-1]
    assert (result["sufficient"], result["stop_reason"]) == (False, "insufficient")
    assert result["answer"] == TOLD
    assert result["missing"] == ["No cited sentence supports “Queen Victoria opened it”."]
    assert claiming.kinds.count("AnswerCheck") == 1
    shown = claiming.prompts("AnswerCheck")[0]
    assert FACT in shown and TOLD in shown and "Firth" not in shown


async def test_the_sentence_before_a_cited_one_is_shown_in_brackets_and_supports_nothing(
    claiming, full_index
):
    crosses = "It crosses the Firth of Forth."
    claiming.replies["Answer"] = lambda human: {**claiming.quoting(human, crosses), "answer": TOLD}
    result = (await run("basic", full_index))[-1]
    assert not result["sufficient"]
    assert f"[{FACT}] {crosses}" in claiming.prompts("AnswerCheck")[0]


async def test_the_number_of_a_sentence_is_nothing_that_is_missing(script, full_index):
    left = {"answer": "", "sufficient": False, "missing": ["1.1", "who opened it"]}
    script.replies["Answer"] = lambda human: {**script._answer(human), **left}
    assert (await run("basic", full_index))[-1]["missing"] == ["who opened it"]


@pytest.mark.parametrize("parameters", [134_515_008, 3_000_000_000])
async def test_a_yes_that_no_rule_reads_is_not_believed_of_a_tiny_model(
    openai, script, full_index, parameters
):
    row = {"id": "/models/a.gguf", "meta": {"n_params": parameters}}
    openai.documents["/v1/models"] = Response({"data": [row]})
    script.replies["Answer"] = lambda human: {**script._answer(human), "answer": "yes"}
    result = (await run("basic", full_index, question="Did Fowler design the Forth Bridge?"))[-1]
    assert result["answer"] == "yes" and result["sufficient"] is (parameters > 1e9)


@pytest.mark.parametrize(("question", "read"), [(QUESTION, 1), ("Draft a letter on it.", 2)])
async def test_a_text_to_be_written_is_answered_from_twice_as_many_passages(
    script, full_index, question, read
):
    await run("basic", full_index, question=question, top_k=1)
    assert script.prompts("Answer")[0].count("<text id=") == read


async def test_the_number_of_a_sentence_is_no_answer(claiming, full_index):
    claiming.replies["Answer"] = lambda human: {**claiming.quoting(human, FACT), "answer": "1.1"}
    result = (await run("basic", full_index))[-1]
    assert (result["answer"], result["sufficient"]) == ("", False) and result["citations"]


async def test_where_the_rest_answers_the_claim_is_marked(claiming, full_index):
    claiming.replies["AnswerCheck"] = {**NO_QUEEN, "sufficient": True}
    result = (await run("basic", full_index))[-1]
    assert result["sufficient"] and "Queen Victoria" in result["missing"][0]


async def test_what_follows_from_the_citations_stays_as_it_is(claiming, full_index):
    claiming.replies["AnswerCheck"] = {"unsupported": [], "sufficient": True}
    result = (await run("basic", full_index))[-1]
    assert (result["sufficient"], result["missing"]) == (True, [])


async def test_without_calls_left_the_models_own_word_does_not_suffice(claiming, full_index):
    result = (await run("basic", full_index, max_calls=1))[-1]
    assert not result["sufficient"] and result["answer"] == TOLD
    assert any("was not checked" in warning for warning in result["warnings"])


async def test_a_streamed_answer_is_not_taken_back_by_the_check(claiming, full_index):
    pieces = [
        event
        for event in await run("basic", full_index, "custom", stream_answer=True)
        if event["step"] == "answer"
    ]
    assert "".join(piece["text"] for piece in pieces) == TOLD
    assert len({piece["id"] for piece in pieces}) == 1 < len(pieces)


@pytest.mark.parametrize("method", METHODS)
async def test_a_reader_who_finds_an_answer_in_any_text_is_not_believed(script, full_index, method):
    """Rules doubt the answer, which is only a word of the question."""
    script.replies["Answer"] = lambda human: {**script._answer(human), "answer": "Forth"}
    result = (await run(method, full_index))[-1]
    assert (result["answer"], result["sufficient"]) == ("Forth", False)
    assert result["missing"] and result["stop_reason"] == "insufficient"


@pytest.mark.parametrize("elsewhere", ["", "engineer"])
async def test_a_doubted_answer_is_believed_where_it_rests_on_its_citations_alone(
    script, full_index, elsewhere
):
    """Nothing cited says whether a chief engineer is who is asked for; other texts may say less."""

    def answer(human: str) -> Any:
        if FACT in human:
            return {**script._answer(human), "answer": "chief engineer"}
        if not elsewhere:
            return NOT_FOUND
        return {**script.quoting(human, "It crosses the Firth of Forth."), "answer": elsewhere}

    script.replies["Answer"] = answer
    result = (await run("basic", full_index))[-1]
    assert result["sufficient"] and result["answer"] == "chief engineer"
    first, without, alone = script.prompts("Answer")
    assert FACT in first and FACT not in without and "It crosses" in without
    assert FACT in alone and "It crosses" not in alone


@pytest.mark.parametrize("is_steady", [True, False])
async def test_where_other_methods_may_follow_a_doubted_answer_is_found_once_more(
    script, full_index, is_steady
):
    def answer(human: str) -> Any:
        found = FACT in human and (is_steady or "Answer" not in script.kinds[3:])
        return {**script._answer(human), "answer": "an engineer"} if found else NOT_FOUND

    script.replies["Answer"] = answer
    result = (await run("router", full_index))[-1]
    first, _, alone, again = script.prompts("Answer")[:4]
    assert FACT in again and again not in (first, alone)
    assert result["path"][0]["sufficient"] is is_steady
    assert [one["method"] for one in result["path"]][:2] == ["basic", "deeprag"][: 2 - is_steady]


@pytest.mark.parametrize("doubted", [False, True])
async def test_of_a_reader_whose_answer_was_refused_before_nothing_short_is_believed(
    script, full_index, doubted
):
    script.replies["Answer"] = lambda human: {**script._answer(human), "answer": "John Fowler"}
    graph, context_type = graph_of("basic")
    held = {**NOTHING, "doubted": doubted}
    context = context_type(index=full_index, model=MODEL).starting_from(held)
    result = await graph.ainvoke({"question": QUESTION}, context=context)
    assert (result["answer"], result["sufficient"]) == ("John Fowler", not doubted)
    assert script.kinds == ["Answer"]
