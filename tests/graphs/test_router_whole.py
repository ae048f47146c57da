"""The router and GraphRAG: which questions are about the whole, and what is tried before."""

from __future__ import annotations

import pytest
from router_support import ABOUT, BORN, LACKING, PERHAPS_WHOLE, WHOLE, ask_at, path_of
from scripted_model import FACT, QUESTION


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "chosen", "search"),
    [
        (WHOLE, {}, "global"),
        (ABOUT, {}, "local"),
        (QUESTION, {"method": "graphrag"}, "local"),
        (ABOUT, {"search": "global"}, "global"),
        (WHOLE, {"search": "basic"}, "basic"),
        (QUESTION, {"method": "graphrag", "search": "drift"}, "drift"),
    ],
)
def test_graphrag_reads_everything_for_the_whole_and_what_is_near_for_the_rest(
    full_index, script, question, chosen, search
):
    script.replies["PrimedAnswer"] = {"points": [], "follow_ups": []}
    script.replies["LocalAnswer"] = lambda human: {
        **script._answer(human),
        "score": 90,
        "follow_ups": [],
    }
    result = ask_at(full_index, question, **{"method": "graphrag", **chosen})
    assert (result["method"], result["details"]["search"]) == ("graphrag", search)


@pytest.mark.parametrize(("question", "search"), [(WHOLE, "global"), (ABOUT, "local")])
def test_the_classifier_sends_the_whole_and_all_about_one_to_graphrag(
    full_index, script, question, search
):
    result = ask_at(full_index, question)
    assert (path_of(result)[0], result["details"].get("search")) == ("graphrag", search)


def test_a_search_that_answers_goes_before_communities_where_a_question_may_be_broad(
    full_index, script
):
    result = ask_at(full_index, PERHAPS_WHOLE)
    assert (
        result["decision"]["kind"] == "whole" and "A search comes first" in result["path"][0]["why"]
    )
    assert path_of(result) == ["basic"] and script.kinds == ["Answer"] and result["sufficient"]


@pytest.mark.slow
def test_what_a_search_does_not_answer_goes_on_to_communities(full_index, script):
    script.replies["Answer"] = LACKING
    assert path_of(ask_at(full_index, PERHAPS_WHOLE)) == ["basic", "graphrag"]
    assert path_of(ask_at(full_index, PERHAPS_WHOLE, escalations=0)) == ["graphrag"]
    assert path_of(ask_at(full_index, PERHAPS_WHOLE, max_calls=2)) == ["graphrag"]


@pytest.mark.slow
def test_an_answer_from_several_documents_is_no_whole(full_index, script):
    quotes = [{"id": "", "quote": FACT}, {"id": "", "quote": BORN}]
    script.replies["Answer"] = {"quotes": quotes, "sufficient": True, "answer": f"{FACT} {BORN}"}
    assert path_of(ask_at(full_index)) == ["basic"]
    assert path_of(ask_at(full_index, PERHAPS_WHOLE)) == ["basic", "graphrag"]
