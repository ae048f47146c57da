"""The operator's ceilings, for each run and for a day, at every entrance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import ragraphs
from http_stub import Response
from ragraphs.context import BasicContext, CragContext, IndexContext, RouterContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.index import graph as index_graph
from ragraphs.graphs.router import graph as router
from ragraphs.models.day import day_of
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError
from ragraphs.state.usage import total_calls
from ragraphs.stores.spending import FILE
from scripted_model import MODEL, QUESTION
from shared_stores import copy_of

TODAY = "it begins anew at 00:00 UTC."


@pytest.fixture
def ceiling(monkeypatch: pytest.MonkeyPatch) -> Any:
    def set_it(**limits: object) -> None:
        for name, most in limits.items():
            monkeypatch.setenv(f"RAGRAPHS_{name.upper()}", str(most))
        settings.cache_clear()

    return set_it


@pytest.mark.parametrize(("name", "most", "wanted"), [
    ("max_calls", 2, 500), ("max_tokens", 150, 10_000), ("max_cost", 1.5, 3),
    ("max_seconds", 2.5, 60),
])  # fmt: skip
def test_a_caller_may_ask_for_less_and_never_for_more(ceiling, name, most, wanted):
    ceiling(**{name: most})
    usual, less, more = RouterContext(), RouterContext(**{name: 1}), RouterContext(**{name: wanted})
    assert [getattr(one, name) for one in (usual, less, more)] == [most, 1, most]
    assert getattr(usual.model_copy(update={name: wanted}), name) == most
    assert getattr(more.narrowed(CragContext), name) == most
    assert not usual.lowered and not less.lowered and name not in usual.model_fields_set
    [told] = more.lowered
    assert told == (
        f"{name} was lowered from {wanted:,} to {most:,}, the most that the operator allows "
        f"(RAGRAPHS_{name.upper()})."
    )


def test_the_result_says_what_was_lowered(ceiling, script, full_index):
    ceiling(max_calls=2)
    for graph, kind in ((basic, BasicContext), (router, RouterContext)):
        context = kind(index=full_index, model=MODEL, max_calls=100)
        result = graph.invoke({"question": QUESTION}, context=context)
        told = [one for one in result["warnings"] if "was lowered" in one]
        assert len(told) == 1 and total_calls(result["usage"]) <= 2


@pytest.mark.slow
def test_settings_by_name_are_lowered_too(ceiling, script, full_index):
    ceiling(max_tokens=20)
    given: Any = {"index": full_index, "model": MODEL, "max_tokens": 10**6}
    result: Any = basic.invoke({"question": QUESTION}, context=given)
    assert result["stop_reason"] == "budget" and not script.asked and result["evidence"]
    graph: Any = ragraphs.build("basic", index=full_index, model=MODEL, max_tokens=10**6)
    result = graph.invoke({"question": QUESTION})
    assert result["stop_reason"] == "budget" and "was lowered" in result["warnings"][0]
    for given in ({"max_tokens": 10**5}, RouterContext(max_tokens=10**5)):
        result = graph.invoke({"question": QUESTION}, context=given)
        assert "was lowered" in "".join(result["warnings"])
    tool = graph.as_tool()
    assert "the limit" in str(tool.invoke({"query": QUESTION}))


def test_the_methods_of_the_router_do_not_each_get_the_ceiling(ceiling, script, full_index):
    script.replies["Answer"] = {"quotes": [], "sufficient": False, "answer": ""}
    ceiling(max_calls=3)
    context = RouterContext(index=full_index, model=MODEL, escalations=3)
    result = router.invoke({"question": QUESTION}, context=context)
    assert total_calls(result["usage"]) <= 3 and len(script.asked) <= 3


@pytest.mark.slow
@pytest.mark.in_folder("the sums stand in a file of the root")
def test_questions_of_all_indexes_share_a_day(ceiling, script, built, tmp_path):
    ceiling(root=tmp_path, max_calls_per_day=2)
    names = [Path(copy_of(built, tmp_path / name)).name for name in ("one", "two", "three")]
    results: Any = [
        basic.invoke({"question": QUESTION}, context=BasicContext(index=name, model=MODEL))
        for name in names
    ]
    assert [one["stop_reason"] for one in results] == ["answered", "answered", "budget"]
    reached = f"The operator's limit for today (2 calls) is reached; {TODAY}"
    assert results[2]["warnings"] == [reached]
    assert results[2]["evidence"] and not results[2]["answer"]
    assert len(script.asked) == 2 and (tmp_path / FILE).is_file()


def test_without_a_model_nobody_counts(ceiling, full_index, tmp_path):
    ceiling(max_calls_per_day=1, max_tokens_per_day=1, max_cost_per_day=1)
    for _ in range(3):
        basic.invoke({"question": QUESTION}, context=BasicContext(index=full_index))
    assert not Path(FILE).exists()


def test_a_reply_that_is_stored_takes_nothing_of_a_day(ceiling, script, full_index):
    ceiling(max_calls_per_day=1)
    for _ in range(3):
        context = BasicContext(index=full_index, model=MODEL)
        assert basic.invoke({"question": QUESTION}, context=context)["answer"]


@pytest.mark.slow
def test_indexing_stops_cleanly_when_the_day_is_used_up(ceiling, script, tmp_path):
    script.replies["PassageReading"] = script.replies["Facts"] = {"entities": [], "relations": []}
    documents = [{"id": str(n), "text": f"Bridge {n} was built by Ada."} for n in range(12)]
    ceiling(max_calls_per_day=5)
    context = IndexContext(
        index=str(tmp_path / "index"), embeddings="lexical", model=MODEL, layers=["entities"]
    )
    result = index_graph.invoke({"documents": documents}, context=context)
    assert len(script.asked) == 5 and result["added"] == 12 and result["failures"] == []
    assert f"The operator's limit for today (5 calls) is reached; {TODAY}" in result["warnings"]
    assert any("left for the next run of: ragraphs index" in one for one in result["warnings"])


def test_embeddings_of_an_index_count_on_a_day(ceiling, openai, tmp_path):
    ceiling(max_tokens_per_day=20)
    context = IndexContext(index=str(tmp_path / "index"), embeddings="openai:e")
    text = "The bridge over the river was built by Ada. " * 10
    with pytest.raises(RagraphsError, match=r"limit for today \(20 tokens\).*run again"):
        index_graph.invoke({"documents": [{"id": "1", "text": text}]}, context=context)
    assert not openai.requests


def test_a_ceiling_on_money_refuses_a_model_without_a_price(ceiling, script, full_index):
    for limit in ("max_cost", "max_cost_per_day"):
        ceiling(**{limit: 1})
        with pytest.raises(RagraphsError, match=f"price of {MODEL} is not known"):
            basic.invoke(
                {"question": QUESTION}, context=BasicContext(index=full_index, model=MODEL)
            )
    assert not script.asked


@pytest.mark.slow
def test_a_request_that_was_given_up_counts_with_its_prompt(ceiling, openai, script, full_index):
    ceiling(max_tokens_per_day=10**6)
    openai.queue.append(Response(None, seconds=20))
    context = BasicContext(index=full_index, model=MODEL, max_seconds=1)
    result = basic.invoke({"question": QUESTION}, context=context)
    assert result["stop_reason"] == "time" and total_calls(result["usage"]) == 1
    day = day_of(settings())
    sent = result["usage"]["models"][MODEL]["input_tokens"]
    assert day is not None and day.told() == f"{sent} tokens of 1,000,000" and sent > 50


@pytest.mark.slow
def test_doctor_tells_the_sums_of_today(ceiling, run, script, full_index):
    ceiling(max_calls_per_day=7)
    asked = run("ask", QUESTION, "--index", full_index, "--model", MODEL, "--method", "basic")
    assert asked.code == 0
    told = json.loads(run("doctor", "--index", full_index, "--json").out)
    [line] = [one for one in told["checks"] if one["name"] == "spent today (UTC)"]
    assert line["says"].startswith("1 call of 7") and line["state"] == "ok"


@pytest.mark.slow
@pytest.mark.parametrize("streams", [False, True])
def test_each_attempt_that_was_given_up_counts(ceiling, openai, script, full_index, streams):
    """Else a caller who waits too short a time would spend more than is counted."""
    ceiling(max_calls_per_day=100)
    openai.otherwise = lambda path, body: Response(None, seconds=2)
    context = BasicContext(
        index=full_index, model=MODEL, timeout=0.05, max_retries=2, stream_answer=streams
    )
    result = basic.invoke({"question": QUESTION}, context=context)
    day, used = day_of(settings()), result["usage"]["models"][MODEL]
    assert result["stop_reason"] == "model_failed" and used["calls"] == 3
    assert day is not None and day.told() == "3 calls of 100" and used["input_tokens"] % 3 == 0


@pytest.mark.slow
@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ({"max_calls": 1}, "The limit on requests to the model was reached"),
        ({"max_calls_per_day": 1}, "The operator's limit for today (1 call) is reached"),
        ({"max_tokens": 900}, "The limit of 900 tokens a run"),
        ({"max_tokens_per_day": 900}, "The operator's limit for today (900 tokens) is reached"),
    ],
)
def test_an_attempt_after_one_that_was_given_up_is_a_request_to_every_limit(
    ceiling, openai, script, full_index, limit, told, streams
):
    ceiling(**limit)
    arrived = []

    def hang(path: str, body: Any) -> Response:
        arrived.append(path)
        return Response(None, seconds=2)

    openai.otherwise = hang
    context = BasicContext(
        index=full_index, model=MODEL, timeout=0.4, max_retries=4, stream_answer=streams
    )
    result = basic.invoke({"question": QUESTION}, context=context)
    assert len(arrived) == total_calls(result["usage"]) == 1
    assert result["stop_reason"] == "budget" and result["evidence"]
    assert any(told in one for one in result["warnings"])
