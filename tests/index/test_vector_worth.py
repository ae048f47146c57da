"""The worth of vectors: measured on the passages, for each script."""

from __future__ import annotations

from heapq import nsmallest
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.opening import Index, open_index
from ragraphs.index.retrieval import search
from ragraphs.index.vector_worth import _hash, measure_worth, script_of, worth_for
from ragraphs.models.lexical import LexicalEmbedder

ENGLISH = [
    f"The {animal} lives by the {place}. It eats {food} in the {season} every year."
    for animal, place, food, season in zip(
        ["heron", "badger", "salmon", "beetle", "marten", "falcon"],
        ["lake", "hedge", "river", "orchard", "forest", "cliff"],
        ["frogs", "worms", "shrimp", "leaves", "eggs", "pigeons"],
        ["spring", "summer", "autumn", "winter", "evening", "morning"],
        strict=True,
    )
]
KOREAN = [
    f"{animal}는 {place} 근처에서 오랫동안 살아 왔다. 그래서 {food} 먹이를 아주 좋아하는 편이다."
    for animal, place, food in zip(
        ["너구리", "두루미", "다람쥐", "고라니", "까투리", "도마뱀"],
        ["호수", "논밭", "참나무", "풀숲", "언덕", "바위"],
        ["물고기", "우렁이", "도토리", "새싹", "곡식", "벌레"],
        strict=True,
    )
]


class EnglishOnly(LexicalEmbedder):
    """A stand-in for a model of meaning that sees nothing in Korean."""

    semantic = True

    def __init__(self) -> None:
        self.asked = 0

    def embed(self, texts: list[str]) -> NDArray[np.float32]:  # type: ignore[override]
        self.asked += len(texts)
        return super().embed([text if script_of(text) == "LATIN" else "x" for text in texts])


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    embedder = EnglishOnly()
    monkeypatch.setattr(Index, "embedder", embedder)
    texts = [*ENGLISH, *KOREAN]
    given = {"documents": [{"id": str(n), "title": "", "text": t} for n, t in enumerate(texts)]}
    context = IndexContext(index=str(tmp_path / "index"), embeddings="lexical", layers="sentences")
    index_graph.invoke(given, context=context)
    return open_index(context)


def test_worth_is_told_apart_by_script(index: Index) -> None:
    assert worth_for(index, "What does the heron eat?") == 1
    assert worth_for(index, "두루미는 무엇을 먹습니까?") < 0.2


@pytest.mark.parametrize("few", [2, 4, 6])
def test_worth_does_not_depend_on_the_number_of_passages(index: Index, few: int) -> None:
    index.catalogue.remove_documents(
        [str(n) for n in (*range(few, len(ENGLISH)), *range(len(ENGLISH) + few, 2 * len(ENGLISH)))]
    )
    measure_worth(index)
    assert worth_for(index, "What does the heron eat?") == 1
    assert worth_for(index, "두루미는 무엇을 먹습니까?") < 0.2


def test_the_same_passages_are_measured_once(index: Index) -> None:
    assert _measured(index) == 0
    known = index.catalogue.property("vector_worth_by_rank")
    index.catalogue.set_property("vector_worth_by_rank", None)
    assert _measured(index) == 2 * len(ENGLISH) + 2 * len(KOREAN)
    assert index.catalogue.property("vector_worth_by_rank") == known


def test_only_a_script_whose_passages_changed_is_measured_anew(index: Index) -> None:
    known = index.catalogue.property("vector_worth_by_rank")
    index.catalogue.remove_documents([str(len(ENGLISH))])  # the first in Korean
    assert _measured(index) == 2 * (len(KOREAN) - 1)
    assert (
        index.catalogue.property("vector_worth_by_rank")["worth"]["LATIN"]
        == known["worth"]["LATIN"]
    )


def test_passages_that_are_not_drawn_change_nothing(index: Index, monkeypatch) -> None:
    monkeypatch.setattr("ragraphs.index.vector_worth._MOST_DRAWN", 6)
    measure_worth(index)
    drawn = set(nsmallest(6, index.catalogue.passage_ids(), key=_hash))
    other = next(
        passage for passage in index.catalogue.all_passages() if passage["id"] not in drawn
    )
    index.catalogue.remove_documents([other["document"]])
    assert _measured(index) == 0


def _measured(index: Index) -> int:
    """The number of sentences that are asked for while the worth is measured."""
    before = index.embedder.asked  # type: ignore[attr-defined]
    measure_worth(index)
    return index.embedder.asked - before  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("retriever", ["hybrid", "graph"])
def test_vectors_that_see_nothing_do_not_move_what_words_find(index: Index, retriever: str) -> None:
    for number, question in enumerate(["너구리", "두루미", "다람쥐", "고라니"]):
        found = search(index, f"{question}는 어디에서 삽니까?", retriever, 1)  # type: ignore[arg-type]
        assert found[0]["text"] == KOREAN[number]


def test_where_vectors_are_worth_nothing_hybrid_is_lexical_with_the_rest_behind(
    index: Index,
) -> None:
    question = "두루미와 다람쥐는 어디에서 오랫동안 삽니까?"
    words = [(one["id"], one["score"]) for one in search(index, question, "lexical", 20)]
    found = [(one["id"], one["score"]) for one in search(index, question, "hybrid", 20)]
    assert len(words) == len(KOREAN) and found[: len(words)] == words
    assert len(found) == len(ENGLISH) + len(KOREAN)


@pytest.mark.parametrize(("retriever", "of_all"), [("hybrid", True), ("vector", False)])
def test_beside_bm25_cosines_that_repeat_words_lift_a_document_by_all_that_is_found_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, retriever: str, of_all: bool
) -> None:
    texts = [f"# Page {n}\n\n{text * 9}\n\n# More\n\n{text * 8}" for n, text in enumerate(ENGLISH)]
    given = {"documents": [{"id": str(n), "title": "", "text": t} for n, t in enumerate(texts)]}
    context = IndexContext(index=str(tmp_path / "index"), embeddings="lexical", chunk_tokens=128)
    index_graph.invoke(given, context=context)
    index = open_index(context)
    documents = {str(n) for n in range(len(texts))}
    begun = {id: document for document, (id, _, _) in index.catalogue.beginnings(documents).items()}

    def best(lifted: str, at_beginning: bool = True) -> float:
        """The best score of document 5, where the ``lifted`` one's passages are near there."""

        def cosines(_: Index, __: object, ids: list[str]) -> dict[str, float]:
            of = {one["id"]: one["document"] for one in index.catalogue.passages(ids)}
            return {id: float(of[id] == lifted and (id in begun) == at_beginning) for id in ids}

        monkeypatch.setattr("ragraphs.index.documents.cosines_with", cosines)
        question = "What do the heron and the falcon eat every year?"
        passages = search(index, question, retriever, 20)  # type: ignore[arg-type]
        assert len(passages) > len(texts)
        return max(one["score"] for one in passages if one["document"] == "5")

    assert best("5", at_beginning=True) > best("none")
    assert (best("5", at_beginning=False) > best("none")) == of_all


class Synonyms(LexicalEmbedder):
    """A stand-in for a model of meaning, to which some words are the same."""

    semantic = True

    def embed(self, texts: list[str]) -> NDArray[np.float32]:  # type: ignore[override]
        for word, same in {
            "dog": "hound",
            "crimson": "red",
            "door": "gate",
            "dark": "night",
        }.items():
            texts = [text.replace(word, same) for text in texts]
        return super().embed(texts)


def test_of_vectors_that_tell_the_meaning_words_count_half(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(Index, "embedder", Synonyms())
    texts = [*ENGLISH, "A dog watches the crimson door in the dark.", "The red paint of the night."]
    given = {"documents": [{"id": str(n), "title": "", "text": t} for n, t in enumerate(texts)]}
    context = IndexContext(index=str(tmp_path / "index"), embeddings="lexical", layers="sentences")
    index_graph.invoke(given, context=context)
    index = open_index(context)
    assert worth_for(index, "Which?") == 1
    best, second, *_ = search(index, "Which hound watches the red gate by night?", "graph", 3)
    assert best["text"].startswith("A dog")
    assert second["text"].startswith("The red paint")
    assert second["score"] < 0.6 * best["score"]  # 0.73 where words count as much


def test_scripts_are_those_of_most_letters() -> None:
    assert [script_of(text) for text in ("TLS를 어떻게 켜나요?", "Qué hora es?", "3 + 4")] == [
        "HANGUL",
        "LATIN",
        "",
    ]
