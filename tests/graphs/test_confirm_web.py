"""With ``confirm_web`` a person sees the queries before anything is sent to the web."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.context import CragContext, RouterContext
from ragraphs.graphs.crag import graph as crag
from ragraphs.graphs.router import graph as router
from ragraphs.nodes.crag.search_web import confirmed_queries
from resumed_runs import Asking
from scripted_model import MODEL, QUESTION

PAGE = ("https://bridges.example", "Bridges", "William Arrol built the Forth Bridge.")
QUERIES = ["forth bridge builder", "arrol forth bridge"]


@pytest.fixture(params=["crag", "router"])
def asking(request, full_index, script, tavily):
    """The crag graph alone or chosen by the router, where the index seems to hold nothing."""
    script.replies["Queries"] = {"queries": QUERIES}
    nothing = {"needed": [], "related": []}
    script.replies["Grades"] = lambda human: (
        nothing if "Arrol" not in human else script._grades(human)
    )
    tavily.pages = [PAGE]

    def open_it(**chosen: Any) -> Asking:
        settings = {"index": full_index, "model": MODEL, "confirm_web": True, **chosen}
        if request.param == "crag":
            return Asking(crag, CragContext(**settings), QUESTION)
        return Asking(router, RouterContext(**settings, method="crag"), QUESTION)

    return open_it


def test_the_run_stops_with_the_queries_before_anything_is_sent(asking, tavily):
    stopped = asking().begin()
    assert [one.value["queries"] for one in stopped["__interrupt__"]] == [QUERIES]
    assert stopped["__interrupt__"][0].value["message"] == "Search the web for these queries?"
    assert tavily.requests == [] and not stopped.get("answer")


@pytest.mark.parametrize("said", [True, "yes", "네", "ok"])
def test_a_yes_sends_them_and_the_run_goes_on(asking, tavily, script, said):
    run = asking()
    run.begin()
    before = len(script.asked)
    result = run.resume(said)
    assert sorted(tavily.queries) == sorted(QUERIES)
    assert result["sufficient"] and result["citations"][0]["document"] == PAGE[0]
    assert result["usage"]["web_searches"] == 2
    assert script.kinds[before:] == ["Grades", "Answer"]
    assert "__interrupt__" not in result


@pytest.mark.parametrize("said", [False, "no", " No ", "아니요", []])
def test_a_no_sends_nothing_and_is_told(asking, tavily, said):
    run = asking()
    run.begin()
    result = run.resume(said)
    assert tavily.requests == []
    assert (result["sufficient"], result["stop_reason"]) == (False, "web_unavailable")
    assert any("was not confirmed" in warning for warning in result["warnings"])


@pytest.mark.parametrize("said", ["", 5, {"x": 1}, ["one", "", 7], ["q"] * 1000])
def test_whatever_is_not_clearly_a_yes_sends_nothing_and_the_forms_are_named(asking, tavily, said):
    run = asking()
    run.begin()
    result = run.resume(said)
    assert tavily.requests == []
    assert (result["sufficient"], result["stop_reason"]) == (False, "web_unavailable")
    assert any("resume with true, false" in warning for warning in result["warnings"])


def _is_consent(said: object) -> bool:
    if isinstance(said, list):
        return 1 <= len(said) <= 3 and all(isinstance(one, str) and one.strip() for one in said)
    return said is True or (isinstance(said, str) and said.strip(" .!").lower() in ("yes", "ok"))


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(" Yes."),
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=3),
    )
)
def test_only_a_clear_yes_or_up_to_three_queries_are_consent(said):
    allowed = confirmed_queries(said, QUERIES)
    assert bool(allowed) == _is_consent(said)
    assert not allowed or allowed is QUERIES or len(allowed) == len(said)


def test_other_queries_may_be_given_instead(asking, tavily):
    run = asking()
    run.begin()
    result = run.resume([" my own words", "더 나은 검색어"])
    assert sorted(tavily.queries) == ["my own words", "더 나은 검색어"]
    assert result.get("queries", result.get("details", {}).get("queries")) == [
        "my own words",
        "더 나은 검색어",
    ]


def test_without_the_setting_nobody_is_asked(asking, tavily):
    result = asking(confirm_web=False).begin()
    assert "__interrupt__" not in result and sorted(tavily.queries) == sorted(QUERIES)
    assert result["sufficient"]


def test_what_needs_no_web_search_is_not_asked_about(asking, script, tavily):
    script.replies["Grades"] = script._grades
    result = asking().begin()
    assert "__interrupt__" not in result and result["sufficient"] and tavily.requests == []


def test_without_a_web_key_nobody_is_asked(asking, monkeypatch):
    from ragraphs.settings import settings

    monkeypatch.delenv("TAVILY_API_KEY")
    settings.cache_clear()
    result = asking().begin()
    assert "__interrupt__" not in result and result["stop_reason"] == "web_unavailable"


def test_a_search_that_the_router_goes_on_to_waits_for_a_person_too(full_index, script, tavily):
    tavily.pages = [PAGE]
    missing = "Who built the Forth Bridge?"
    script.replies["Answer"] = lambda human: (
        script.quoting(human, PAGE[2])
        if PAGE[2] in human
        else {"quotes": [], "sufficient": False, "answer": "", "missing": [missing]}
    )
    asking = Asking(
        router, RouterContext(index=full_index, model=MODEL, confirm_web=True), QUESTION
    )
    stopped = asking.begin()
    assert stopped["__interrupt__"][0].value["queries"] == [missing] and not tavily.queries
    before = len(script.asked)
    result = asking.resume(True)
    assert tavily.queries == [missing] and result["sufficient"]
    assert [attempt["method"] for attempt in result["path"]] == ["basic", "crag"]
    assert script.kinds[before:] == ["Grades", "Answer"]
