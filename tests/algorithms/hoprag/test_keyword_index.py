import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms.hoprag.keyword_index import KeywordIndex
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
