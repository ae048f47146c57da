"""An index as a graph of networkx."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import networkx
import pytest
import ragraphs
from ragraphs.state.errors import RagraphsError
from scripted_model import DOCUMENTS

pytestmark = pytest.mark.in_folder("it is about what a program makes of an open index")


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of an index of bridges with entities."""
    folder = str(tmp_path_factory.mktemp("named"))
    graph = ragraphs.build("index", index=folder, embeddings="lexical", layers=["entities"])
    graph.invoke({"documents": DOCUMENTS})
    return folder


def test_entities_are_nodes_and_relations_are_edges(named: str) -> None:
    index = ragraphs.open_index(named)
    graph = index.to_networkx()
    entities = {one.id: one for one in index.entities.all_entities()}
    relations = {one.id: one for one in index.entities.all_relations()}
    assert graph.is_directed() and set(graph) == set(entities) and relations
    passages = index.catalogue.passage_ids()
    for id, said in graph.nodes(data=True):
        one = entities[id]
        assert (said["name"], said["type"]) == (one.name, one.type)
        assert (said["description"], said["degree"]) == (one.description, graph.degree(id))
        assert set(said["passages"].split()) == set(index.entities.passages_of([id])[id])
    assert {key for *_, key in graph.edges(keys=True)} == set(relations)
    for source, target, key, said in graph.edges(keys=True, data=True):
        stated = relations[key]
        assert (source, target) == (stated.source, stated.target)
        assert (said["description"], said["weight"]) == (stated.relation, stated.weight)
        assert said["passages"] and passages.issuperset(said["passages"].split())


def test_a_graph_is_written_and_read_as_graphml(named: str, tmp_path: Path) -> None:
    graph = ragraphs.open_index(named).to_networkx()
    networkx.write_graphml(graph, tmp_path / "graph.graphml")
    again = networkx.read_graphml(tmp_path / "graph.graphml", force_multigraph=True)
    assert dict(again.nodes(data=True)) == dict(graph.nodes(data=True))
    assert again.number_of_edges() == graph.number_of_edges()


def test_a_graph_needs_the_layer_of_entities(bridges: str) -> None:
    with pytest.raises(RagraphsError, match="--layers entities"):
        ragraphs.open_index(bridges).to_networkx()


@pytest.mark.slow
def test_opening_an_index_imports_neither_networkx_nor_retrievers(named: str) -> None:
    script = f"""
import sys, ragraphs
ragraphs.open_index({named!r})
print([name for name in ("networkx", "langchain_core.retrievers") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
