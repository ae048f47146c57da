import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.tog2.relevance import (
    ReadPassage,
    context_relevance,
    entity_scores,
    prune_entities,
    rank_context,
    relevance,
)
from ragraphs.language.analyser import keywords

ALPHA = 0.8


class Graph:
    """Jaws was directed by Spielberg; both are mentioned in p1, Spielberg also in p2."""

    def name_of(self, entity):
        return {"jaws": "Jaws", "spielberg": "Steven Spielberg"}[entity]

    def passages_of(self, entity):
        return {"jaws": ["p1"], "spielberg": ["p1", "p2", "p9"]}[entity]


PASSAGES = {
    "p1": ReadPassage("jaws", frozenset({"shark", "film"}), 0.6),
    "p2": ReadPassage("steven spielberg", frozenset({"born", "cincinnati"}), 0.2),
}


def test_relevance_worked_out_by_hand():
    passage = ReadPassage("jaws", frozenset({"a", "b"}), 0.5)
    # k = a, b, c; J = 2/4; SIM = (0.5 + 0.5)/2; s = (SIM + 0.7)/2
    assert relevance(passage, {"b", "c", "d"}, {"c"}, 0.7, "duel") == pytest.approx(0.6)
    assert relevance(passage, {"b", "c", "d"}, {"c"}, 0.7, "jaws") == pytest.approx(0.8)
    assert relevance(passage, {"b", "c", "d"}, frozenset(), 0.7, "duel") == pytest.approx(
        ((1 / 4 + 0.5) / 2 + 0.7) / 2
    )


def test_passages_of_topics_are_relevant_by_themselves():
    topics = [{"entity": "jaws", "steps": []}]
    found = context_relevance(Graph(), topics, PASSAGES, {"shark"}, {})
    # J = 1/2; SIM = (0.5 + 0.6)/2; r = 1; the title is the name
    assert found == [("jaws", "p1", pytest.approx((0.55 + 1) / 2 + 0.2))]


def test_a_walked_triple_and_its_best_relation_count_for_every_passage_of_its_end():
    steps = [
        {"edge": edge, "source": "jaws", "phrase": "directed by", "target": "spielberg"}
        for edge in ("r1", "r2")
    ]
    walked = [{"entity": "spielberg", "steps": steps}]
    k_q = keywords("Who directed Jaws?")
    triple = keywords("Jaws was directed by Steven Spielberg.")
    found = context_relevance(Graph(), walked, PASSAGES, k_q, {"r1": 0.3, "r2": 0.9})
    assert [(entity, id) for entity, id, _ in found] == [("spielberg", "p1"), ("spielberg", "p2")]
    for (_, id, s), titled in zip(found, (0, 0.2), strict=True):
        both = PASSAGES[id].keywords | triple
        overlap = len(both & k_q) / len(both | k_q)
        assert overlap > 0
        assert s == pytest.approx(((overlap + PASSAGES[id].cosine) / 2 + 0.9) / 2 + titled)


def test_context_is_ranked_over_the_passages_of_all_candidates():
    relevance = [("a", "p1", 0.3), ("b", "p1", 0.8), ("b", "p2", 0.5), ("c", "p3", 0.5)]
    assert rank_context(relevance, top_k=2) == [
        {"passage": "p1", "score": 0.8, "entities": ["b", "a"]},
        {"passage": "p2", "score": 0.5, "entities": ["b"]},
    ]


def test_the_weights_of_ranks_are_those_of_the_paper():
    context = rank_context([(entity, entity, 1.0) for entity in "abcd"], 4)
    scores = entity_scores(context, ALPHA)
    assert [round(scores[entity], 3) for entity in "abcd"] == [0.449, 0.202, 0.091, 0.041]


def test_entity_scores_worked_out_by_hand():
    context = rank_context([("a", "p1", 1.0), ("b", "p2", 0.5), ("a", "p3", 0.4)], 10)
    scores = entity_scores(context, ALPHA)
    assert scores["a"] == pytest.approx(1.0 * 0.44933 + 0.4 * 0.09072, abs=1e-5)
    assert scores["b"] == pytest.approx(0.5 * 0.20190, abs=1e-5)


def kept(relevance, top_k):
    return prune_entities(entity_scores(rank_context(relevance, top_k), ALPHA), width=3)


def test_one_top_passage_beats_many_low_ones():
    relevance = [("one", "p0", 1.0), *(("many", f"p{i}", 0.99) for i in range(1, 10))]
    assert kept(relevance, 10) == ["one", "many"]


def test_a_candidate_without_a_passage_in_the_top_k_is_dropped():
    relevance = [("a", "p1", 0.9), ("b", "p2", 0.8), ("c", "p3", 0.7)]
    assert kept(relevance, top_k=2) == ["a", "b"]


RELEVANCE = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("pqrstu"), st.floats(0, 1)), max_size=20
)


@given(RELEVANCE, st.integers(1, 6), st.randoms(use_true_random=False))
def test_ranking_does_not_depend_on_the_order_of_its_input(relevance, top_k, random):
    shuffled = relevance[:]
    random.shuffle(shuffled)
    context = rank_context(relevance, top_k)
    assert rank_context(shuffled, top_k) == context
    assert [c["score"] for c in context] == sorted((c["score"] for c in context), reverse=True)
    assert len({c["passage"] for c in context}) == len(context) <= top_k
    assert set(entity_scores(context, ALPHA)) == {
        entity for c in context for entity in c["entities"]
    }
