import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.hoprag.edge_index import EdgeIndex, ranked
from ragraphs.algorithms.hoprag.edges import Edges, QuestionSet
from ragraphs.algorithms.hoprag.keyword_index import KeywordIndex, KeywordSets
from ragraphs.algorithms.hoprag.walk import (
    advance,
    choose,
    choose_by_similarity,
    helpfulness,
    importance,
    prune,
    start,
)
from ragraphs.algorithms.similarity import hybrid_similarity, jaccard

NAMES = "ABCDEF"
X, Y, Z = np.eye(3, dtype=np.float32)


def question_set(*rows):
    passages, vectors, keywords = zip(*rows, strict=True)
    return QuestionSet(
        np.array([NAMES.index(name) for name in passages]),
        np.stack(vectors),
        KeywordSets.of(frozenset(words.split()) for words in keywords),
    )


INCOMING = question_set(("B", Y, "b"), ("B", X, "kite director"), ("D", Z, "quill born"))
OUTGOING = question_set(
    ("A", X, "kite director name"), ("B", Z, "quill"), ("C", Z, ""), ("D", Y, "b c"), ("E", X, "")
)
EDGES = Edges(  # A → B, B → D, C → D, D → B, E → B; F is isolated
    np.array([0, 1, 2, 3, 4]),
    np.array([1, 3, 3, 1, 1]),
    np.arange(5),
    np.array([1, 2, 2, 0, 0]),
    np.zeros(5, dtype=np.float32),
)
INDEX = EdgeIndex(
    EDGES.source,
    EDGES.target,
    EDGES.incoming,
    INCOMING.vectors,
    KeywordIndex.of_unions(
        INCOMING.keywords.and_then(OUTGOING.keywords, np.arange(len(INCOMING) + len(OUTGOING))),
        EDGES.incoming,
        len(INCOMING) + EDGES.outgoing,
    ),
)
K_Q, V_Q = {"kite", "director", "born"}, np.array([0.8, 0, 0.6], dtype=np.float32)


def test_similarity_of_every_edge_to_the_question_worked_out_by_hand():
    expected = [
        (2 / 4 + 0.8) / 2,  # k⁻ ∪ k⁺ = kite, director, name; v⁻ = x
        (1 / 4 + 0.6) / 2,  # quill, born; z
        (1 / 4 + 0.6) / 2,
        0,  # b, c; y
        0,
    ]
    assert INDEX.compared(K_Q, V_Q)[1].tolist() == pytest.approx(expected)


def test_top_edges_are_the_most_similar_and_ties_go_by_number():
    similarities = INDEX.compared(K_Q, V_Q)[1]
    assert ranked(np.arange(5), similarities).tolist() == [0, 1, 2, 3, 4]
    assert ranked(np.array([1, 3, 4]), np.array([0.1, 0.3, 0.3])).tolist() == [3, 4, 1]


def test_out_edges_leave_their_passage_and_an_isolated_one_has_none():
    assert [list(INDEX.out_edges(vertex)) for vertex in range(6)] == [[0], [1], [2], [3], [4], []]


def test_an_index_without_edges_finds_nothing():
    none = np.empty(0, dtype=np.int64)
    index = EdgeIndex(none, none, none, np.empty((0, 3), dtype=np.float32), KeywordIndex.of([]))
    edges, similarities = index.compared(K_Q, V_Q)
    assert len(index) == len(edges) == len(similarities) == 0
    assert list(index.out_edges(0)) == []


def test_two_top_edges_to_one_passage_count_twice():
    assert start(["B", "D", "D"]) == ({"B": 1, "D": 2}, ["B", "D"])


def test_a_walk_without_a_model_expands_every_passage_once_and_counts_every_arrival():
    similarities = INDEX.compared(K_Q, V_Q)[1]

    def hops(frontier):
        offered = {name: INDEX.out_edges(NAMES.index(name)) for name in frontier}
        chosen = {
            name: choose_by_similarity({edge: float(similarities[edge]) for edge in edges})
            for name, edges in offered.items()
        }
        return {name: NAMES[INDEX.target[edge]] for name, edge in chosen.items()}

    begun = start([NAMES[INDEX.target[edge]] for edge in ranked(np.arange(5), similarities)[:1]])
    assert begun == ({"B": 1}, ["B"])
    assert hops(["B"]) == {"B": "D"}
    found = advance(*begun, hops(["B"]), 3)
    assert found == ({"B": 1, "D": 1}, ["D"])
    assert hops(["D"]) == {"D": "B"}
    assert advance(*found, hops(["D"]), 3) == ({"B": 2, "D": 1}, [])


def test_necessary_edges_go_before_indirect_ones_and_irrelevant_ones_are_not_followed():
    similarities = {3: 0.9, 4: 0.2, 5: 0.3, 6: 0.95}
    labels = {3: "indirect", 4: "necessary", 5: "necessary", 6: "irrelevant"}
    assert choose(labels, similarities) == 5
    assert choose({3: "indirect", 4: "indirect"}, similarities) == 3
    assert choose({6: "irrelevant"}, similarities) is None
    assert choose({}, similarities) is None
    assert choose({}, {}) is None


def test_equal_edges_go_by_similarity_then_by_number():
    labels = {9: "necessary", 7: "necessary", 8: "necessary"}
    assert choose(labels, {9: 0.5, 7: 0.4, 8: 0.5}) == 8
    assert choose_by_similarity({9: 0.5, 7: 0.4, 8: 0.5}) == 8
    assert choose_by_similarity({}) is None


def test_a_label_for_an_edge_that_does_not_leave_the_passage_is_ignored():
    assert choose({99: "necessary", 1: "indirect"}, {1: 0.1}) == 1


def test_a_new_passage_joins_the_frontier_once_and_a_known_one_only_counts():
    chosen = {"A": "C", "B": "C", "C": "A", "X": "Y"}
    counts, frontier = advance({"A": 1, "B": 1}, ["A", "B"], chosen, 10)
    assert (counts, frontier) == ({"A": 1, "B": 1, "C": 2}, ["C"])
    assert advance(counts, frontier, chosen, 10) == ({"A": 2, "B": 1, "C": 2}, [])


def test_the_frontier_keeps_its_order_whatever_the_order_of_the_replies():
    late = {"B": "E", "A": "D"}
    assert advance({"A": 1, "B": 1}, ["A", "B"], late, 10)[1] == ["D", "E"]


def test_passages_without_a_choice_hop_nowhere():
    assert advance({"A": 1, "B": 2}, ["A", "B"], {"A": None}, 10) == ({"A": 1, "B": 2}, [])


def test_at_the_limit_no_passage_is_added_but_known_ones_still_count():
    assert advance({"A": 1, "B": 1}, ["A", "B"], {"A": "C", "B": "A"}, 2) == ({"A": 2, "B": 1}, [])


def test_a_round_leaves_the_state_it_was_given_alone():
    counts, frontier = {"A": 1}, ["A"]
    advance(counts, frontier, {"A": "B"}, 5)
    assert (counts, frontier) == ({"A": 1}, ["A"])


def test_importance_helpfulness_and_order_worked_out_by_hand():
    counts, similarities = {"B": 2, "D": 1}, {"B": 0.3, "D": 0.7}
    shares = importance(counts)
    assert shares == pytest.approx({"B": 2 / 3, "D": 1 / 3})
    scores = helpfulness(similarities, shares)
    assert scores == pytest.approx({"B": (0.3 + 2 / 3) / 2, "D": (0.7 + 1 / 3) / 2})
    assert [passage for passage, _ in prune(scores, 20)] == ["D", "B"]


def test_pruning_keeps_the_best_and_ties_go_by_id():
    assert prune({"d": 0.5, "a": 0.2, "c": 0.5, "b": 0.9}, 3) == [
        ("b", 0.9),
        ("c", 0.5),
        ("d", 0.5),
    ]
    assert prune({}, 3) == []


def test_importance_of_nothing_is_nothing():
    assert importance({}) == {}


WORDS = st.frozensets(st.sampled_from("abcdef"))
VECTORS = (
    st.lists(st.integers(-9, 9), min_size=3, max_size=3)
    .filter(any)
    .map(lambda v: (np.array(v) / np.linalg.norm(v)).astype(np.float32))
)


def similarities(keywords, vector, sets, vectors):
    """SIM of a question to one edge for each of ``sets``."""
    ends = np.arange(len(sets))
    index = EdgeIndex(ends, ends, ends, vectors, KeywordIndex.of(sets))
    compared, similarities = index.compared(keywords, vector)
    assert compared.tolist() == ends.tolist()
    assert index.similarity(keywords, vector, ends) == pytest.approx(similarities, abs=1e-6)
    return similarities


@given(st.lists(st.tuples(WORDS, VECTORS), min_size=1, max_size=8), WORDS, VECTORS)
def test_similarity_is_eq_1_for_every_edge_and_stays_in_bounds(edges, keywords, vector):
    sets, vectors = [words for words, _ in edges], np.stack([v for _, v in edges])
    found = similarities(keywords, vector, sets, vectors)
    assert found.dtype == np.float32
    assert ((found >= -0.5) & (found <= 1)).all()
    for value, words, v in zip(found, sets, vectors, strict=True):
        assert value == pytest.approx(
            hybrid_similarity(jaccard(words, keywords), float(v @ vector)), abs=1e-6
        )


@given(WORDS, VECTORS, WORDS, VECTORS)
def test_similarity_is_symmetric(k_a, v_a, k_b, v_b):
    forth = similarities(k_a, v_a, [k_b], v_b[None])
    back = similarities(k_b, v_b, [k_a], v_a[None])
    assert forth == pytest.approx(back, abs=1e-6)


COUNTS = st.dictionaries(st.text(max_size=2), st.integers(1, 50), min_size=1)


@given(COUNTS)
def test_importance_sums_to_one(counts):
    shares = importance(counts)
    assert sum(shares.values()) == pytest.approx(1)
    ordered = sorted(counts, key=counts.__getitem__)
    assert ordered == sorted(ordered, key=shares.__getitem__)


SIMS = st.tuples(*[st.floats(-0.5, 1)] * 2).map(sorted)
SHARES = st.tuples(*[st.floats(0, 1)] * 2).map(sorted)


@given(SIMS, SHARES)
def test_helpfulness_rises_with_similarity_and_importance(sims, shares):
    (sim, other_sim), (imp, other_imp) = sims, shares
    scores = helpfulness({"a": sim, "b": other_sim}, {"a": imp, "b": other_imp})
    assert -0.25 <= scores["a"] <= scores["b"] <= 1
    assert scores["a"] < scores["b"] or max(other_sim - sim, other_imp - imp) < 1e-9


@given(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=5),
    st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=6),
    st.integers(0, 8),
)
def test_walks_expand_each_passage_once_keep_the_limit_and_count_arrivals(targets, rounds, room):
    counts, frontier = start(targets)
    limit = len(counts) + room
    expanded, arrivals = [], Counter(targets)
    for chosen in rounds:
        expanded += frontier
        arrivals.update(chosen[passage] for passage in frontier if passage in chosen)
        state = json.loads(json.dumps({"counts": counts, "frontier": frontier}))
        counts, frontier = advance(state["counts"], state["frontier"], chosen, limit)
    assert len(expanded) == len(set(expanded))
    assert not set(frontier) & set(expanded)
    assert len(counts) <= limit
    assert len(counts) <= (len(rounds) + 1) * len(targets)
    if len(counts) < limit:
        assert counts == arrivals
    assert all(counts[passage] <= arrivals[passage] for passage in counts)
