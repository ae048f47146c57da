"""Circles side by side, and inside of each other."""

from __future__ import annotations

import math
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from ragraphs.views.circles import Circle, nested, packed

RADII = st.lists(st.floats(min_value=1, max_value=50), min_size=1, max_size=40)


@given(RADII)
def test_no_circle_lies_over_another(radii):
    placed = list(zip(packed(radii), radii, strict=True))
    for (one, r), (other, s) in combinations(placed, 2):
        assert math.dist(one, other) >= (r + s) * (1 - 1e-4)


@given(RADII)
def test_the_whole_is_round_rather_than_a_row(radii):
    reach = max(math.hypot(*at) + radius for at, radius in zip(packed(radii), radii, strict=True))
    assert reach <= 2.2 * math.sqrt(sum(radius**2 for radius in radii)) + 3 * max(radii)


def test_children_stand_inside_of_their_parents_and_siblings_are_apart():
    children = {"": ["a", "b", "c"], "a": ["a1", "a2", "a3"], "a1": ["x", "y"], "b": ["b1"]}
    radii = dict.fromkeys(["c", "a2", "a3", "x", "y", "b1"], 10.0)
    found = nested(radii, children, 4.0)
    assert set(found) == {"a", "b", "c", "a1", "a2", "a3", "x", "y", "b1"}
    for parent, inner in children.items():
        for one, other in combinations(inner, 2):
            assert away(found[one], found[other]) >= found[one].r + found[other].r + 3.9
        for one in filter(lambda _: parent, inner):
            assert away(found[one], found[parent]) + found[one].r <= found[parent].r + 1e-6
    assert found == nested(radii, children, 4.0)


def test_nothing_is_laid_out_as_nothing():
    assert nested({}, {}, 4.0) == {} and packed([]) == []


def away(one: Circle, other: Circle) -> float:
    return math.dist((one.x, one.y), (other.x, other.y))
