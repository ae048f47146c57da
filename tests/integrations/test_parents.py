"""Graphs of ours inside graphs of other programs, whatever context these run on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypedDict

import pytest
import ragraphs
from langgraph.graph import START, StateGraph
from pydantic import BaseModel
from scripted_model import FACT, QUESTION


class Shared(TypedDict, total=False):
    question: str
    answer: str
    citations: list[Any]
    warnings: list[str]


@dataclass
class Plain:
    user: str = "ada"


@dataclass
class WithIndex:
    index: str
    user: str = "ada"


@dataclass
class WithOurs:
    ragraphs: Any
    mode: str = "production"
    index: str = "/not/this/one"


class Checked(BaseModel):
    user: str = "ada"
    top_k: int = 1
    index: str


class Named(TypedDict, total=False):
    user: str
    ragraphs: dict[str, Any]


def under(graph: Any, context_type: Any = None) -> Any:
    """A graph of another program with ``graph`` as its only node."""
    return (
        StateGraph(Shared, context_schema=context_type)
        .add_node("ask", graph)
        .add_edge(START, "ask")
        .compile()
    )


def test_a_graph_takes_its_settings_from_the_dataclass_of_a_parent(bridges: str) -> None:
    parent = under(ragraphs.basic_graph, WithIndex)
    found = parent.invoke({"question": QUESTION}, context=WithIndex(bridges))
    assert found["answer"] == "John Fowler"
    assert found["citations"][0]["quote"] == FACT


async def test_a_graph_takes_its_settings_from_the_pydantic_context_of_a_parent(
    bridges: str,
) -> None:
    parent = under(ragraphs.crag_graph, Checked)
    found = await parent.ainvoke({"question": QUESTION}, context={"index": bridges})
    assert found["answer"] == "John Fowler"


@pytest.mark.parametrize("method", ["basic", "crag", "deeprag", "router"])
def test_settings_for_us_stand_under_a_name_of_their_own(bridges: str, method: str) -> None:
    parent = under(getattr(ragraphs, f"{method}_graph"), Named)
    context: Named = {"user": "ada", "ragraphs": {"index": bridges, "n_hop": 2}}
    found = parent.invoke({"question": QUESTION}, context=context)
    assert found["answer"] == "John Fowler"


def test_beside_settings_for_us_nothing_else_is_read(bridges: str) -> None:
    ours = ragraphs.BasicContext(index=bridges)
    for given in (ours, {"index": bridges}):
        found = under(ragraphs.router_graph, WithOurs).invoke(
            {"question": QUESTION}, context=WithOurs(given)
        )
        assert found["answer"] == "John Fowler"


@pytest.mark.slow
def test_the_index_graph_runs_under_a_parent(tmp_path: Any) -> None:
    class Documents(TypedDict, total=False):
        documents: list[Any]
        added: int

    parent = StateGraph(Documents, context_schema=WithOurs).add_node("fill", ragraphs.index_graph)
    settings = {"index": str(tmp_path / "index"), "embeddings": "lexical"}
    found = (
        parent.add_edge(START, "fill")
        .compile()
        .invoke({"documents": [{"id": "a", "text": FACT}]}, context=WithOurs(settings))
    )
    assert found["added"] == 1


@pytest.mark.parametrize("context", [None, Plain(), {"user": "ada"}])
def test_a_bound_graph_needs_nothing_of_its_parent(bridges: str, context: Any) -> None:
    graph = ragraphs.build("basic", index=bridges)
    kind = Plain if isinstance(context, Plain) else Named
    found = under(graph, kind).invoke({"question": QUESTION}, context=context)
    assert found["answer"] == "John Fowler"


def test_a_parent_leads_a_bound_graph_nowhere_else_by_accident(bridges: str, rivers: str) -> None:
    graph = ragraphs.build("basic", index=bridges)
    parent = under(graph, WithIndex)
    found = parent.invoke({"question": QUESTION}, context=WithIndex(rivers))
    assert found["answer"] == "John Fowler"
    aimed = under(graph, WithOurs).invoke(
        {"question": "Who designed the Elbe Tunnel?"}, context=WithOurs({"index": rivers})
    )
    assert aimed["answer"] == "Ludwig Wendemuth"


def test_a_parent_fills_in_what_is_not_bound(bridges: str) -> None:
    graph = ragraphs.build("basic", top_k=1)
    found = under(graph, WithIndex).invoke({"question": QUESTION}, context=WithIndex(bridges))
    assert found["answer"] == "John Fowler"


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        ({"ragraphs": {"indx": "notes"}}, "There is no setting 'indx'; did you mean 'index'?"),
        ({"ragraphs": "notes"}, "'ragraphs' in the caller's context must be a dictionary"),
        ({"ragraphs": {"top_k": 0}}, "A setting cannot be used: top_k: Input should be greater"),
        ({"ragraphs": {"llm": "gpt-4o"}}, "'llm' is no setting but an object"),
        ({"top_k": "all"}, "under 'ragraphs' in it"),
    ],
)
def test_a_wrong_setting_is_told_in_a_sentence(context: Any, sentence: str) -> None:
    with pytest.raises(ragraphs.RagraphsError) as caught:
        under(ragraphs.basic_graph, Named).invoke({"question": QUESTION}, context=context)
    assert sentence in str(caught.value)


def test_objects_and_methods_of_a_parent_are_no_settings(bridges: str) -> None:
    @dataclass
    class Services:
        ragraphs: dict[str, str] = field(default_factory=lambda: {"index": bridges})

    @dataclass
    class Searching:
        search: object = field(default_factory=object)
        model: str | None = None

        def index(self) -> None:
            """Another thing of the same name."""

    for context in (Services(), Searching()):
        graph = ragraphs.build("basic", index=bridges)
        found = under(graph, type(context)).invoke({"question": QUESTION}, context=context)
        assert found["answer"] == "John Fowler"
