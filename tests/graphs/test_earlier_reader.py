"""Passages read by an earlier version of the offline reader are read again by the next run."""

from __future__ import annotations

from typing import Any

import pytest
from communities_support import MODEL, Script, clustered
from ragraphs.graphs.basic import graph as basic
from ragraphs.offline import model as offline
from ragraphs.offline import questions, version
from ragraphs.offline.extraction import extract as extraction
from ragraphs.prompts.replies import PassageQuestions
from ragraphs.stores.readings import Reading
from ragraphs.views.status import describe
from scripted_model import DOCUMENTS

LAYERS = ["sentences", "hops", "entities", "communities"]


@pytest.fixture
def read_before(indexing: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An index with all layers that an offline reader of another version has read and described."""
    facts, report = extraction.extract_facts, offline.write_report

    def extract(title: str, text: str) -> Any:
        found = facts(title, text)
        return {**found, "entities": found["entities"][:2], "relations": []}

    with monkeypatch.context() as earlier:
        earlier.setattr(version, "VERSION", "0")
        earlier.setattr(extraction, "extract_facts", extract)
        earlier.setattr(
            questions,
            "write_questions",
            lambda *_: PassageQuestions(incoming=["Who?"], outgoing=[]),
        )
        earlier.setattr(extraction, "summarise", lambda texts: "An earlier summary.")
        earlier.setattr(
            offline, "write_report", lambda rows: report(rows).model_copy(update={"title": "Then"})
        )
        indexing.run(documents=DOCUMENTS, context={"layers": LAYERS})
    return indexing


def lack(indexing: Any) -> list[str]:
    return [one["says"] for one in describe(indexing.index)["lacks"]]


@pytest.mark.slow
def test_a_run_makes_of_it_what_a_fresh_index_is(read_before, other):
    before = read_before.export()
    read_before.run()
    other.run(documents=DOCUMENTS, context={"layers": LAYERS})
    assert read_before.export() == other.export() != before


@pytest.mark.slow
def test_status_tells_it_until_a_run_has_read_them(read_before):
    says = f"Passages that an earlier version of the offline reader has read: {len(DOCUMENTS)}."
    assert lack(read_before) == [says]
    planned = read_before.run(context={"dry_run": True})
    assert planned["plan"]["missing_replies"] == 0
    assert lack(read_before) == [says]
    read_before.run()
    assert lack(read_before) == []


def test_questions_are_answered_from_it_meanwhile(read_before):
    context = {"index": read_before.name}
    assert basic.invoke({"question": "Who designed the Forth Bridge?"}, context=context)["evidence"]
    assert lack(read_before) != []


@pytest.mark.slow
def test_readings_of_a_version_that_knew_no_version_are_made_again(indexing):
    indexing.run(documents=DOCUMENTS, context={"layers": LAYERS})
    whole = indexing.export()
    nothing = {"entities": [], "relations": [], "claims": []}
    ids = indexing.index.catalogue.passage_ids()
    indexing.index.readings.put([Reading(id, "facts", "offline", nothing) for id in ids])
    indexing.run()
    assert indexing.export() == whole


@pytest.mark.slow
def test_a_later_version_leaves_what_a_paid_model_has_read(indexing, openai, monkeypatch):
    model, paid = Script(openai), {"layers": LAYERS, "model": MODEL}
    indexing.run(documents=clustered(20, 5), context=paid)
    whole, asked = indexing.export(), len(model.asked)
    monkeypatch.setattr(version, "VERSION", "later")
    assert lack(indexing) == []
    indexing.run()
    assert (indexing.export(), len(model.asked)) == (whole, asked)
