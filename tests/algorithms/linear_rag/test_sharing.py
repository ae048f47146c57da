import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from passage_graphs import build_graph
from ragraphs.algorithms.linear_rag.passage_graph import Floats
from ragraphs.algorithms.linear_rag.passage_records import passage_record
from ragraphs.algorithms.linear_rag.question import read_question
from ragraphs.algorithms.linear_rag.sharing import shared_out, words_of
from ragraphs.algorithms.linear_rag.walk import BridgingSettings, Similarities, rank

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


def test_a_word_that_the_first_three_lack_is_heard_of_sooner_and_once() -> None:
    word = floats(0, 0, 0, 0, 0.9, 0.9, 0)
    assert order(shared_out(FALLING, [], [word])) == [0, 1, 2, 4, 3, 5, 6]


def test_a_word_that_one_of_the_first_three_has_moves_nothing() -> None:
    word = floats(0, 0, 0.6, 0, 0.6, 0.6, 0)
    assert order(shared_out(FALLING, [], [word])) == list(range(7))


def test_words_count_beside_names() -> None:
    first, second = floats(1, 0, 1, 1, 1, 0, 0), floats(0, 1, 0, 0, 0, 1, 1)
    word = floats(0, 0, 0, 0, 0, 0, 1)
    assert order(shared_out(FALLING, [first, second], [word]))[3] == 6


def test_a_word_stands_in_the_text_or_the_title_and_counts_by_how_rare_it_is() -> None:
    texts = [
        ("Glass", "It is made of sand."),
        ("Sand", "It is made of quartz."),
        ("Bread", "Food."),
    ]
    graph = build_graph([passage_record(*text) for text in texts])
    sand, quartz = words_of(graph, ["sand", "quartz"])
    assert (sand > 0).tolist() == [True, True, False]
    assert (quartz > 0).tolist() == [False, True, False]
    assert sand.max() < quartz.max()
    assert sand.max() + quartz.max() == pytest.approx(1)


@pytest.mark.parametrize(("unled", "place"), [(0.03, 3), (1.0, 5)])
def test_words_share_places_where_names_lead_to_pages(unled: float, place: int) -> None:
    said = ["It sailed."] * 5 + ["It carried salt."]
    ships = [
        (f"Page {place}", f"The Grey Anchor is a ship. {each}") for place, each in enumerate(said)
    ]
    others = [(f"Other {place}", "Bread is baked.") for place in range(8)]
    graph = build_graph(passage_record(*text) for text in [*ships, *others])
    asked = read_question(graph, "What did the Grey Anchor, a ship, carry besides salt?")
    falling = np.array([0.9, 0.89, 0.88, 0.87, 0.86, 0.85, *[0.1] * 8], dtype=np.float32)
    sentences = np.repeat(falling, graph.sentence_counts)
    settings = BridgingSettings(unled=unled, completes=False, lexical_weight=0, overlap_weight=0)
    scores = rank(graph, asked, Similarities(falling, sentences, sentences), settings)
    assert order(scores).index(5) == place


shares = st.integers(1, 40).flatmap(
    lambda size: st.lists(
        arrays(np.float32, size, elements=st.floats(0, 1, width=32)), min_size=2, max_size=4
    )
)


@given(shares)
def test_scores_only_change_places_among_the_best_twenty(given: list[Floats]) -> None:
    scores, first, *others = given
    shared = shared_out(scores, [first, *others], others)
    assert sorted(shared) == sorted(scores)
    beyond = np.argsort(-scores, kind="stable")[20:]
    assert np.array_equal(shared[beyond], scores[beyond])
    assert set(order(shared)[:3]) <= set(order(scores)[:3]) or len(np.unique(scores)) < len(scores)
