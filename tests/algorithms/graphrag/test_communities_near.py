"""Communities near a change, beside the hierarchy that the whole graph is followed with."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms.graphrag.communities import Previous, find_communities, paths_of
from ragraphs.algorithms.graphrag.communities_near import communities_near

from lab.benchmarks.community_growth import modularity, planted


class Held:
    """A hierarchy and the graph of today, in memory; ``asked`` are entities whose pairs were."""

    def __init__(self, communities, weights):
        self.communities, self.pairs = communities, weights
        self.asked = set()

    def paths(self, entities):
        paths = paths_of(self.communities)
        return {id: paths[id] for id in entities if id in paths}

    def members(self, communities):
        wanted = set(communities)
        return {one.id: one.members for one in self.communities if one.id in wanted}

    def parts(self, communities):
        wanted = set(communities)
        return {one.id: one.members for one in self.communities if one.parent in wanted}

    def sizes(self, communities):
        return {id: len(own) for id, own in self.members(communities).items()}

    def weights(self, entities):
        wanted = set(entities)
        self.asked |= wanted
        return {pair: weight for pair, weight in self.pairs.items() if wanted & {*pair}}

    def weights_within(self, entities):
        wanted = set(entities)
        self.asked |= wanted
        return {pair: weight for pair, weight in self.pairs.items() if wanted >= {*pair}}

    def degrees(self, communities):
        members = self.members(communities)
        return {
            id: sum(w for pair, w in self.pairs.items() for end in pair if end in own)
            for id, own in members.items()
        }

    def total(self):
        return sum(self.pairs.values())


def followed(ids, before, after, largest=10):
    """The hierarchy before, after by what is near, and the entities that were asked for."""
    old = find_communities(sorted({end for pair in before for end in pair}), before)
    changed = {pair for pair in {*before, *after} if before.get(pair) != after.get(pair)}
    known = {id for one in old for id in one.members}
    touched = {end for pair in changed for end in pair} | (known ^ set(ids))
    held = Held(old, after)
    near = communities_near(touched, touched & set(ids), held, largest)
    kept = [one for one in old if one.id not in near.before]
    whole = find_communities(
        ids, after, max_cluster_size=largest, previous=Previous(paths_of(old), touched)
    )
    return old, sorted([*kept, *near.after]), whole, held.asked


def graph(entities, seed=0):
    return {pair: round(weight, 6) for pair, weight in planted(entities, seed).items()}


def levels(communities):
    return sorted((one.level, one.parent, one.id, one.members) for one in communities)


def is_hierarchy(communities, ids):
    by_id = {one.id: one for one in communities}
    assert len(by_id) == len(communities)
    assert sorted(id for one in communities if not one.level for id in one.members) == sorted(ids)
    for one in communities:
        if one.level:
            parent = by_id[one.parent]
            assert parent.level == one.level - 1 and {*one.members} < {*parent.members}


def cliques(count=14, size=6):
    names = [[f"{k:02d}{i}" for i in range(size)] for k in range(count)]
    weights = {(a, b): 1.0 for own in names for a in own for b in own if a < b}
    weights |= {(names[k][0], names[k + 1][1]): 0.1 for k in range(count - 1)}
    return [id for own in names for id in own], weights


def test_a_new_entity_joins_its_community_and_others_are_not_looked_at():
    ids, weights = cliques()
    grown = {**weights, ("00new", ids[0]): 1.0, ("00new", ids[2]): 1.0}
    old, near, whole, asked = followed([*ids, "00new"], weights, grown)
    assert levels(near) == levels(whole) != levels(old)
    assert len(asked) < 30


@pytest.mark.parametrize("lost", [{"050"}, {"051", "052"}, {"010", "130"}])
def test_entities_that_go_leave_the_others_together(lost):
    ids, weights = cliques()
    left = {pair: weight for pair, weight in weights.items() if lost.isdisjoint(pair)}
    old, near, whole, _ = followed([id for id in ids if id not in lost], weights, left)
    assert levels(near) == levels(whole) != levels(old)


def test_a_community_that_falls_apart_is_divided():
    ids, weights = cliques(3)
    joined = {**weights, **{(a, b): 1.0 for a in ids[:6] for b in ids[6:12]}}
    old, near, whole, _ = followed(ids, joined, weights)
    assert levels(near) == levels(whole) != levels(old)


def test_an_entity_moves_where_its_weight_has_gone():
    ids, weights = cliques()
    moved = {pair: weight for pair, weight in weights.items() if "035" not in pair}
    moved |= {("035", id): 1.0 for id in ids if id.startswith("08")}
    old, near, whole, _ = followed(ids, weights, moved)
    assert levels(near) == levels(whole) != levels(old)
    assert any("035" in one.members and "081" in one.members for one in near)


def test_what_is_the_same_stays():
    ids, weights = cliques()
    old = find_communities(ids, weights)
    near = communities_near({ids[3], ids[40]}, {ids[3], ids[40]}, Held(old, weights), 10)
    assert {one.id for one in near.after} == near.before
    assert communities_near(set(), set(), Held(old, weights), 10) == (set(), [])


def test_only_the_part_of_a_community_that_changes_is_divided_anew():
    weights = graph(400)
    ids = sorted({end for pair in weights for end in pair})
    old = find_communities(ids, weights, max_cluster_size=3)
    level, parent = ({one.id: getattr(one, name) for one in old} for name in ("level", "parent"))
    entity = next(one.members[0] for one in old if one.level == 3)
    near = communities_near({entity}, {entity}, Held(old, weights), 3)
    assert {one.id for one in near.after} == near.before >= {*paths_of(old)[entity]}
    root, part, *_ = paths_of(old)[entity]
    assert {parent[id] for id in near.before if level[id] == 2} == {part}
    assert {id for id in level if level[id] == 2 and parent[parent[id]] == root} - near.before


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(st.data())
def test_a_changed_graph_is_divided_as_well_as_by_going_through_all(data):
    weights = graph(200, data.draw(st.integers(0, 5)))
    ids = sorted({end for pair in weights for end in pair})
    lost = set(data.draw(st.lists(st.sampled_from(ids), max_size=4)))
    left = [id for id in ids if id not in lost]
    ends = st.sampled_from([*left, "new 1", "new 2"])
    added = data.draw(st.dictionaries(st.tuples(ends, ends), st.floats(0.1, 3.0), max_size=6))
    after = {pair: weight for pair, weight in weights.items() if lost.isdisjoint(pair)}
    after |= {(min(pair), max(pair)): w for pair, w in added.items() if pair[0] != pair[1]}
    ids = sorted({*left, *(end for pair in after for end in pair)})
    _, near, whole, _ = followed(ids, weights, after)
    is_hierarchy(near, ids)
    assert modularity(near, after) >= 0.99 * modularity(whole, after)
