from hypothesis import given
from hypothesis import strategies as st

from lab.benchmarks.completeness import keep_relations

IDS = st.lists(st.text(min_size=1, max_size=4), unique=True, max_size=40)


@given(IDS, st.floats(0, 1), st.floats(0, 1), st.integers(0, 3))
def test_kept_relations_are_nested_and_in_number_as_asked(ids, a, b, seed):
    small, large = sorted((a, b))
    kept = keep_relations(ids, small, seed)
    assert set(kept) <= set(keep_relations(reversed(ids), large, seed)) <= set(ids)
    assert len(kept) == round(small * len(ids))


def test_another_seed_keeps_other_relations():
    ids = [str(i) for i in range(100)]
    assert keep_relations(ids, 0.5, 0) != keep_relations(ids, 0.5, 1)
    assert keep_relations(ids, 1.0, 0) == sorted(ids)
