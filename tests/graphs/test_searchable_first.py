"""A changed document is found before the layers have followed, and how far they are is told."""

from __future__ import annotations

import pytest
from ragraphs.context import BasicContext, HopragContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.hoprag import graph as hoprag
from ragraphs.index import hop_edges
from ragraphs.index.freshness import behind
from ragraphs.index.retrieval import search
from ragraphs.state.errors import RagraphsError
from ragraphs.views.status import describe

LAYERS = {"layers": ["sentences", "hops"]}
QUESTION = "Who designed the Tay Bridge?"


@pytest.fixture
def begun(indexing, monkeypatch):
    """An index whose last run, of two changes, ended before its layers were made."""
    indexing.run("docs", context=LAYERS)
    assert behind(indexing.index) == {}

    def fail(*given, **named):
        raise RagraphsError("The run ends here.")

    monkeypatch.setattr(hop_edges, "_make", fail)
    monkeypatch.setattr("ragraphs.index.sentences._link_passages", fail)
    with pytest.raises(RagraphsError, match="The run ends here"):
        indexing.run(
            documents=[{"id": "tay", "text": "The Tay Bridge was designed by Thomas Bouch."}],
            remove=["sonata.md"],
        )
    monkeypatch.undo()
    return indexing


@pytest.mark.slow
@pytest.mark.parametrize("retriever", ["lexical", "vector", "hybrid"])
def test_a_document_is_found_before_the_layers_are_made(begun, retriever):
    found = search(begun.index, QUESTION, retriever, 3)
    assert found[0]["document"] == "tay"
    assert "docs/sonata.md" not in [one["document"] for one in found]


def test_how_far_the_layers_are_is_told(begun):
    assert behind(begun.index) == {"sentences": 2, "hops": 2}
    described = describe(begun.index)
    assert described["behind"] == {"sentences": 2, "hops": 2}
    says = [lack["says"] for lack in described["lacks"]]
    assert "2 changes of documents are not in the layers sentences, hops yet." in says
    begun.run()
    assert behind(begun.index) == {} and "behind" not in describe(begun.index)


@pytest.mark.slow
def test_answers_warn_of_the_layers_that_they_read(begun):
    def warnings(graph, context, **fields):
        settings = context(index=begun.name, model="offline", **fields)
        return graph.invoke({"question": QUESTION}, context=settings)["warnings"]

    assert any("not in the layers sentences, hops yet" in one
               for one in warnings(hoprag, HopragContext))  # fmt: skip
    assert any("not in the layer sentences yet" in one for one in warnings(basic, BasicContext))
    assert not warnings(basic, BasicContext, retriever="hybrid")
    begun.run()
    assert not warnings(basic, BasicContext)
