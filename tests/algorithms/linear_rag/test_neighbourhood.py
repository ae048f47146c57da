"""The walk on the part of a graph that a question touches, against the walk on all of it."""

import random

import numpy as np
import pytest
from passage_graphs import build_graph
from ragraphs.algorithms.linear_rag.neighbourhood import Bounds, part_of, rank_near
from ragraphs.algorithms.linear_rag.passage_graph import Ints, WholeGraph, bm25, sentence_overlap
from ragraphs.algorithms.linear_rag.passage_records import passage_record, sentence_texts
from ragraphs.algorithms.linear_rag.question import read_question
from ragraphs.algorithms.linear_rag.walk import BridgingSettings, Similarities, rank, similarities
from ragraphs.algorithms.spans import spans
from ragraphs.models.lexical import LexicalEmbedder

COUNT = 240
ALL = Bounds(sample=COUNT)
FEW = Bounds(sample=12, lexical=15, named=10, wider=20, mentions=10)


class Corpus:
    """Made-up people, each of whom met a few others, with the vectors of what is said of them."""

    def __init__(self, seed: int, count: int = COUNT) -> None:
        chance = random.Random(seed)
        letters = "abdegiklmnorstuvz"
        names: dict[str, None] = {}
        while len(names) < count:
            first, last = ("".join(chance.choices(letters, k=6)).capitalize() for _ in range(2))
            names[f"{first} {last}"] = None
        self.names = list(names)
        trades = ["painter", "chemist", "composer", "baker", "sailor"]
        self.texts = [
            (
                name,
                f"{name} was a {chance.choice(trades)} of Northland. "
                f"{chance.choice(trades).capitalize()}s were taught by {chance.choice(self.names)}."
                f" In winter there came {chance.choice(self.names)}, who sold a boat.",
            )
            for name in self.names
        ]
        embed = LexicalEmbedder().embed
        self.graph = build_graph(passage_record(*text) for text in self.texts)
        self.passages = embed([f"{title}\n{text}" for title, text in self.texts])
        self.sentences = embed([one for text in self.texts for one in sentence_texts(*text)])

    def asked(self, question: str) -> tuple[np.ndarray, np.ndarray]:
        rest = read_question(self.graph, question).rest or question
        both = LexicalEmbedder().embed([question, rest])
        return both[0], both[1]

    def exact(self, question: str, allowed: np.ndarray | None = None) -> np.ndarray:
        cosines = similarities(self.passages, self.sentences, *self.asked(question))
        parts = read_question(self.graph, question)
        return rank(self.graph, parts, cosines, BridgingSettings(), allowed)

    def near(
        self, question: str, bounds: Bounds, allowed: np.ndarray | None = None
    ) -> tuple[Ints, np.ndarray]:
        vectors = self.asked(question)

        def compare(places: Ints) -> Similarities:
            rows = spans(self.graph.first_sentence[places], self.graph.sentence_counts[places])
            return similarities(self.passages[places], self.sentences[rows], *vectors)

        cosines = self.passages @ vectors[0]
        if allowed is not None:
            cosines = np.where(allowed, cosines, -2)
        nearest = np.argsort(-cosines)[:15].astype(np.int32)
        parts = read_question(self.graph, question)
        settings = BridgingSettings()
        return rank_near(self.graph, parts, nearest, compare, settings, allowed, bounds)


@pytest.fixture(scope="module", params=[0, 1, 2])
def corpus(request: pytest.FixtureRequest) -> Corpus:
    return Corpus(request.param)


def questions(corpus: Corpus) -> list[str]:
    pairs = zip(corpus.names[:40:4], corpus.names[100:], strict=False)
    return [f"What did {a} sell in winter, and who taught {b}?" for a, b in pairs]


@pytest.mark.slow
def test_where_all_is_touched_every_score_is_the_exact_one(corpus: Corpus) -> None:
    for question in questions(corpus)[:4]:
        places, scores = corpus.near(question, ALL)
        assert sorted(places) == list(range(COUNT))
        assert scores == pytest.approx(corpus.exact(question)[places], abs=1e-5)


@pytest.mark.slow
def test_the_best_passages_are_those_of_the_exact_way(corpus: Corpus) -> None:
    for question in questions(corpus):
        places, _ = corpus.near(question, FEW)
        assert len(places) < COUNT / 2
        best = np.argsort(-corpus.exact(question), kind="stable")
        assert set(places[:2]) == set(best[:2])
        assert len(set(places[:10]) & set(best[:10])) >= 7


@pytest.mark.slow
def test_every_passage_is_found_by_its_name(corpus: Corpus) -> None:
    for place in range(0, COUNT, 7):
        places, _ = corpus.near(f"Who was {corpus.names[place]}?", FEW)
        assert place in places[:3]


def test_only_what_is_allowed_is_found(corpus: Corpus) -> None:
    allowed = np.arange(COUNT) % 3 == 0
    for question in questions(corpus)[:5]:
        places, _ = corpus.near(question, FEW, allowed)
        assert len(places) and allowed[places].all()
        best = np.argsort(-corpus.exact(question, allowed), kind="stable")
        assert set(places[:2]) & set(best[:1])
        assert len(set(places[:5]) & set(best[:5])) >= 3


@pytest.mark.slow
def test_the_touched_part_does_not_grow_with_the_graph() -> None:
    sizes = []
    for count in (60, COUNT):
        corpus = Corpus(5, count)
        bounds = Bounds(4, 5, 50, 5, 2, 5, 3)
        places, _ = corpus.near(f"Who was {corpus.names[3]}?", bounds)
        sizes.append(len(places))
    assert max(sizes) <= 4 + 15 + 5 + 5 + 2 * 5


def test_a_part_scores_terms_as_the_whole_does(corpus: Corpus) -> None:
    places = np.arange(1, COUNT, 3, dtype=np.int32)
    words = ("painter", "winter", "unknownword")
    part = part_of(corpus.graph, places, words, places[:1]).graph
    assert bm25(part, words) == pytest.approx(bm25(corpus.graph, words)[places])
    rows = spans(corpus.graph.first_sentence[places], corpus.graph.sentence_counts[places])
    assert sentence_overlap(part, words) == pytest.approx(
        sentence_overlap(corpus.graph, words)[rows]
    )


def test_a_part_knows_how_many_mentions_are_elsewhere(corpus: Corpus) -> None:
    graph: WholeGraph = corpus.graph
    places = np.array([3, 9], dtype=np.int32)
    part = part_of(graph, places, (), places)
    land = int(np.searchsorted(part.entities, graph.keys.get("northland")))
    assert part.graph.away is not None and part.graph.away[land] == COUNT - 2


def test_a_part_knows_the_kinds_of_its_edges(corpus: Corpus) -> None:
    places = np.arange(1, COUNT, 3, dtype=np.int32)
    part = part_of(corpus.graph, places, (), places[:1]).graph
    assert corpus.graph.edge_kind is not None and part.edge_kind is not None
    of_places = corpus.graph.edge_kind[np.isin(corpus.graph.edge_passage, places)]
    assert part.edge_kind.tolist() == of_places.tolist()


@pytest.mark.parametrize("texts", [[("", "")], [("Aa", "Aa.")], [("서울", "서울은 도시이다.")]])
def test_a_single_passage_is_found(texts: list[tuple[str, str]]) -> None:
    graph = build_graph(passage_record(*text) for text in texts)

    def compare(places: Ints) -> Similarities:
        return Similarities(*(np.full(len(places), 0.5, dtype=np.float32) for _ in range(3)))

    none = np.zeros(0, dtype=np.int32)
    question = read_question(graph, "서울은 어디에 있는가? Aa?")
    places, scores = rank_near(graph, question, none, compare, BridgingSettings())
    assert places.tolist() == [0] and np.isfinite(scores).all()
