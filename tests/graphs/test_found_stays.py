"""A run that found passages never ends without them, whatever limit it met."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ragraphs.context import IndexContext
from ragraphs.graphs import graph_of
from ragraphs.graphs.index import graph as index_graph
from ragraphs.graphs.methods import METHODS, RouterContext
from ragraphs.graphs.router import graph as router
from scripted_model import DOCUMENTS, MODEL, QUESTION, Script
from shared_stores import copy_of

WHOLE = "What do all the documents say about bridges, and how do their views on engineers differ?"
_IN_TIME = pytest.mark.in_folder("a store across the network may answer too late")
LIMITS = [{"max_calls": 1}, {"max_tokens": 20}, pytest.param({"max_seconds": 0.01}, marks=_IN_TIME)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("found") / "index"
    context = IndexContext(
        index=str(folder),
        embeddings="lexical",
        model="offline",
        layers=["sentences", "hops", "entities", "communities"],
    )
    index_graph.invoke({"documents": DOCUMENTS}, context=context)
    return folder


def asked(name: str, question: str, **chosen: Any) -> dict[str, Any]:
    if name == "router":
        return router.invoke({"question": question}, context=RouterContext(**chosen))
    context = METHODS[name].context_type(**chosen)
    return graph_of(name)[0].invoke({"question": question}, context=context)


@pytest.mark.parametrize("question", [QUESTION, WHOLE])
@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: next(iter(limit)))
@pytest.mark.parametrize("name", [*METHODS, "router"])
def test_a_run_that_meets_a_limit_shows_what_was_found(
    made, tmp_path, openai, name, limit, question
):
    Script(openai)
    result = asked(name, question, index=copy_of(made, tmp_path / "asked"), model=MODEL, **limit)
    assert result["evidence"], result["stop_reason"]


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: next(iter(limit)))
@pytest.mark.parametrize("name", [*METHODS, "router"])
def test_the_offline_reader_meets_no_limit_on_what_is_paid(made, tmp_path, name, limit):
    index = copy_of(made, tmp_path / "asked")
    for question in (QUESTION, WHOLE):
        result = asked(name, question, index=index, model="offline", **limit)
        assert result["evidence"] and result["stop_reason"] != "budget"
        # CRAG cites nothing of what it grades irrelevant.
        assert "max_seconds" in limit or name == "crag" or result["citations"]


def test_without_a_model_passages_come_before_communities(made, tmp_path):
    index = copy_of(made, tmp_path / "asked")
    result = asked("graphrag", WHOLE, index=index, model="offline")
    found = [one["found"] for one in result["evidence"]]
    first = found.index("community") if "community" in found else len(found)
    assert first > 0 and "community" not in found[:first]
    assert result["citations"][0]["passage"] in {one["id"] for one in result["evidence"][:first]}
