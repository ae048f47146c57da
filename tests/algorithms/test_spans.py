import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms.spans import appearing, distinct, order_of, spans


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=20))
def test_spans_are_the_numbers_of_each_run(runs: list[tuple[int, int]]) -> None:
    starts, counts = (np.array([run[at] for run in runs], dtype=np.int32) for at in (0, 1))
    assert spans(starts, counts).tolist() == [a + n for a, count in runs for n in range(count)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9)))
def test_numbers_are_told_once_in_the_order_in_which_they_appear(found: list[int]) -> None:
    order, places = appearing(np.array(found, dtype=np.int32), 10)
    assert order.tolist() == list(dict.fromkeys(found))
    wanted = [order.tolist().index(one) if one in found else -1 for one in range(10)]
    assert places.tolist() == wanted


NUMBERS = st.lists(st.integers(0, 3) | st.integers(0, 2**31 - 1) | st.sampled_from([65535, 65536]))


@settings(max_examples=60, deadline=None)
@given(NUMBERS)
def test_numbers_are_ordered_by_their_halves_and_equal_ones_stay_as_they_stand(
    found: list[int],
) -> None:
    wanted = sorted(range(len(found)), key=found.__getitem__)
    assert order_of(np.array(found, dtype=np.int64)).tolist() == wanted
    for in_runs in (False, True):
        ascending = distinct(np.array(found, dtype=np.int64), in_runs).tolist()
        assert ascending == sorted(set(found))
