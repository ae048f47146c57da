import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms.spans import spans


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=20))
def test_spans_are_the_numbers_of_each_run(runs: list[tuple[int, int]]) -> None:
    starts, counts = (np.array([run[at] for run in runs], dtype=np.int32) for at in (0, 1))
    assert spans(starts, counts).tolist() == [a + n for a, count in runs for n in range(count)]
