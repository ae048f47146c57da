"""Edges by candidates are the edges by comparison with all, whatever the questions are like."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms.hoprag import candidates as hop_candidates
from ragraphs.algorithms.hoprag.candidates import AskedOften, Candidates
from ragraphs.algorithms.hoprag.edges import Pairs, QuestionSet, best_incoming, joined, merge_edges
from ragraphs.algorithms.hoprag.keyword_index import KeywordIndex, KeywordSets
from ragraphs.algorithms.hoprag.neighbours import MeaningNeighbours, WordNeighbours
from ragraphs.language.analyser import keywords
from ragraphs.models.lexical import LexicalEmbedder


def numbered(rows):
    """Rows (passage, text) as questions, with their distinct texts in the order of asking."""
    texts = list(dict.fromkeys(text for _, text in rows))
    passages = np.array([passage for passage, _ in rows], dtype=np.int64)
    numbers = np.array([texts.index(text) for _, text in rows], dtype=np.int64)
    return AskedOften(passages, numbers, len(texts)), texts


def by_candidates(outgoing, incoming, words, vectors, semantic=False):
    """The pairs of ``Candidates``, texts being looked up in ``words`` and ``vectors``."""
    outs, out_texts = numbered(outgoing)
    ins, in_texts = numbered(incoming)
    batch = [np.stack([vectors[text] for text in in_texts])] if in_texts else []
    if semantic:
        near = MeaningNeighbours.of(batch, len(in_texts), lambda _, *form: np.empty(*form))
    else:
        near = WordNeighbours.of(batch)
    index = KeywordIndex.of(words[text] for text in in_texts)
    halves = [half for half in (out_texts[::2], out_texts[1::2]) if half]
    outs = AskedOften(outs.passages, order_of(out_texts, halves)[outs.texts], outs.count)
    read = ((np.stack([vectors[t] for t in half]), [words[t] for t in half]) for half in halves)
    return Candidates(ins, index, near).best(outs, read)


def order_of(texts, halves):
    ordered = [text for half in halves for text in half]
    return np.array([ordered.index(text) for text in texts], dtype=np.int64)


def question_set(rows, words, vectors):
    return QuestionSet(
        np.array([passage for passage, _ in rows], dtype=np.int64),
        np.stack([vectors[text] for _, text in rows]),
        KeywordSets.of(words[text] for _, text in rows),
    )


def best_of(pairs, count):
    best = np.full(count, -1)
    best[pairs.outgoing] = pairs.incoming
    return best.tolist()


GRID = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.8, 0), (0, 0.6, 0.8), (-1, 0, 0)]
ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=1, max_size=12)


@pytest.mark.slow
@settings(deadline=None)
@given(
    ROWS.map(sorted),
    ROWS.map(sorted),
    st.lists(st.sampled_from(GRID), min_size=10, max_size=10),
    st.lists(st.frozensets(st.sampled_from("abcd"), min_size=1), min_size=10, max_size=10),
)
def test_the_best_of_all_is_found_where_each_pair_is_a_candidate(outgoing, incoming, grid, words):
    vectors = np.array(grid, dtype=np.float32)
    pairs = by_candidates(outgoing, incoming, words, vectors, semantic=True)
    sets = question_set(outgoing, words, vectors), question_set(incoming, words, vectors)
    found, wanted = best_of(pairs, len(outgoing)), best_incoming(*sets).tolist()
    for (_, asked), one, other in zip(outgoing, found, wanted, strict=True):
        if one != other:
            assert min(one, other) >= 0
            parts, best = (similarity(asked, incoming[n][1], words, vectors) for n in (one, other))
            # Vectors of half precision tell no closer sums apart; of equal parts the first wins.
            assert parts != best and sum(parts) == pytest.approx(sum(best), abs=1e-3)


def similarity(asked, text, words, vectors):
    """The Jaccard index of the words of two texts, and the cosine of their vectors."""
    shared, all_words = words[asked] & words[text], words[asked] | words[text]
    return len(shared) / len(all_words), float(vectors[asked] @ vectors[text])


def made_up(seed, passages):
    """Questions as passages ask them: some ask the same, some share a word, some only letters."""
    rng = np.random.default_rng(seed)
    names = ["".join(rng.choice(list("abcdefghijklmnop"), 9)).title() for _ in range(passages)]
    forms = ["Who is {}?", "Where did {} live in {}?", "Was {} a bridge on the river {}?"]
    asked = {"in": [], "out": []}
    for passage, name in enumerate(names):
        other, near = rng.choice(names, 2)
        asked["in"] += [(passage, form.format(name, other)) for form in forms]
        asked["out"] += [(passage, f"Who is {other}?"), (passage, f"Who is {near}s?")]
    texts = sorted({text for rows in asked.values() for _, text in rows})
    vectors = dict(zip(texts, LexicalEmbedder().embed(texts), strict=True))
    return asked["out"], asked["in"], {text: keywords(text) for text in texts}, vectors


@pytest.mark.slow
@pytest.mark.parametrize("semantic", [False, True])
def test_edges_of_made_up_questions_are_as_good_as_after_a_comparison_with_all(semantic):
    outgoing, incoming, words, vectors = made_up(0, 300)
    sets = question_set(outgoing, words, vectors), question_set(incoming, words, vectors)
    exact = merge_edges(*sets, 300)
    pairs = by_candidates(outgoing, incoming, words, vectors, semantic)
    edges = joined(pairs, sets[0].passages, sets[1].passages, 300)
    found, wanted = similarities(edges), similarities(exact)
    same = found.keys() & wanted.keys()
    # Names that share nothing are near to none: which of them is the nearest, rounding decides.
    assert len(same) >= 0.96 * len(wanted)
    assert sum(found.values()) >= 0.9998 * sum(wanted.values())
    precision = 1e-3 if semantic else 2e-6
    for ends in same:
        assert found[ends] == pytest.approx(wanted[ends], abs=precision)


def similarities(edges):
    ends = zip(edges.source.tolist(), edges.target.tolist(), strict=True)
    return dict(zip(ends, edges.similarity.tolist(), strict=True))


def test_a_question_reads_no_more_of_the_lists_of_common_words_than_its_budget(monkeypatch):
    monkeypatch.setattr(hop_candidates, "BUDGET", 3)
    read = []
    overlaps = KeywordIndex.overlaps

    def noted(self, *given):
        found = overlaps(self, *given)
        read.append(len(found[0]))
        return found

    monkeypatch.setattr(KeywordIndex, "overlaps", noted)
    incoming = [(passage, f"common {passage}") for passage in range(50)] + [(50, "common rare")]
    words = {text: frozenset(text.split()) for _, text in incoming} | {"asked": {"common", "rare"}}
    vectors = {text: np.array([1, 0], dtype=np.float32) for text in words}
    pairs = by_candidates([(51, "asked")], incoming, words, vectors)
    assert read == [3]
    assert pairs.incoming.tolist() == [50]


def test_without_in_coming_questions_there_are_no_pairs():
    pairs = by_candidates([(0, "a")], [], {"a": {"a"}}, {"a": np.ones(2, dtype=np.float32)})
    assert isinstance(pairs, Pairs) and len(pairs.outgoing) == 0
