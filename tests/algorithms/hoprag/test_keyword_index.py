import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms.hoprag.keyword_index import KeywordIndex, KeywordSets
from ragraphs.algorithms.similarity import jaccard

SETS = st.lists(st.frozensets(st.sampled_from("abcdef")))


@settings(deadline=None)
@given(SETS, SETS)
def test_the_pairs_that_share_a_word_are_found_with_their_jaccard(sets, others):
    places, numbers, overlaps = KeywordIndex.of(sets).overlaps(others)
    found = dict(zip(zip(places.tolist(), numbers.tolist(), strict=True), overlaps, strict=True))
    assert found == {
        (i, j): pytest.approx(jaccard(others[i], sets[j]))
        for i in range(len(others))
        for j in range(len(sets))
        if others[i] & sets[j]
    }
    assert places.tolist() == sorted(places.tolist())


@settings(deadline=None)
@given(SETS, SETS, st.data())
def test_sets_as_arrays_are_the_sets(given_sets, others, data):
    every = np.arange(len(given_sets) + len(others))
    both = KeywordSets.of(given_sets).and_then(KeywordSets.of(others), every)
    expected = [KeywordSets.of([each])[0] for each in (*given_sets, *others)]
    assert list(both) == expected
    number = st.integers(0, len(both) - 1)
    pairs = data.draw(st.lists(st.tuples(number, number))) if expected else []
    first, second = (np.array([pair[at] for pair in pairs], dtype=np.int64) for at in (0, 1))
    assert list(both.take(first)) == [expected[at] for at in first]
    unions = [sorted(expected[a] | expected[b]) for a, b in pairs]
    codes = np.array([code for union in unions for code in union], dtype=np.uint64)
    wanted = KeywordIndex.of(KeywordSets(codes, np.cumsum([0, *map(len, unions)])))
    listed = KeywordIndex.of_unions(both, first, second)
    np.testing.assert_equal(listed.to_arrays(), wanted.to_arrays())


@settings(deadline=None)
@given(SETS, SETS, st.data())
def test_lists_that_follow_a_change_are_as_made_anew(sets, others, data):
    chosen = data.draw(st.permutations(range(len(sets))))[: data.draw(st.integers(0, len(sets)))]
    sources = np.array(data.draw(st.permutations([*chosen, *[-1] * len(others)])), dtype=np.int64)
    new = iter(others)
    every = [next(new) if at < 0 else sets[at] for at in sources]
    followed = KeywordIndex.of(sets).followed(sources, KeywordIndex.of(others))
    np.testing.assert_equal(followed.to_arrays(), KeywordIndex.of(every).to_arrays())


@settings(deadline=None)
@given(SETS, st.frozensets(st.sampled_from("abcdef")))
def test_sets_without_the_words_that_are_sought_are_empty_and_others_whole(sets, words):
    among = KeywordSets.of([words])
    taken = KeywordSets.of(sets).take(np.arange(len(sets)), among.codes)
    for found, each in zip(taken, KeywordSets.of(sets), strict=True):
        assert found == each if each & among[0] else found in (each, frozenset())
