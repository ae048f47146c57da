"""A reply is asked for again only where a text that it was made from has changed."""

from __future__ import annotations

import pytest
from ragraphs.graphs import graph_of
from scripted_model import DOCUMENTS, MODEL, QUESTION, TEXTS

EDITED = [{**DOCUMENTS[0], "text": f"{TEXTS['Forth Bridge']} It is red."}]
UNRELATED = [{"id": "kettle", "title": "Kettle", "text": "The kettle leaks."}]


@pytest.fixture
def ask(indexing, script):
    """Asks the question by a method; the number of requests that took."""
    indexing.run(documents=DOCUMENTS)

    def requests(method: str) -> int:
        graph, context = graph_of(method)
        before = len(script.asked)
        given = context(index=indexing.name, model=MODEL, retriever="lexical", top_k=1)
        assert graph.invoke({"question": QUESTION}, context=given)["sufficient"]
        return len(script.asked) - before

    return requests


@pytest.mark.slow
@pytest.mark.parametrize("method", ["basic", "crag"])
def test_an_unrelated_edit_costs_nothing(ask, indexing, method):
    indexing.run(documents=UNRELATED)
    assert ask(method) > 0
    indexing.run(documents=[{**UNRELATED[0], "text": "The kettle was mended."}])
    indexing.run(remove=["kettle"])
    assert ask(method) == 0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["basic", "crag"])
def test_an_edit_of_what_was_read_has_it_read_again(ask, indexing, method):
    first = ask(method)
    assert indexing.index.replies.count() == first
    indexing.run(documents=EDITED)
    assert indexing.index.replies.count() < first
    assert ask(method) > 0
