from dataclasses import replace

import numpy as np
import pytest
from passage_graphs import build_graph
from ragraphs.algorithms.linear_rag.completing import completed
from ragraphs.algorithms.linear_rag.passage_graph import WholeGraph
from ragraphs.algorithms.linear_rag.passage_records import passage_record
from ragraphs.algorithms.linear_rag.question import read_question
from ragraphs.algorithms.linear_rag.walk import BridgingSettings, Similarities, rank
from ragraphs.language.analyser import terms

TEXTS = [
    ("Grey Anchor", "Grey Anchor is a rock band from Lisbon."),
    ("Tin Lanterns", "Tin Lanterns is a rock band from Lisbon. It released a live album."),
    ("Night Ferry", "Night Ferry is a collection of rare tracks. Grey Anchor recorded it."),
    ("Low Tide", "Low Tide is a collection of rare tracks by Grey Anchor."),
    ("Bakery", "A bakery in Porto has a collection of rare tracks."),
    ("Bread", "Bread is baked from flour."),
    ("Glass", "Glass is made of sand."),
]
BAND, OTHER, FERRY, TIDE, BAKERY = range(5)
ASKED = "Which rock band from Lisbon released a collection of rare tracks?"
QUESTION = terms(ASKED)


@pytest.fixture(scope="module")
def graph() -> WholeGraph:
    return build_graph([passage_record(title, text) for title, text in TEXTS])


def raised(graph: WholeGraph, **scores: float) -> list[int]:
    """The passages that are raised where the walk ended with ``scores``, the most raised first."""
    before = np.zeros(graph.passages, dtype=np.float32)
    for name, score in scores.items():
        before[globals()[name]] = score
    nothing = np.zeros(graph.sentences, dtype=np.float32)
    gain = completed(graph, QUESTION, before, graph.rarity, nothing) - before
    assert gain.min() >= 0
    return [place for place in np.argsort(-gain, kind="stable").tolist() if gain[place] > 0]


def test_texts_that_share_a_name_and_complete_each_other_are_raised(graph: WholeGraph) -> None:
    assert raised(graph, BAND=1.0, OTHER=0.9, TIDE=0.1, BAKERY=0.1) == [TIDE, BAND]


def test_what_is_asked_must_stand_in_the_sentence_that_names(graph: WholeGraph) -> None:
    assert FERRY not in raised(graph, BAND=1.0, OTHER=0.9, TIDE=0.1, FERRY=0.1)


def test_where_no_walk_arrives_nothing_is_raised(graph: WholeGraph) -> None:
    assert raised(graph, BAND=1.0) == []
    assert raised(graph) == []


def test_the_page_of_a_name_is_raised_by_any_of_its_sentences() -> None:
    texts = [("Ada", "Ada left Orion."), ("Orion", "It is a studio. The founder of it was Bo.")]
    filler = [(f"Page {n}", f"Something about {n} things.") for n in "abcde"]
    graph = build_graph([passage_record(*text) for text in [*texts, *filler]])
    before = np.array([1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], dtype=np.float32)
    nothing = np.zeros(graph.sentences, dtype=np.float32)
    gain = completed(graph, terms("Who was the founder?"), before, graph.rarity, nothing) - before
    assert np.flatnonzero(gain > 1e-6).tolist() == [1]


def test_the_page_of_a_name_is_raised_by_the_sentence_that_leads_to_it() -> None:
    texts = [("Ada", "Ada met Bo Ek. Ada left Cy Al."), ("Bo Ek", "Tall."), ("Cy Al", "Wide.")]
    filler = [(f"Page {n}", f"Something about {n} things.") for n in "abcde"]
    mention = ("Boats", "Boats were sold to Bo Ek.")
    graph = build_graph([passage_record(*text) for text in [*texts, mention, *filler]])
    before = np.array([1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], dtype=np.float32)
    relevance = np.array([0.8, 0.4, *[1] * (graph.sentences - 2)], dtype=np.float32)
    alike = np.ones(graph.entities, dtype=np.float32)
    gain = completed(graph, terms("xyzzy?"), before, alike, relevance) - before
    assert np.flatnonzero(gain > 1e-6).tolist() == [1, 2]  # no page that only mentions Bo Ek
    assert gain[1] == pytest.approx(4 * gain[2])  # by the square


def test_the_best_passage_stays_the_best(graph: WholeGraph) -> None:
    before = np.zeros(graph.passages, dtype=np.float32)
    before[[BAND, TIDE]] = 1.0, 0.9
    nothing = np.zeros(graph.sentences, dtype=np.float32)
    after = completed(
        graph, terms("Which collection of rare tracks?"), before, graph.rarity, nothing
    )
    assert after[TIDE] > 1 - 1e-6
    assert np.argsort(-after, kind="stable")[:2].tolist() == [BAND, TIDE]


def test_names_that_carry_nothing_join_nothing(graph: WholeGraph) -> None:
    before = np.linspace(1, 0.1, graph.passages).astype(np.float32)
    nothing = np.zeros(graph.entities, dtype=np.float32)
    relevance = np.ones(graph.sentences, dtype=np.float32)
    assert np.array_equal(completed(graph, QUESTION, before, nothing, relevance), before)


def test_a_walk_ends_with_it(graph: WholeGraph) -> None:
    alike = np.full(graph.sentences, 0.1, dtype=np.float32)
    cosines = Similarities(np.full(graph.passages, 0.1, dtype=np.float32), alike, alike)
    parts, settings = read_question(graph, ASKED), BridgingSettings()
    scores = rank(graph, parts, cosines, settings)
    before = rank(graph, parts, cosines, replace(settings, completes=False))
    assert scores[TIDE] > before[TIDE] > 0 and scores[BAKERY] == before[BAKERY]
