"""A backup is the index of one moment, whoever asks it and writes to it meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from ragraphs.cli.copying import copy_to_place
from ragraphs.context import Context, IndexContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.hoprag import graph as hoprag
from ragraphs.graphs.index import graph as index_graph
from ragraphs.graphs.tog2 import graph as tog2
from ragraphs.index.opening import open_index
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.moments import at_one_moment
from ragraphs.views.status import export_lines
from shared_stores import serving_stores

pytestmark = [pytest.mark.slow, pytest.mark.in_folder("has stores of its own")]

LAYERS = ["sentences", "hops", "entities"]
PAUSE = 0.2  # seconds between two documents, or three questions: else these take the processor


def add(name: str, number: int) -> None:
    text = f"Bridge {number} was designed by Ada Byron in {1800 + number}. It stands in Leeds."
    context = IndexContext(index=name, embeddings="lexical", layers=LAYERS)
    index_graph.invoke({"documents": [{"id": f"{number:03}", "text": text}]}, context=context)


@contextmanager
def written_to(name: str) -> Iterator[threading.Event]:
    """An index that gets a document after another until the block ends; the event: it has begun."""
    ends, begun = threading.Event(), threading.Event()

    def write() -> None:
        number = 1
        while not ends.is_set() and number < 500:
            add(name, number)
            begun.set()
            number += 1
            ends.wait(PAUSE)

    writing = threading.Thread(target=write)
    writing.start()
    try:
        yield begun
    finally:
        ends.set()
        writing.join()


@contextmanager
def asked(name: str) -> Iterator[None]:
    """An index that is asked until the block ends; every question finds its passage."""
    ends = threading.Event()

    def ask() -> int:
        count, context = 0, Context(index=name).model_dump()
        while not ends.is_set():
            for graph in (basic, hoprag, tog2):
                answer = graph.invoke({"question": "Who designed Bridge 0?"}, context=context)
                assert any(one["document"] == "000" for one in answer["evidence"])
                count += 1
            ends.wait(PAUSE)
        return count

    with ThreadPoolExecutor(1) as asking:
        told = asking.submit(ask)
        try:
            yield
        finally:
            ends.set()
        assert told.result() > 0


def backups(name: str, target: Path) -> Iterator[Path]:
    """Two backups of an index that is written to and asked all the time."""
    add(name, 0)
    with written_to(name) as begun, asked(name):
        assert begun.wait(60)
        for number in range(2):
            copy_to_place(name, f"{target}/{number}", as_json=True, checked=True)
            yield target / str(number)


def check(folder: Path) -> int:
    """The number of documents in a backup, which are the first ones, each whole."""
    index = open_index(str(folder))
    documents = [row["id"] for row in index.catalogue.documents()]
    assert documents == [f"{number:03}" for number in range(len(documents))]
    passages = index.catalogue.all_passages()
    assert {passage["document"] for passage in passages} <= set(documents)
    add(str(folder), len(documents))  # it goes on from there
    assert index.vectors.ids("passages") == index.catalogue.passage_ids()
    asked = {"question": "Who designed Bridge 0?"}
    assert basic.invoke(asked, context=Context(index=str(folder)).model_dump())["evidence"]
    return len(documents)


def test_a_backup_of_a_folder_that_is_written_to_is_whole(tmp_path):
    sizes = [check(folder) for folder in backups(str(tmp_path / "notes"), tmp_path)]
    assert sizes == sorted(sizes) and sizes[0] >= 1


def test_a_backup_of_a_database_that_is_written_to_is_whole(tmp_path, monkeypatch):
    with serving_stores() as stores:
        with monkeypatch.context() as patch:
            stores.name_in(patch, tmp_path / "cache")
            folders = list(backups("notes", tmp_path / "copies"))
            stores.empty()
        settings.cache_clear()
        sizes = [check(folder) for folder in folders]
    assert sizes == sorted(sizes) and sizes[0] >= 1


def test_a_moment_stays_as_it_was(tmp_path):
    name = str(tmp_path / "notes")
    add(name, 0)
    index = open_index(name)
    with at_one_moment(index.engine) as moment:
        before = type(index.catalogue)(moment).documents()
        add(name, 1)
        assert type(index.catalogue)(moment).documents() == before
    assert len(index.catalogue.documents()) == 2


def test_a_copy_that_differs_is_no_backup(tmp_path, monkeypatch):
    name, target = str(tmp_path / "notes"), str(tmp_path / "copy")
    add(name, 0)
    lines = export_lines

    def other(index: object) -> Iterator[str]:
        yield from lines(index)  # type: ignore[arg-type]
        if str(tmp_path / "copy") in str(index):
            yield "{}"

    monkeypatch.setattr("ragraphs.views.status.export_lines", other)
    with pytest.raises(RagraphsError, match="is not like"):
        copy_to_place(name, target, as_json=True, checked=True)
    with pytest.raises(RagraphsError, match="was not finished"):
        open_index(target)
