"""How sure win rates are: the bootstrap's coverage, the sign-flip test, Holm's procedure."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.evaluation.bootstrap import holm, interval, share_interval, sign_flip_p, wilson

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.slow
@pytest.mark.parametrize("questions", [25, 60])
def test_about_95_of_100_intervals_cover_the_true_win_rate(questions):
    chance, hits, rounds = np.random.default_rng(1), 0, 400
    for _ in range(rounds):
        scores = chance.choice([0, 0.5, 1], questions, p=[0.2, 0.3, 0.5])
        found = share_interval(scores.tolist(), 0)
        hits += found.low <= 0.65 <= found.high
    assert 0.90 <= hits / rounds <= 0.98


@pytest.mark.slow
def test_about_95_of_100_intervals_of_clusters_cover_the_true_mean():
    """Judgements of one question agree, so that taking them apart would give too narrow ones."""
    chance, hits, naive, rounds = np.random.default_rng(2), 0, 0, 400
    for _ in range(rounds):
        sizes = chance.integers(2, 8, 40)
        worth = chance.beta(2, 2, 40)
        means = [
            chance.binomial(size, share) / size for size, share in zip(sizes, worth, strict=True)
        ]
        found = interval(means, 0, sizes.tolist())
        hits += found.low <= 0.5 <= found.high
        apart = wilson(found.mean, int(sizes.sum()))
        naive += apart.low <= 0.5 <= apart.high
    assert 0.90 <= hits / rounds <= 0.98 and naive < hits


def test_scores_that_all_agree_are_no_certainty():
    assert share_interval([1.0] * 5, 0)[:2] == (1.0, pytest.approx(0.566, abs=1e-3))
    assert share_interval([0.0] * 5, 0).high == pytest.approx(0.434, abs=1e-3)
    assert share_interval([0.5] * 5, 0)[:3] == (0.5, 0.5, 0.5)


def test_holm_by_hand():
    """0.01·4; 0.015·3 = 0.045; 0.03·2 = 0.06; 0.04 is raised to the one before it."""
    assert holm([0.03, 0.01, 0.04, 0.015]) == pytest.approx([0.06, 0.04, 0.06, 0.045])
    assert holm([0.9, 0.8]) == [1.0, 1.0] and holm([]) == []


@given(P_VALUES)
def test_holm_raises_p_values_keeps_their_order_and_is_no_stricter_than_bonferroni(p_values):
    found = holm(p_values)
    for (p, one), (other, two) in product(zip(p_values, found, strict=True), repeat=2):
        assert p <= one <= min(1.0, p * len(p_values)) + 1e-12
        assert p > other or one <= two


def test_the_sign_flip_test_by_hand():
    assert sign_flip_p([0.5] * 5, 0) == 2 / 2**5
    assert sign_flip_p([0.5, -0.5], 0) == 1.0
    assert sign_flip_p([0.5, 0.5, -0.5], 0) == 1.0  # 3 of 4 ways to the mean, on both sides
    assert sign_flip_p([0.0] * 9, 0) == sign_flip_p([], 0) == 1.0
    assert sign_flip_p([0.5] * 3 + [0.0] * 9, 0) == 2 / 2**3


def test_a_sample_of_flips_agrees_with_all_of_them():
    """13 heads of 17 coins, on both sides."""
    exact = 2 * sum(comb(17, heads) for heads in range(13, 18)) / 2**17
    assert sign_flip_p([0.5] * 13 + [-0.5] * 4, 0) == pytest.approx(exact, abs=0.006)
    assert sign_flip_p([0.5] * 40, 0) == pytest.approx(1 / 20_001)


def test_without_a_difference_one_test_in_twenty_is_significant():
    chance, rounds = np.random.default_rng(3), 400
    p_values = [sign_flip_p(chance.choice([-0.5, 0, 0.5], 12).tolist(), 0) for _ in range(rounds)]
    assert sum(p < 0.05 for p in p_values) / rounds <= 0.08
