from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.hoprag.offers import MOST, Offer, hop_worth, trust, worth_showing

OFFERS = st.lists(
    st.builds(
        Offer,
        st.sampled_from("abc"),
        st.text(alphabet="tuvwxyz", min_size=1, max_size=2),
        st.integers(0, 99),
        st.floats(0, 1),
    )
)


@given(OFFERS, st.floats(0, 1))
def test_each_target_is_shown_once_along_its_best_hop_and_nothing_below_the_floor(offers, best):
    shown = worth_showing(offers, best)
    targets = [offer.target for offer in shown]
    assert len(targets) == len(set(targets)) <= MOST
    for offer in shown:
        assert offer.worth == max(each.worth for each in offers if each.target == offer.target)
        assert offer.worth >= 0.25 * best
    assert shown == sorted(shown, key=lambda offer: -offer.worth)


def test_the_worth_of_a_hop_worked_out_by_hand():
    assert hop_worth(1.2, 1, 1) == 1.2 * (1 / 6 + 0.5 / 6)
    assert hop_worth(1.2, None, 5) == 1.2 * 0.5 / 10


RANKS = st.lists(st.integers(0, 20), min_size=1, max_size=6)


@given(RANKS, RANKS)
def test_labels_are_believed_as_far_as_they_agree_with_the_retriever(useful, useless):
    believed = trust(useful, useless)
    assert 0 <= believed <= 1
    if max(useful) < min(useless):
        assert believed == 1
    if min(useful) > max(useless):
        assert believed == 0


def test_labels_that_nothing_contradicts_are_believed():
    assert trust([], [1, 2]) == trust([5], []) == 1
