"""The records of the methods, and what is made from them."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import pytest
from pydantic import ValidationError
from ragraphs import context, router_graph
from ragraphs.context import LayerName
from ragraphs.graphs import CONTEXTS, graph_of
from ragraphs.graphs.methods import METHODS, Method, RouterContext
from ragraphs.state.errors import RagraphsError


@pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
def test_a_record_is_of_its_graph(method: Method) -> None:
    graph, context_type = graph_of(method.name)
    assert graph.name == method.name
    assert graph.context_schema is context_type is method.context_type
    assert set(method.shown) <= set(graph.channels)
    assert set(method.layers) <= set(get_args(LayerName))
    assert method.description.endswith(".") and method.suits and method.title
    assert method.name in router_graph.nodes


def test_the_router_takes_the_settings_of_all_methods_and_their_names() -> None:
    for kind in (method.context_type for method in METHODS.values()):
        assert issubclass(RouterContext, kind)
    assert CONTEXTS["router"] is RouterContext is router_graph.context_schema
    assert issubclass(RouterContext, context.RouterContext)
    assert all(RouterContext(index="notes", method=name).method == name for name in METHODS)
    with pytest.raises(ValidationError, match=r"'auto', 'basic', 'crag', .* or 'agent'"):
        RouterContext(method="magic")


@pytest.mark.slow
def test_a_method_that_there_is_not_is_told_by_the_router(indexing) -> None:
    indexing.run(documents=[{"id": "a", "text": "The Forth Bridge was opened in 1890."}])
    given = context.RouterContext(index=indexing.name, method="magic")
    with pytest.raises(RagraphsError, match="'magic' cannot be used; name one of basic, crag"):
        router_graph.invoke({"question": "When?"}, context=given)


@pytest.mark.slow
def test_the_records_are_read_without_a_graph() -> None:
    script = "import sys, ragraphs.graphs.methods; print('langgraph' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
