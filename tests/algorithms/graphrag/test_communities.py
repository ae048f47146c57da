"""The hierarchy of communities and how it follows a graph that changes."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms.graphrag.communities import (
    Previous,
    community_id,
    find_communities,
    paths_of,
)

from lab.benchmarks.community_growth import growth, modularity, planted

IDS = [f"e{number}" for number in range(24)]
PAIRS = st.tuples(st.sampled_from(IDS), st.sampled_from(IDS))
WEIGHTS = st.dictionaries(PAIRS, st.floats(0.01, 1.0), max_size=90)


def clique(names, weight=1.0):
    return dict.fromkeys(combinations(names, 2), weight)


def chain_of_cliques(count=12, size=6):
    """Cliques in a ring, each joined to the next by one weak edge."""
    names = [[f"{k:02d}{i}" for i in range(size)] for k in range(count)]
    weights = {pair: weight for each in names for pair, weight in clique(each).items()}
    weights |= {(each[0], after[1]): 0.1 for each, after in pairwise(names)}
    return [name for each in names for name in each], weights


def at_level(communities, level):
    """The partition at ``level``: its communities, and leaves above it."""
    divided = {community.parent for community in communities}
    return [
        one
        for one in communities
        if one.level == level or (one.level < level and one.id not in divided)
    ]


def members_by_level(communities):
    deepest = max((one.level for one in communities), default=0)
    return [[one.members for one in at_level(communities, at)] for at in range(deepest + 2)]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(WEIGHTS, st.integers(1, 12), st.integers(0, 24))
def test_every_entity_is_in_exactly_one_community_at_every_level(weights, largest, known):
    found = find_communities(IDS, weights, max_cluster_size=largest)
    for partition in members_by_level(found):
        assert sorted(member for members in partition for member in members) == sorted(IDS)
    again = find_communities(
        IDS,
        weights,
        max_cluster_size=largest,
        previous=Previous({id: one for id, one in paths_of(found).items() if id in IDS[:known]}),
    )
    for partition in members_by_level(again):
        assert sorted(member for members in partition for member in members) == sorted(IDS)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(WEIGHTS, st.integers(1, 12))
def test_a_child_is_a_smaller_part_of_its_parent_one_level_up(weights, largest):
    found = find_communities(IDS, weights, max_cluster_size=largest)
    by_id = {one.id: one for one in found}
    assert len(by_id) == len(found)
    for one in found:
        assert one.id == community_id(one.members)
        assert list(one.members) == sorted(one.members)
        assert bool(one.parent) == (one.level > 0)
        if one.parent:
            parent = by_id[one.parent]
            assert parent.level == one.level - 1
            assert set(one.members) < set(parent.members)
            assert len(parent.members) > largest


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(WEIGHTS, st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(weights, random):
    ids, pairs = IDS[:], [(pair[:: random.choice([1, -1])], w) for pair, w in weights.items()]
    if len({pair for pair, _ in pairs}) < len(weights):
        pairs = list(weights.items())
    random.shuffle(ids)
    random.shuffle(pairs)
    assert find_communities(ids, dict(pairs)) == find_communities(IDS, weights)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(WEIGHTS, st.floats(0.1, 10))
def test_an_unchanged_graph_keeps_its_hierarchy_whatever_its_weights_are_divided_by(weights, by):
    found = find_communities(IDS, weights, max_cluster_size=4)
    scaled = {pair: weight / by for pair, weight in weights.items()}
    again = find_communities(IDS, scaled, max_cluster_size=4, previous=Previous(paths_of(found)))
    assert again == found


def test_cliques_are_found_and_isolated_entities_stand_alone():
    ids, weights = chain_of_cliques()
    found = find_communities([*ids, "alone"], weights)
    leaves = {one.members for one in at_level(found, 9)}
    assert leaves == {tuple(ids[at : at + 6]) for at in range(0, 72, 6)} | {("alone",)}
    assert ("alone",) in {one.members for one in at_level(found, 0)}


def test_components_are_never_joined_and_the_small_ones_are_kept():
    weights = {**clique("abcdef"), **clique("uvw"), ("x", "y"): 0.01}
    found = find_communities("abcdefuvwxyz", weights)
    assert {one.members for one in found} == {tuple("abcdef"), tuple("uvw"), ("x", "y"), ("z",)}


def test_what_cannot_be_divided_is_a_leaf_of_any_size():
    found = find_communities("abcdefghijklmno", clique("abcdefghijklmno"), max_cluster_size=10)
    assert [(one.level, len(one.members)) for one in found] == [(0, 15)]


def test_unknown_ends_loops_and_weights_of_nothing_do_not_count():
    weights = {("a", "b"): 1.0, ("a", "gone"): 1.0, ("c", "c"): 1.0, ("b", "c"): 0.0}
    assert {one.members for one in find_communities("abc", weights)} == {("a", "b"), ("c",)}
    assert find_communities([], {}) == []
    assert paths_of([]) == {}


def test_a_small_change_touches_few_communities():
    ids, weights = chain_of_cliques()
    found = find_communities(ids, weights)
    grown = {**weights, ("new", ids[0]): 1.0, ("new", ids[2]): 1.0}
    after = find_communities([*ids, "new"], grown, previous=Previous(paths_of(found)))
    kept = {one.id for one in found} & {one.id for one in after}
    changed = [one for one in found if one.id not in kept]
    assert all(ids[0] in one.members for one in changed)
    assert {one.members for one in after} >= {(*ids[:6], "new")}


def test_a_community_that_falls_apart_is_divided():
    ids, weights = [*"abcdef"], {**clique("abc"), **clique("def"), ("c", "d"): 3.0}
    previous = Previous(paths_of(find_communities(ids, weights)), {"c", "d"})
    del weights["c", "d"]
    apart = find_communities(ids, weights, previous=previous)
    assert {one.members for one in apart} == {tuple("abc"), tuple("def")}


def test_an_entity_that_goes_leaves_the_others_together():
    ids, weights = chain_of_cliques()
    previous = Previous(paths_of(find_communities(ids, weights)))
    after = find_communities(ids[1:], weights, previous=previous)
    assert {one.members for one in at_level(after, 9)} == {
        tuple(ids[1:6]),
        *(tuple(ids[at : at + 6]) for at in range(6, 72, 6)),
    }


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(WEIGHTS, st.integers(1, 12), st.integers(1, 12))
def test_what_was_remembered_with_another_size_is_still_a_start(weights, before, largest):
    found = find_communities(IDS, weights, max_cluster_size=before)
    previous = Previous(paths_of(found))
    again = find_communities(IDS, weights, max_cluster_size=largest, previous=previous)
    assert again == find_communities(IDS, weights, max_cluster_size=largest)


def test_modularity_of_two_cliques_is_one_half():
    weights = {**clique("abcd"), **clique("efgh")}
    found = find_communities("abcdefgh", weights)
    assert modularity(found, weights) == pytest.approx(0.5)


@pytest.mark.slow
def test_a_grown_graph_is_divided_nearly_as_well_as_from_the_start():
    measured = growth(600, 5)
    assert measured["modularity"] > 0.4
    assert measured["grown"][-1]["of_cold"] > 0.97
    assert measured["grown"][-1]["kept"] > 0.5


def test_the_planted_graph_has_skewed_degrees():
    degrees = {}
    for pair in planted(1000):
        for end in pair:
            degrees[end] = degrees.get(end, 0) + 1
    ranked = sorted(degrees.values())
    assert ranked[-1] > 10 * ranked[len(ranked) // 2]
