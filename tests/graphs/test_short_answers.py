"""Short answers without a model, on the corpus of ``ragraphs demo``."""

from __future__ import annotations

from pathlib import Path

import pytest
import ragraphs
from ragraphs.graphs import graph_of

DEMO = Path(ragraphs.__file__).parent / "demo"
STATED = "The bridge was designed by John Fowler and Benjamin Baker."


@pytest.mark.parametrize("method", ["basic", "crag", "router"])
def test_the_answer_is_whole_and_only_the_sentence_that_states_it_is_cited(indexing, method):
    indexing.run(documents=[], sources=[str(DEMO)])
    graph, kind = graph_of(method)
    asked = {"question": "Who designed the Forth Bridge?"}
    result = graph.invoke(asked, context=kind(index=indexing.name))
    assert (result["answer"], result["sufficient"]) == ("John Fowler and Benjamin Baker", True)
    assert [citation["quote"] for citation in result["citations"]] == [STATED]
    assert result["stop_reason"] == "answered"
