import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ragraphs.algorithms.linear_rag.passage_graph import Floats
from ragraphs.algorithms.linear_rag.sharing import shared_out

FALLING = np.array([10, 9, 8, 4, 3, 2, 1], dtype=np.float32)


def floats(*values: float) -> Floats:
    return np.array(values, dtype=np.float32)


def order(scores: Floats) -> list[int]:
    return np.argsort(-scores, kind="stable").tolist()


def test_the_second_name_gets_a_place_after_three() -> None:
    first, second = floats(1, 0, 1, 1, 1, 0, 0), floats(0, 1, 0, 0, 0, 1, 1)
    assert order(shared_out(FALLING, [first, second])) == [0, 1, 2, 5, 3, 4, 6]


def test_the_three_best_keep_their_places() -> None:
    first, second = floats(1, 1, 1, 1, 0, 0, 0), floats(0, 0, 0, 0, 0, 0, 1)
    found = order(shared_out(FALLING, [first, second]))
    assert found[:3] == [0, 1, 2]
    assert found.index(6) < found.index(3)


def test_passages_of_which_both_names_have_as_much_stay_in_order() -> None:
    alike = np.ones(7, dtype=np.float32)
    assert order(shared_out(FALLING, [alike, alike])) == list(range(7))
    assert order(shared_out(FALLING, [np.zeros(7, np.float32)] * 2)) == list(range(7))


@pytest.mark.parametrize("names", [0, 1])
def test_without_two_names_nothing_changes(names: int) -> None:
    assert shared_out(FALLING, [FALLING[::-1]] * names) is FALLING


shares = st.integers(1, 40).flatmap(
    lambda size: st.lists(
        arrays(np.float32, size, elements=st.floats(0, 1, width=32)), min_size=2, max_size=4
    )
)


@given(shares)
def test_scores_only_change_places_among_the_best_twenty(given: list[Floats]) -> None:
    scores, *led = given
    shared = shared_out(scores, led) if len(led) > 1 else scores
    assert sorted(shared) == sorted(scores)
    beyond = np.argsort(-scores, kind="stable")[20:]
    assert np.array_equal(shared[beyond], scores[beyond])
    assert set(order(shared)[:3]) <= set(order(scores)[:3]) or len(np.unique(scores)) < len(scores)
