"""Hops and triples of a run are told with the names of their passages."""

from __future__ import annotations

from pathlib import Path

import pytest
from ragraphs import IndexContext, index_graph
from ragraphs.index.opening import open_index
from ragraphs.server.page.naming import PassageNames

TEXTS = {"Forth": "The Forth Bridge is old.\n\nIt was designed by Fowler. " * 5, "Tay": "It fell."}


@pytest.fixture
def index(tmp_path: Path) -> str:
    documents = [{"id": title, "title": title, "text": text} for title, text in TEXTS.items()]
    context = IndexContext(index=str(tmp_path / "index"), embeddings="lexical")
    index_graph.invoke({"documents": documents}, context=context)
    return context.index


@pytest.mark.slow
async def test_a_passage_is_named_by_its_title_place_and_first_words(index):
    ids = {one["title"]: one["id"] for one in open_index(index).catalogue.all_passages()}
    triple = {"source_name": "Tay Bridge", "passage": ids["Tay"]}
    nowhere = {"source_name": "Tay Bridge", "passage": ""}
    given = {
        "hops": [{"target": ids["Forth"], "label": "necessary"}, {"target": "gone", "label": ""}],
        "paths": [{"name": "Tay", "triples": [triple, nowhere]}],
        "verdict": "correct",
    }
    named = await PassageNames(index).added(given)
    first, gone = named["hops"]
    assert (first["title"], first["document"], first["start"]) == ("Forth", "Forth", 0)
    assert first["words"].startswith("The Forth Bridge is old. It was") and len(first["words"]) < 95
    assert gone == {"target": "gone", "label": ""} and named["verdict"] == "correct"
    [path] = named["paths"]
    assert path["triples"][0]["words"] == "It fell." and path["triples"][1] == nowhere
