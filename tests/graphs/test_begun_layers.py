"""A run that begins, fails, waits for a key or is interrupted changes nothing of what answered."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_line import Run, started
from communities_support import MODEL, Script, clustered
from ragraphs.graphs import graph_of
from ragraphs.index.opening import open_index
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError
from ragraphs.views.status import describe
from raw_sql import sql
from stub_openai import failure

DOCUMENTS = clustered(10)
ALL = ["sentences", "hops", "entities", "communities"]
QUESTION = "Whom does d1 know?"
KEYLESS = "openai:gpt-4o-mini"
NEEDED: dict[str, str] = {"hoprag": "hops", "tog2": "entities", "graphrag": "communities"}


@pytest.fixture
def model(openai) -> Script:
    return Script(openai)


def properties(indexing: Any) -> dict[str, str]:
    """All that an index records, but for stamps of what was written."""
    with indexing.index.engine.connect() as connection:
        rows = sql(connection, "SELECT name, value FROM properties")
        return {name: value for name, value in rows}


def asked(name: str, method: str = "router") -> Any:
    graph, context = graph_of(method)
    return graph.invoke({"question": QUESTION}, context=context(index=name))


@contextmanager
def being_indexed(indexing: Any, model: Script, kind: str, **context: Any) -> Iterator[None]:
    """A run in another thread, whose model takes its time with replies of one ``kind``."""
    waits, goes_on = threading.Event(), threading.Event()
    answer = getattr(model, kind.lower())

    def held(human: str) -> Any:
        waits.set()
        assert goes_on.wait(60)
        return answer(human)

    model.answers[kind] = held
    given = {"layers": ALL, "model": MODEL, "max_cluster_size": 5, **context}
    thread = threading.Thread(target=lambda: indexing.run(context=given))
    thread.start()
    try:
        assert waits.wait(60)
        yield
    finally:
        goes_on.set()
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [{"layers": ALL}, {"layers": ["entities"], "claims": True}])
def test_a_first_run_of_a_layer_without_its_key_changes_nothing(indexing, chosen):
    indexing.run(documents=DOCUMENTS)
    before = properties(indexing)
    with pytest.raises(RagraphsError, match="needs a key"):
        indexing.run(documents=clustered(12), context={**chosen, "model": KEYLESS})
    assert properties(indexing) == before
    assert indexing.index.catalogue.count_documents() == len(DOCUMENTS)
    assert asked(indexing.name)["evidence"]
    assert describe(indexing.index)["layers"] == ["passages"]


@pytest.mark.slow
def test_another_reader_without_its_key_is_not_recorded(indexing):
    indexing.run(documents=DOCUMENTS, context={"layers": ALL})
    before, exported = properties(indexing), indexing.export()
    changed = {"model": KEYLESS, "gleanings": 2, "max_cluster_size": 4, "report_tokens": 300}
    with pytest.raises(RagraphsError, match="needs a key"):
        indexing.run(context=changed)
    assert properties(indexing) == before
    indexing.run()
    assert indexing.export() == exported


def test_a_new_index_whose_first_run_lacks_its_key_is_none(indexing, monkeypatch):
    chosen = {"layers": ["entities"], "model": KEYLESS}
    with pytest.raises(RagraphsError, match="needs a key"):
        indexing.run(documents=DOCUMENTS, context=chosen)
    with pytest.raises(RagraphsError, match="ragraphs index"):
        asked(indexing.name)
    assert not Path(indexing.name).exists()


@pytest.mark.slow
def test_the_run_with_the_key_then_simply_works(indexing, openai, monkeypatch):
    Script(openai)
    chosen = {"layers": ["entities"], "model": MODEL}
    monkeypatch.delenv("OPENAI_BASE_URL")
    settings.cache_clear()
    with pytest.raises(RagraphsError, match="needs a key"):
        indexing.run(documents=DOCUMENTS, context={**chosen, "chunk_tokens": 90})
    monkeypatch.setenv("OPENAI_BASE_URL", openai.base_url)
    settings.cache_clear()
    result = indexing.run(documents=DOCUMENTS, context={**chosen, "chunk_tokens": 120})
    assert "entities" in result["layers"] and not result["warnings"]


@pytest.mark.slow
def test_embeddings_that_cannot_be_had_leave_no_index(indexing):
    with pytest.raises(RagraphsError, match="need a key"):
        indexing.run(documents=DOCUMENTS, context={"embeddings": "openai:small"})
    assert not Path(indexing.name).exists()
    assert indexing.run(documents=DOCUMENTS)["embeddings"] == "lexical"


def test_a_dry_run_records_nothing(indexing):
    with pytest.raises(RagraphsError):
        open_index(indexing.name)
    empty = open_index(indexing.name, create=True)
    before = properties(indexing)
    chosen = {"layers": ALL, "dry_run": True, "chunk_tokens": 90}
    assert indexing.run(documents=DOCUMENTS, context=chosen)["plan"]["documents"] == 10
    assert properties(indexing) == before
    with pytest.raises(RagraphsError, match="is empty; fill it with: ragraphs index"):
        describe(empty)


@pytest.mark.slow
def test_a_run_that_finds_another_one_writing_changes_nothing(indexing, model):
    indexing.run(documents=DOCUMENTS)
    with being_indexed(indexing, model, "PassageReading", layers=["hops", "entities"]):
        before = properties(indexing)
        with pytest.raises(RagraphsError, match="Another run is writing"):
            indexing.run(context={"layers": ["sentences"], "model": "offline"}, wait=False)
        assert properties(indexing) == before


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["PassageReading", "CommunityReport"])
def test_questions_beside_a_first_run_are_answered_by_what_is_there(indexing, model, kind):
    indexing.run(documents=DOCUMENTS)
    before = asked(indexing.name)["answer"]
    with being_indexed(indexing, model, kind):
        for method in ("router", "basic", "crag", "deeprag"):
            assert asked(indexing.name, method)["stop_reason"], method
        if kind == "PassageReading":
            assert asked(indexing.name)["answer"] == before
            for method, layer in NEEDED.items():
                with pytest.raises(RagraphsError, match=f"{layer} layer is begun and not finished"):
                    asked(indexing.name, method)
        described = describe(indexing.index)
        assert "communities" not in described["layers"]
        assert "communities" in described["unfinished_layers"]
        [lack] = [one for one in described["lacks"] if "communities" in one["says"]]
        assert lack["mend"] == f"ragraphs index --index {indexing.name}"
    described = describe(indexing.index)
    assert described["layers"] == ["passages", *ALL] and not described["unfinished_layers"]
    assert asked(indexing.name, "tog2")["evidence"]


@pytest.mark.slow
def test_a_layer_for_which_nothing_could_be_read_is_not_built(indexing, openai):
    openai.answer = lambda _: failure(500, "No.")
    indexing.run(documents=DOCUMENTS)
    chosen = {"layers": ALL, "model": MODEL, "max_retries": 0}
    result = indexing.run(context=chosen)
    assert result["failures"] and result["layers"] == ["passages", "sentences"]
    assert describe(indexing.index)["unfinished_layers"] == ["hops", "entities", "communities"]
    assert asked(indexing.name)["evidence"]
    Script(openai)
    assert indexing.run(context=chosen)["layers"] == ["passages", *ALL]


@pytest.mark.slow
def test_the_index_of_an_earlier_version_that_was_interrupted_answers(indexing):
    indexing.run(documents=DOCUMENTS)
    indexing.index.catalogue.set_property("layers", ["passages", *ALL])
    indexing.index.catalogue.set_property("reader", "offline")
    assert asked(indexing.name)["evidence"]
    assert describe(indexing.index)["unfinished_layers"] == ALL


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_first_run_leaves_what_answered_and_the_next_one_ends_it(
    indexing, model, run: Run, end
):
    """The run is a process of its own; what is typed beside it and after it runs in this one."""
    indexing.run(documents=DOCUMENTS)
    waits, goes_on = threading.Event(), threading.Event()

    def held(human: str) -> Any:
        if len(model.of("PassageReading")) > 3:
            waits.set()
            goes_on.wait(60)
        return model.passagereading(human)

    model.answers["PassageReading"] = held
    layers = ("--layers", ",".join(ALL), "--model", MODEL, "--concurrency", "2")
    main = "from ragraphs.cli.main import main; main()"
    running = started([sys.executable, "-c", main, "index", "--index", indexing.name, *layers])
    assert waits.wait(60)
    assert run("ask", QUESTION, "--index", indexing.name).code == 0
    os.kill(running.pid, end)
    goes_on.set()
    running.communicate(timeout=60)
    assert running.returncode != 0
    ended = run("ask", QUESTION, "--index", indexing.name, "--json")
    assert ended.code == 0 and json.loads(ended.out)["evidence"]
    said = run("status", "--index", indexing.name).out
    assert "not finished: sentences, hops, entities, communities" in said
    assert f"Mend it with: ragraphs index --index {indexing.name}" in said
    assert run("index", "--index", indexing.name).code == 0
    assert "not finished" not in run("status", "--index", indexing.name).out
