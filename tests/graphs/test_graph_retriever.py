"""The graph retriever: the sentences layer of the index, and the walk over it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ragraphs.context import IndexContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.layers import SENTENCES
from ragraphs.index.opening import Index, open_index
from ragraphs.index.retrieval import search, walk_from
from ragraphs.index.sentences import link_passages, load_graph
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.arrays import load_arrays
from ragraphs.stores.chroma import ChromaVectors
from ragraphs.stores.moved_rows import MovedRows
from ragraphs.views.passage_graph import drawn_index
from snapshots import Snapshots

DOCUMENTS = {
    "atomium": ("Atomium", "The Atomium stands in Brussels. It was designed by André Waterkeyn."),
    "waterkeyn": ("André Waterkeyn", "André Waterkeyn was born in Wimbledon in 1917."),
    "towers": ("Towers", "Many towers were designed for world fairs. Some still stand today."),
    "london": ("Wimbledon", "Wimbledon is a district of London, known for tennis."),
    "fairs": ("World fairs", "A world fair shows the achievements of nations."),
    "tennis": ("Tennis", "Tennis is played with rackets on a court of grass or clay."),
}
QUESTION = "Where was the designer of the Atomium born?"


def given(*names: str) -> list[dict[str, str]]:
    return [{"id": name, "title": DOCUMENTS[name][0], "text": DOCUMENTS[name][1]} for name in names]


def build(folder: Path, documents: list[dict[str, str]], **fields: Any) -> Index:
    context = IndexContext(index=str(folder), embeddings="lexical", **fields)
    index_graph.invoke({"documents": documents}, context=context)
    return open_index(context)


@pytest.fixture(autouse=True, params=["exact", "flat"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Compares a question with all passages, or with those alone that it touches."""
    if request.param == "flat":
        monkeypatch.setattr("ragraphs.stores.large.FLAT_FROM", 0)
    return str(request.param)


@pytest.fixture
def index(tmp_path: Path, way: str, snapshots: Snapshots) -> Index:
    folder, documents = tmp_path / "index", given(*DOCUMENTS)
    snapshots.fill(str(folder), lambda: build(folder, documents, layers="sentences"), way)
    return open_index(str(folder))


@pytest.mark.slow
def test_the_walk_reaches_a_passage_that_the_question_does_not_name(index: Index) -> None:
    found = [passage["document"] for passage in search(index, QUESTION, "graph", 2)]
    assert set(found) == {"atomium", "waterkeyn"}


@pytest.mark.slow
def test_the_vectors_of_a_large_index_lie_in_files(index: Index, way: str) -> None:
    arrays = load_arrays(SENTENCES.path(index))
    assert ("sentence_vectors" in arrays) == load_graph(index).is_flat == (way == "flat")


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
def test_after_a_change_the_vectors_in_files_are_those_of_a_fresh_index(
    index: Index, tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    if shared:
        monkeypatch.setattr("ragraphs.stores.arrays._MAPPED_BYTES", 10_000)
        monkeypatch.setattr("ragraphs.stores.moved_rows.MOST_CHANGED", 1.0)
    read: list[str] = []
    get = ChromaVectors.get
    monkeypatch.setattr(
        ChromaVectors, "get", lambda self, name, ids: read.extend(ids) or get(self, name, ids)
    )
    new = {"id": "bell", "title": "Bell", "text": "The bell hangs in a tower. It rang in Ghent."}
    context = IndexContext(index=index.name)
    index_graph.invoke({"documents": [new], "remove": ["tennis"]}, context=context)
    assert not read
    left = given(*(name for name in DOCUMENTS if name != "tennis"))
    fresh = build(tmp_path / "fresh", [*left, new], layers="sentences")
    changed, anew = (load_arrays(SENTENCES.path(one)) for one in (index, fresh))
    assert changed.keys() == anew.keys()
    assert all((changed[name] == anew[name]).all() for name in changed)
    assert ("passage_vectors" in changed) == (way == "flat")
    moved = [name for name, one in changed.items() if isinstance(one, MovedRows)]
    assert bool(moved) == (shared and way == "flat")
    purging = IndexContext(index=index.name, purge=True)
    index_graph.invoke({"documents": []}, context=purging)
    purged = load_arrays(SENTENCES.path(index))
    assert not any(isinstance(one, MovedRows) for one in purged.values())
    assert all((purged[name] == anew[name]).all() for name in anew)


@pytest.mark.slow
def test_an_index_that_was_built_for_the_exact_way_is_made_flat_by_the_next_run(
    index: Index, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    before = [passage["id"] for passage in search(index, QUESTION, "graph", 3)]
    monkeypatch.setattr("ragraphs.stores.large.FLAT_FROM", 7 if way == "flat" else 0)
    other = replace(index, kept={})
    assert not load_graph(other).is_flat
    assert [passage["id"] for passage in search(other, QUESTION, "graph", 3)] == before
    link_passages(other)
    assert load_graph(other).is_flat == (way == "exact")
    assert [passage["id"] for passage in search(other, QUESTION, "graph", 3)] == before


@pytest.mark.slow
def test_only_passages_that_meet_a_filter_are_found(tmp_path: Path) -> None:
    documents = [{**one, "metadata": {"part": n % 2}} for n, one in enumerate(given(*DOCUMENTS))]
    index = build(tmp_path / "index", documents, layers="sentences")
    found = search(index, QUESTION, "graph", 6, {"part": 1})
    assert {passage["document"] for passage in found} == {"waterkeyn", "london", "tennis"}
    assert search(index, QUESTION, "graph", 6, {"part": 2}) == []


def test_a_graph_answers_with_the_graph_retriever(index: Index) -> None:
    context = {"index": index.name, "retriever": "graph", "top_k": 3}
    result = basic.invoke({"question": "Who designed the Atomium?"}, context=context)
    assert result["answer"] == "André Waterkeyn"
    assert result["sufficient"]


@pytest.mark.slow
def test_without_its_layer_the_retriever_names_the_command_that_builds_it(tmp_path: Path) -> None:
    index = build(tmp_path / "index", given("atomium"))
    with pytest.raises(RagraphsError, match="--layers sentences"):
        search(index, QUESTION, "graph", 2)


@pytest.mark.slow
def test_a_layer_that_was_built_once_is_kept_up_to_date(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build(folder, given("atomium", "towers"), layers=["sentences"])
    index = build(folder, given("waterkeyn"))
    found = [passage["document"] for passage in search(index, QUESTION, "graph", 2)]
    assert "waterkeyn" in found


@pytest.mark.slow
def test_adding_editing_and_removing_gives_the_same_layer_as_a_rebuild(tmp_path: Path) -> None:
    names = [name for name in DOCUMENTS if name != "tennis"]
    fresh = build(tmp_path / "fresh", given(*names), layers="sentences")
    changed = [{"id": "towers", "title": "Towers", "text": "Another text, about no tower at all."}]
    folder = tmp_path / "grown"
    build(folder, given("tennis", "atomium") + changed, layers="sentences")
    grown = build(folder, given(*[name for name in names if name != "atomium"]))
    removal = IndexContext(index=str(folder))
    index_graph.invoke({"remove": ["tennis"]}, context=removal)

    counts = fresh.sentences.counts()
    assert grown.sentences.counts() == counts
    assert np.array_equal(grown.sentences.load(counts), fresh.sentences.load(counts))
    arrays = [load_arrays(SENTENCES.path(each)) for each in (grown, fresh)]
    assert arrays[0].keys() == arrays[1].keys()
    for name in arrays[0]:
        assert np.array_equal(arrays[0][name], arrays[1][name]), name


@pytest.mark.slow
def test_a_removed_document_leaves_no_sentence(index: Index) -> None:
    context = IndexContext(index=index.name)
    index_graph.invoke({"remove": ["waterkeyn"]}, context=context)
    assert index.sentences.counts().keys() == index.catalogue.passage_ids()
    assert "waterkeyn" not in [p["document"] for p in search(index, QUESTION, "graph", 6)]


@pytest.mark.slow
def test_nothing_is_found_where_every_document_was_removed(index: Index) -> None:
    context = IndexContext(index=index.name)
    index_graph.invoke({"remove": list(DOCUMENTS)}, context=context)
    assert index.sentences.counts() == {}
    assert search(index, QUESTION, "graph", 6) == []


@pytest.mark.slow
def test_one_long_page_among_titled_ones_changes_no_order_of_the_walk(tmp_path: Path) -> None:
    paragraphs = [
        "The Atomium was restored by a firm of Brussels in the years to 2006, sheet by sheet.",
        "Its nine balls are joined by tubes, in which stairs and lifts lead up to the restaurant.",
    ]
    pages = [
        *given(*DOCUMENTS),
        {"id": "long", "title": "Who was born where", "text": "\n\n".join(paragraphs)},
    ]
    built = build(tmp_path / "index", pages, layers="sentences", chunk_tokens=20, chunk_overlap=0)
    assert len(built.catalogue.passage_ids()) > len(pages)
    walked = [id for id, _ in walk_from(built, QUESTION, 100)]
    assert [passage["id"] for passage in search(built, QUESTION, "graph", 100)] == walked


@pytest.mark.slow
def test_a_korean_question_finds_its_passages(tmp_path: Path) -> None:
    documents = [
        {"id": "1", "title": "훈민정음", "text": "훈민정음은 세종대왕이 만든 문자이다."},
        {"id": "2", "title": "세종대왕", "text": "세종대왕은 1397년 한양에서 태어났다."},
        {"id": "3", "title": "거북선", "text": "거북선은 조선의 배이다."},
        {"id": "4", "title": "김치", "text": "김치는 배추로 만든 음식이다."},
    ]
    index = build(tmp_path / "index", documents, layers="sentences")
    question = "훈민정음을 만든 세종대왕은 언제 태어났는가?"
    found = [passage["document"] for passage in search(index, question, "graph", 2)]
    assert set(found) == {"1", "2"}


def test_the_graph_is_drawn_with_every_passage_and_the_names_that_passages_share(
    index: Index,
) -> None:
    drawn = drawn_index(index)
    labels = {node.id: node.label for node in drawn.nodes}
    assert {node.text for node in drawn.nodes if node.kind == "passage"} == {
        text for _, text in DOCUMENTS.values()
    }
    joined = {(labels[edge.source], labels[edge.target].lower()) for edge in drawn.edges}
    assert ("Atomium", "andre waterkeyn") in joined
    assert ("André Waterkeyn", "andre waterkeyn") in joined


@pytest.mark.slow
def test_passages_that_share_a_title_are_drawn_by_their_first_words(tmp_path: Path) -> None:
    long = "The bridge over the river was opened by the mayor of the town on a cold morning in May."
    texts = [long, "No ship passes under it."]
    documents = [{"id": text[:3], "title": "Bridge", "text": text} for text in texts]
    documents += [{"id": "own", "title": "Ferry", "text": "The ferry goes no more."}]
    nodes = drawn_index(build(tmp_path / "index", documents, layers="sentences")).nodes
    passages = {
        node.label: node.attributes.get("title") for node in nodes if node.kind == "passage"
    }
    assert passages == {
        "The bridge over the river was opened by the mayor of the…": "Bridge",
        "No ship passes under it.": "Bridge",
        "Ferry": None,
    }
