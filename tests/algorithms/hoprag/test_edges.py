import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms.hoprag import edges as hop_edges
from ragraphs.algorithms.hoprag.edges import (
    Edges,
    QuestionSet,
    best_incoming,
    merge_edges,
    within_cap,
)
from ragraphs.algorithms.hoprag.keyword_index import KeywordSets
from ragraphs.algorithms.similarity import hybrid_similarity, jaccard

A, B, C, D, E, F = range(6)


def questions(*rows):
    """A QuestionSet of rows (vertex, vector, keywords separated by spaces)."""
    return QuestionSet(
        np.array([vertex for vertex, _, _ in rows], dtype=np.int64),
        np.array([vector for _, vector, _ in rows], dtype=np.float32).reshape(len(rows), -1),
        KeywordSets.of(frozenset(words.split()) for _, _, words in rows),
    )


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
INCOMING = questions(
    (A, X, "a"),
    (B, X, "kite director"),
    (B, Y, "b"),
    (C, (0.6, 0.8, 0), "kite"),
    (D, Z, "quill born"),
    (E, Z, "born"),
)
OUTGOING = questions(
    # to 1: (2/3 + 0.8)/2 = 0.7333; to 3: (1/3 + 0.96)/2 = 0.6467; to 2: 0.3; 0 is A's own
    (A, (0.8, 0.6, 0), "kite director name"),
    # to 1: (0 + 1)/2 = 0.5; to 3: 0.3; its twin 0, with SIM 1, is A's own
    (A, X, "a"),
    # to 4: (1/2 + 1)/2 = 0.75; to 5: 0.5
    (B, Z, "quill"),
    (C, Z, "quill"),
    # to 2: (1/2 + 1)/2 = 0.75; to 3: 0.4
    (D, Y, "b c"),
    # to 0 and 1: -0.5; to 3: -0.3; to 2 and 4: 0
    (E, (-1, 0, 0), ""),
)


def test_every_out_coming_question_meets_the_best_in_coming_one_of_another_passage():
    assert best_incoming(OUTGOING, INCOMING).tolist() == [1, 1, 4, 4, 2, 2]


def test_edges_of_the_graph_worked_out_by_hand():
    edges = merge_edges(OUTGOING, INCOMING, 6)
    pairs = list(zip(edges.source.tolist(), edges.target.tolist(), strict=True))
    assert pairs == [(A, B), (B, D), (C, D), (D, B), (E, B)]
    assert edges.outgoing.tolist() == [0, 2, 3, 4, 5]
    assert edges.incoming.tolist() == [1, 4, 4, 2, 2]
    expected = [(2 / 3 + 0.8) / 2, 0.75, 0.75, 0.75, 0]
    assert edges.similarity.tolist() == pytest.approx(expected, abs=1e-6)
    assert edges.similarity.dtype == np.float32


def test_of_parallel_edges_the_best_pair_stands_for_all():
    incoming = questions((B, X, "k"), (B, Y, ""))
    outgoing = questions((A, Y, ""), (A, X, "k"), (A, (0.6, 0.8, 0), ""))
    edges = merge_edges(outgoing, incoming, 2)
    assert (edges.outgoing.tolist(), edges.incoming.tolist()) == ([1], [0])


def test_a_passage_without_questions_has_no_edges():
    edges = merge_edges(OUTGOING, INCOMING, 6)
    assert F not in {*edges.source.tolist(), *edges.target.tolist()}


def test_without_questions_of_another_passage_there_are_no_edges():
    none = np.empty(0, dtype=np.float32)
    nothing = QuestionSet(np.empty(0, dtype=np.int64), none, KeywordSets.of([]))
    assert best_incoming(questions((A, X, "a")), questions((A, X, "a"))).tolist() == [-1]
    for outgoing, incoming in [(OUTGOING, nothing), (nothing, INCOMING), (nothing, nothing)]:
        assert len(merge_edges(outgoing, incoming, 6)) == 0
    assert len(merge_edges(questions((A, X, "a")), questions((A, X, "a")), 1)) == 0


def test_equal_passages_join_each_other_and_the_lowest_number_wins_for_the_rest():
    twins = questions((C, X, "kite"), (A, X, "kite"), (B, X, "kite"))
    asking = questions((A, X, "kite"), (B, X, "kite"), (D, X, "kite"))
    assert best_incoming(asking, twins).tolist() == [0, 0, 0]
    assert best_incoming(questions((C, X, "kite")), twins).tolist() == [1]


def test_rounding_errors_do_not_break_ties():
    rng = np.random.default_rng(0)
    vector = rng.standard_normal(384)
    vector /= np.linalg.norm(vector)
    copies = [(vertex, vector * (1 + 1e-8 * vertex), "kite") for vertex in range(1, 40)]
    assert best_incoming(questions((A, vector, "kite")), questions(*copies)).tolist() == [0]


@st.composite
def question_sets(draw, most=12):
    grid = st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, -1), (0.6, 0.8, 0), (0, 0.6, 0.8)])
    words = st.lists(st.sampled_from("abcd"), max_size=4).map(" ".join)
    row = st.tuples(st.integers(0, 4), grid, words)
    return questions(*draw(st.lists(row, min_size=1, max_size=most)))


@pytest.mark.slow
@settings(deadline=None)
@given(question_sets(), question_sets(), st.sampled_from([8, 100, 10_000]))
def test_blocks_find_what_a_search_over_all_pairs_finds(outgoing, incoming, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hop_edges, "_BLOCK_BYTES", block)
        found = best_incoming(outgoing, incoming)
    for i, best in enumerate(found):
        scores = {
            j: hybrid_similarity(
                jaccard(outgoing.keywords[i], incoming.keywords[j]),
                float(outgoing.vectors[i] @ incoming.vectors[j]),
            )
            for j in range(len(incoming))
            if incoming.passages[j] != outgoing.passages[i]
        }
        top = max(scores.values(), default=None)
        expected = [j for j, score in scores.items() if score >= top - 1e-6]
        assert best == (expected[0] if expected else -1)


@settings(deadline=None)
@given(question_sets(), question_sets())
def test_edges_are_sorted_and_unique_and_account_for_every_question(outgoing, incoming):
    edges = merge_edges(outgoing, incoming, 5)
    pairs = list(zip(edges.source.tolist(), edges.target.tolist(), strict=True))
    assert all(first < second for first, second in pairwise(pairs))
    assert all(source != target for source, target in pairs)
    assert all(-0.5 <= similarity <= 1 for similarity in edges.similarity)
    asked = len({*outgoing.passages.tolist(), *incoming.passages.tolist()})
    assert len(edges) <= asked * math.log(asked)
    best = best_incoming(outgoing, incoming).tolist()
    used = [*zip(edges.outgoing.tolist(), edges.incoming.tolist(), strict=True)]
    assert all(best[i] == j for i, j in used)
    if len(edges) < math.floor(asked * math.log(asked)):
        joined = {
            (outgoing.passages[i], incoming.passages[j]) for i, j in enumerate(best) if j >= 0
        }
        assert set(pairs) == joined


def random_questions(rng, vertices, each):
    count = vertices * each
    vectors = rng.standard_normal((count, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    keywords = KeywordSets.of(
        frozenset(rng.integers(0, 40, rng.integers(0, 6)).astype(str)) for _ in vectors
    )
    return QuestionSet(np.repeat(np.arange(vertices), each), vectors, keywords)


def shuffled(rng, given, names):
    order = rng.permutation(len(given))
    taken = given.take(order)
    return replace(taken, passages=names[taken.passages]), order


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_another_numbering_gives_the_same_edges_under_other_names(seed):
    rng = np.random.default_rng(seed)
    outgoing, incoming = random_questions(rng, 8, 9), random_questions(rng, 8, 2)
    names = rng.permutation(8)
    new_outgoing, out_order = shuffled(rng, outgoing, names)
    new_incoming, in_order = shuffled(rng, incoming, names)

    def described(edges, outs, ins, name):
        # The cap may have left out others with the weakest one's SIM: numbers break that tie.
        weakest = edges.similarity.min()
        return sorted(edges.similarity.round(5)), {
            (
                name[edges.source[e]],
                name[edges.target[e]],
                outs[edges.outgoing[e]],
                ins[edges.incoming[e]],
            )
            for e in range(len(edges))
            if edges.similarity[e] > weakest + 1e-5
        }

    before = merge_edges(outgoing, incoming, 8)
    after = merge_edges(new_outgoing, new_incoming, 8)
    assert described(before, np.arange(72), np.arange(16), names) == described(
        after, out_order, in_order, np.arange(8)
    )


def edges_of(rows):
    """Edges of rows (source, target, similarity)."""
    source, target, similarity = zip(*rows, strict=True)
    numbers = np.arange(len(rows))
    return Edges(
        np.array(source, dtype=np.int64),
        np.array(target, dtype=np.int64),
        numbers,
        numbers,
        np.array(similarity, dtype=np.float32),
    )


def test_the_cap_drops_the_lowest_but_not_the_only_edge_of_a_passage():
    edges = edges_of([(A, B, 0.9), (A, C, 0.3), (B, A, 0.5), (B, C, 0.4), (D, A, 0.1)])
    assert within_cap(edges, 5, 5).tolist() == [0, 1, 2, 3, 4]
    assert within_cap(edges, 5, 4).tolist() == [0, 2, 3, 4]
    assert within_cap(edges, 5, 3).tolist() == [0, 3, 4]
    assert within_cap(edges, 5, 0).tolist() == [3, 4]


def test_of_equal_edges_the_cap_drops_the_highest_number():
    edges = edges_of([(A, B, 0.5), (B, A, 0.5), (B, C, 0.5), (C, A, 0.5)])
    assert within_cap(edges, 3, 3).tolist() == [0, 1, 2]


def test_two_passages_have_room_for_one_edge():
    both = questions((A, X, "a"), (B, (0.6, 0.8, 0), "b"))
    edges = merge_edges(both, questions((A, X, "b"), (B, X, "")), 2)
    assert (edges.source.tolist(), edges.target.tolist()) == ([B], [A])


def test_a_graph_with_more_edges_than_n_ln_n_keeps_the_best():
    rng = np.random.default_rng(1)
    vertices = range(6)
    incoming = questions(*((t, rng.standard_normal(3) / 9, f"v{t}") for t in vertices))
    asking = [(s, rng.standard_normal(3) / 9, f"v{t}") for s in vertices for t in vertices]
    edges = merge_edges(questions(*asking), incoming, 6)
    assert len(edges) == math.floor(6 * math.log(6)) == 10
    assert {*edges.source.tolist(), *edges.target.tolist()} == set(vertices)


@st.composite
def weighted_graphs(draw):
    pair = st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] != pair[1])
    pairs = sorted(draw(st.sets(pair, min_size=1, max_size=40)))
    weights = st.sampled_from([0.1, 0.2, 0.3, 0.7])
    return edges_of([(*pair, draw(weights)) for pair in pairs])


@given(weighted_graphs(), st.integers(0, 40))
def test_under_any_cap_no_passage_loses_its_only_edge_and_better_edges_stay(edges, most):
    kept = within_cap(edges, 8, most)
    ends = np.stack([edges.source, edges.target])
    assert set(ends.ravel().tolist()) == set(ends[:, kept].ravel().tolist())
    assert len(kept) <= max(most, len(set(ends.ravel().tolist())) - 1)
    assert len(kept) >= min(most, len(edges))
    degree = Counter(ends[:, kept].ravel().tolist())
    dropped = np.setdiff1d(np.arange(len(edges)), kept)
    for edge in kept if len(dropped) else []:
        needed = 1 in (degree[edges.source[edge]], degree[edges.target[edge]])
        assert needed or edges.similarity[edge] >= edges.similarity[dropped].max()
