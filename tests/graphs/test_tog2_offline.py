"""The tog2 graph without a model, and without its layer."""

from __future__ import annotations

import pytest
from ragraphs.context import Tog2Context
from ragraphs.graphs.tog2 import graph
from ragraphs.state.errors import RagraphsError

TEXTS = {
    "Atomium": "The Atomium was designed by André Waterkeyn. It stands in Brussels.",
    "André Waterkeyn": "André Waterkeyn was born in Wimbledon. He studied in Mons.",
    "Mons": "Mons is a town in Belgium.",
}
DOCUMENTS = [{"id": title, "title": title, "text": text} for title, text in TEXTS.items()]


@pytest.mark.slow
def test_the_offline_reader_walks_without_a_model(indexing):
    indexing.run(documents=DOCUMENTS, context={"layers": ["entities"]})
    context = Tog2Context(index=indexing.name)
    question = {"question": "Where was the designer of the Atomium born?"}
    result = graph.invoke(question, context=context)
    titles = [passage["title"] for passage in result["evidence"]]
    assert {"Atomium", "André Waterkeyn"} <= set(titles)
    assert set(result["usage"]["models"]) == {"offline"}


@pytest.mark.slow
def test_korean_entities_are_linked(indexing):
    documents = [
        {"id": "1", "title": "훈민정음", "text": "훈민정음은 세종대왕이 창제하였다."},
        {"id": "2", "title": "세종대왕", "text": "세종대왕은 한양에서 태어났다."},
    ]
    indexing.run(documents=documents, context={"layers": ["entities"]})
    question = {"question": "훈민정음을 창제한 왕은 어디에서 태어났습니까?"}
    result = graph.invoke(question, context=Tog2Context(index=indexing.name))
    assert "훈민정음" in {topic["name"] for topic in result["topics"]}
    assert "세종대왕" in {passage["title"] for passage in result["evidence"]}


def test_an_index_without_the_layer_says_how_to_build_it(indexing):
    indexing.run(documents=DOCUMENTS)
    question = {"question": "Where was the designer of the Atomium born?"}
    with pytest.raises(RagraphsError, match="ragraphs index --layers entities"):
        graph.invoke(question, context=Tog2Context(index=indexing.name))
