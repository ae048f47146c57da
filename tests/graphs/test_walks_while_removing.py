"""Walks answer while a run that removes or adds documents has not made the layers anew."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from ragraphs.graphs import graph_of
from ragraphs.index import rebuilding, sentences
from ragraphs.index.opening import Index, open_index
from ragraphs.nodes.tog2 import walk
from ragraphs.state.errors import IncompleteIndexError, UnexpectedError
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.communities import CommunityStore
from ragraphs.stores.pieces import NewDocument, Piece

TEXTS = {
    "forth": "The Forth Bridge was designed by John Fowler. It stands in Scotland.",
    "fowler": "John Fowler was born in Sheffield. John Fowler met Benjamin Baker in London.",
}
PIECES = [
    Piece(0, 41, "The Tay Bridge was designed by Tom Bouch."),
    Piece(41, 80, "John Fowler crossed that bridge in 1878."),
]
DOCUMENTS = [{"id": id, "title": id.title(), "text": text} for id, text in TEXTS.items()]


@pytest.fixture
def built(indexing: Any) -> Any:
    indexing.run(documents=DOCUMENTS, context={"layers": ["entities", "hops"]})
    return indexing


def asked(indexing: Any, method: Any, **settings: Any) -> Any:
    indexing.index.kept.clear()  # as another process sees it
    return asked_again(indexing, method, **settings)


def asked_again(indexing: Any, method: Any, **settings: Any) -> Any:
    graph, context = graph_of(method)
    question = {"question": "Who designed the bridge, and where was John Fowler born?"}
    return graph.invoke(question, context=context(index=indexing.name, **settings))


def passages_of(indexing: Any, name: str) -> list[str]:
    found = indexing.index.catalogue.all_passages()
    return [one["id"] for one in found if one["document"] == name]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tog2", "hoprag"])
def test_documents_that_a_killed_run_has_removed_take_no_answer_from_the_others(built, method):
    index, gone = built.index, passages_of(built, "fowler")
    for remove in (
        lambda: index.catalogue.remove_documents(["fowler"]),
        lambda: index.vectors.remove("passages", gone),
    ):
        remove()
        assert [one["text"] for one in asked(built, method)["evidence"]] == [TEXTS["forth"]]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tog2", "hoprag"])
def test_a_passage_that_is_there_again_without_its_vector_takes_no_answer(built, method):
    built.index.vectors.remove("passages", passages_of(built, "fowler"))
    assert TEXTS["forth"] in [one["text"] for one in asked(built, method)["evidence"]]


def test_an_index_without_any_vector_says_so(built):
    index = open_index(built.name)
    index.vectors.remove("passages", sorted(index.vectors.ids("passages")))
    with pytest.raises(IncompleteIndexError):
        asked(built, "tog2")


def test_a_document_that_goes_between_two_reads_takes_no_answer(indexing, monkeypatch):
    stood = {id: f"{text} {'It stood there for years. ' * 8}" for id, text in TEXTS.items()}
    documents = [{"id": id, "title": id.title(), "text": text} for id, text in stood.items()]
    indexing.run(documents=documents, context={"chunk_tokens": 20})
    read = Catalogue.beginnings

    def late(self: Catalogue, documents: Any) -> Any:
        self.remove_documents(["fowler"])
        return read(self, documents)

    monkeypatch.setattr(Catalogue, "beginnings", late)
    found = {one["document"] for one in asked(indexing, "basic")["evidence"]}
    assert found == {"forth"}


def test_a_passage_that_went_and_is_there_again_without_vectors_takes_no_answer(indexing):
    indexing.run(documents=DOCUMENTS, context={"layers": ["sentences"]})
    index, text = indexing.index, TEXTS["fowler"]
    known = index.catalogue.passage_ids()
    index.catalogue.remove_documents(["fowler"])
    again = NewDocument("fowler", "fowler", "Fowler", "hash", [Piece(0, len(text), text)])
    index.catalogue.write_documents([again])
    assert index.catalogue.passage_ids() == known
    assert TEXTS["forth"] in [one["text"] for one in asked(indexing, "basic")["evidence"]]


def test_a_repair_of_other_documents_that_is_killed_takes_no_answer(indexing, monkeypatch):
    indexing.run(documents=DOCUMENTS, context={"layers": ["sentences"]})
    new = [{"id": "tay", "title": "Tay", "text": "The Tay Bridge fell in 1879. It was long."}]
    with monkeypatch.context() as patch:
        patch.setattr(rebuilding, "finish", lambda index: 1 / 0)
        with pytest.raises(UnexpectedError):
            indexing.run(documents=new, context={"repair": True})
    assert TEXTS["forth"] in [one["text"] for one in asked(indexing, "basic")["evidence"]]
    indexing.run()
    indexing.assert_whole()


@pytest.mark.parametrize("is_back", [False, True])
def test_a_run_that_ends_between_two_reads_takes_no_answer(indexing, monkeypatch, is_back):
    indexing.run(documents=DOCUMENTS, context={"layers": ["sentences"]})
    read = sentences.passage_vectors
    indexing.index.catalogue.remove_documents(["fowler"])

    def late(index: Index, ids: Any) -> Any:
        try:
            return read(index, ids)
        except IncompleteIndexError:
            indexing.run(documents=DOCUMENTS if is_back else DOCUMENTS[:1])
            raise

    monkeypatch.setattr(sentences, "passage_vectors", late)
    assert TEXTS["forth"] in [one["text"] for one in asked(indexing, "basic")["evidence"]]


def test_vectors_that_were_lacking_are_read_once_they_are_there(indexing, monkeypatch):
    indexing.run(documents=DOCUMENTS, context={"layers": ["sentences"]})
    seen = []

    def late(index: Index) -> None:
        seen.append(sentences.load_graph(open_index(indexing.name)).passages.any(axis=1).all())
        return finish(index)

    finish = rebuilding.finish
    monkeypatch.setattr(rebuilding, "finish", late)
    new = {"id": "fowler", "title": "Fowler", "text": "John Fowler died in Bournemouth in 1898."}
    indexing.run(documents=[new], context={"repair": True})
    seen.append(sentences.load_graph(indexing.index).passages.any(axis=1).all())
    assert seen == [False, True]


@pytest.mark.parametrize("layer, method", [("sentences", "basic"), ("entities", "tog2")])
def test_the_only_document_is_found_in_the_middle_of_its_change(indexing, layer, method):
    indexing.run(documents=DOCUMENTS[:1], context={"layers": [layer]})
    index = indexing.index
    index.catalogue.remove_documents(["forth"])
    index.catalogue.write_documents([NewDocument("tay", "tay", "Tay", "hash", PIECES)])
    index.vectors.remove("passages", sorted(index.vectors.ids("passages")))
    found = {one["text"] for one in asked(indexing, method)["evidence"]}
    assert found == {one.text for one in PIECES}


@pytest.mark.parametrize("retriever", ["graph", "vector", "hybrid"])
def test_what_a_killed_run_has_removed_takes_no_place_of_the_others(indexing, retriever):
    indexing.run(documents=DOCUMENTS, context={"layers": ["sentences"]})
    first = asked(indexing, "basic", retriever=retriever)["evidence"][0]["document"]
    indexing.index.catalogue.remove_documents([first])
    [found] = asked_again(indexing, "basic", retriever=retriever, top_k=1)["evidence"]
    assert found["document"] != first


def test_documents_that_all_changed_are_found_before_the_walk_is_made_anew(indexing):
    indexing.run(documents=DOCUMENTS, context={"layers": ["sentences"]})
    assert asked(indexing, "basic")["evidence"]
    index = indexing.index
    index.catalogue.remove_documents([one["id"] for one in DOCUMENTS])
    index.catalogue.write_documents([NewDocument("tay", "tay", "Tay", "hash", PIECES)])
    found = {one["text"] for one in asked_again(indexing, "basic")["evidence"]}
    assert found == {one.text for one in PIECES}


@pytest.mark.slow
@pytest.mark.parametrize("at", [2, 3])
def test_entities_that_a_run_removes_during_a_walk_take_no_answer(built, monkeypatch, at):
    read, reads = walk.read_entities, count(1)

    def late(*given: Any, **chosen: Any) -> Any:
        if next(reads) == at:
            built.run(remove=["fowler"])
        return read(*given, **chosen)

    monkeypatch.setattr(walk, "read_entities", late)
    assert TEXTS["forth"] in [one["text"] for one in asked(built, "tog2")["evidence"]]
    assert next(reads) > at


def test_reports_that_a_run_replaces_between_two_reads_take_no_answer(indexing, monkeypatch):
    indexing.run(documents=DOCUMENTS, context={"layers": ["communities"]})
    read, seen = CommunityStore.communities_of, []

    def late(self: CommunityStore, entities: Any) -> Any:
        seen.extend(found := read(self, entities))
        self.replace([])
        return found

    monkeypatch.setattr(CommunityStore, "communities_of", late)
    assert asked(indexing, "graphrag", search="local")["evidence"] and seen
