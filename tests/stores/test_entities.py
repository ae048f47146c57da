"""The store of entities: what is replaced, read and corrected."""

from __future__ import annotations

import dataclasses

import pytest
from ragraphs.state.entities import (
    Correction,
    Entity,
    EntityClaim,
    EntityGraph,
    EntityMention,
    Merge,
    Relation,
)
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.entities import EntityStore, StoredEntity, StoredRelation
from ragraphs.stores.untold import UNCLUSTERED, UNTOLD, nothing_untold

CLAIM = {
    "subject": "Ann",
    "object": "",
    "type": "award",
    "status": "true",
    "description": "Ann won.",
    "quote": "",
    "start_date": "",
    "end_date": "",
}


def entity(id, *names, descriptions=(), passages=("p1",)):
    return Entity(id, names[0], "person", tuple(descriptions), names, tuple(passages))


ANN = entity("a", "Ann", "Ann Lee", descriptions=["one", "two"], passages=["p1", "p2"])
BOB = entity("b", "Bob", descriptions=["the only one"])
OTHER_ANN = entity("c", "Ann", passages=["p3"])
GRAPH = EntityGraph(
    entities=(ANN, BOB, OTHER_ANN),
    mentions=(EntityMention("a", "p1", 0, 3), EntityMention("b", "p1", 8, 11)),
    relations=(
        Relation("r1", "a", "b", "knows", 1.0, ("p1", "p2")),
        Relation("r2", "c", "a", "is not", 0.5, ("p3",)),
    ),
    claims=(EntityClaim("x", "a", "", "p1", CLAIM),),
    merges=(Merge("Ann", "a", "Ann Lee", "z", "fuzzy", 0.9),),
)


@pytest.fixture
def store(engine):
    store = EntityStore(engine)
    store.replace(GRAPH)
    return store


@pytest.mark.slow
def test_entities_come_in_the_order_asked_for_and_unknown_ones_are_left_out(store):
    found = store.get(["b", "none", "a"])
    assert list(found.values()) == [
        StoredEntity("b", "Bob", "person", "the only one"),
        StoredEntity("a", "Ann", "person", "one"),
    ]


def test_homonyms_share_a_name(store):
    assert store.named(["ann", "bob", "ann lee", "eve"]) == {
        "ann": ["a", "c"],
        "ann lee": ["a"],
        "bob": ["b"],
    }


@pytest.mark.slow
def test_relations_are_found_from_both_ends_and_once(store):
    assert store.relations_of(["b"]) == [StoredRelation("r1", "a", "b", "knows", 1.0)]
    assert [one.id for one in store.relations_of(["a", "b", "c"])] == ["r1", "r2"]
    assert store.relation_passages_of(["r1"]) == {"r1": ["p1", "p2"]}


@pytest.mark.slow
def test_passages_mentions_claims_and_aliases_belong_to_their_entities(store):
    assert store.passages_of(["a", "c"]) == {"a": ["p1", "p2"], "c": ["p3"]}
    assert store.mentions_of(["p1", "p3"]) == list(GRAPH.mentions)
    assert store.claims_of(["a", "b"]) == list(GRAPH.claims)
    assert store.aliases_of(["a"]) == {"a": ["Ann", "Ann Lee"]}
    assert store.merges() == list(GRAPH.merges)


@pytest.mark.slow
def test_another_graph_takes_the_place_of_everything_but_corrections(store):
    store.correct("merge", "x", "y")
    store.replace(EntityGraph())
    assert store.counts() == {
        "entities": 0,
        "relations": 0,
        "claims": 0,
        "merges": 0,
        "corrections": 1,
    }
    assert store.mentions_of(["p1"]) == [] and store.undescribed() == {}
    assert store.passages_of(["a"]) == store.named(["ann"]) == {}


def r1(**changes):
    return (GRAPH.relations[0]._replace(**changes), GRAPH.relations[1])


@pytest.mark.parametrize(
    ("changes", "touched"),
    [
        ({}, []),
        ({"entities": (ANN, BOB._replace(name="Bobby"), OTHER_ANN)}, ["b"]),
        ({"entities": (ANN, BOB, OTHER_ANN._replace(passages=("p3", "p4")))}, ["c"]),
        ({"relations": r1(passages=("p1",))}, ["a", "b"]),
        ({"relations": (GRAPH.relations[0],)}, ["a", "c"]),
        ({"claims": (GRAPH.claims[0]._replace(subject="b"),)}, ["a", "b"]),
        ({"mentions": (), "merges": ()}, []),
        ({"entities": (), "relations": (), "claims": ()}, None),
    ],
)
def test_the_entities_of_which_other_things_are_told_are_noted(store, engine, changes, touched):
    catalogue, left = Catalogue(engine), nothing_untold("by nobody")
    catalogue.set_property(UNTOLD, left)
    store.replace(dataclasses.replace(GRAPH, **changes))
    noted = catalogue.property(UNTOLD)
    assert noted == (touched if touched is None else {**left, "entities": touched})
    store.describe({"d": "More."})
    also = catalogue.property(UNTOLD)
    assert also == (touched if touched is None else {**left, "entities": [*touched, "d"]})


def r2(weight):
    return (GRAPH.relations[1]._replace(weight=weight),)


@pytest.mark.parametrize(
    ("changes", "touched"),
    [
        ({"entities": (ANN, BOB._replace(name="Bobby"), OTHER_ANN)}, []),
        ({"entities": (ANN, BOB, entity("d", "Dan"))}, ["c", "d"]),
        ({"relations": r1(passages=("p1",))}, []),
        ({"relations": r1(weight=0.9)}, ["a", "b"]),
        ({"relations": (GRAPH.relations[0]._replace(weight=0.5), *r2(0.25))}, []),
        ({"relations": (GRAPH.relations[0],)}, ["a", "c"]),
        ({"entities": (), "relations": ()}, None),
    ],
)
def test_the_entities_that_are_related_otherwise_are_noted(store, engine, changes, touched):
    catalogue, left = Catalogue(engine), nothing_untold(10)
    catalogue.set_property(UNCLUSTERED, left)
    store.replace(dataclasses.replace(GRAPH, **changes))
    noted = catalogue.property(UNCLUSTERED)
    assert noted == (touched if touched is None else {**left, "entities": touched})


def test_an_entity_whose_weight_alone_stayed_is_related_otherwise(engine):
    store, catalogue = EntityStore(engine), Catalogue(engine)
    both = GRAPH.relations
    third = Relation("r3", "b", "c", "sees", 0.2, ("p3",))
    store.replace(dataclasses.replace(GRAPH, relations=(*both, third)))
    catalogue.set_property(UNCLUSTERED, left := nothing_untold(10))
    halves = (both[0], both[1]._replace(weight=0.25), third._replace(weight=0.1))
    store.replace(dataclasses.replace(GRAPH, relations=halves))
    assert catalogue.property(UNCLUSTERED) == {**left, "entities": ["a", "b"]}


@pytest.mark.slow
def test_a_graph_that_cannot_be_stored_leaves_the_old_one(store):
    with pytest.raises(Exception, match=r"(?i)unique"):
        store.replace(EntityGraph(entities=(BOB, BOB)))
    assert store.counts()["entities"] == 3


@pytest.mark.slow
def test_entities_with_several_descriptions_wait_for_one(store):
    assert store.undescribed() == {"a": ["one", "two"]}
    store.describe({"a": "both"})
    assert store.undescribed() == {}
    assert store.get(["a"])["a"].description == "both"


@pytest.mark.slow
def test_the_last_decision_about_two_names_counts(store):
    store.correct("merge", "a", "b")
    store.correct("merge", "c", "d")
    store.correct("split", "b", "a")
    assert store.corrections() == [Correction("merge", "c", "d"), Correction("split", "b", "a")]


def test_the_most_spoken_of_come_first_and_parts_of_names_find_them(store):
    assert [(one.id, n) for one, n in store.largest(2)] == [("a", 2), ("c", 1)]
    assert [one.id for one, _ in store.largest(9, "lee")] == ["a"]
    assert store.largest(9, "%") == []


@pytest.mark.slow
def test_a_graph_larger_than_one_statement_is_stored_whole(engine):
    count = 6_000
    ids = [f"{number:024x}" for number in range(count)]
    graph = EntityGraph(
        entities=tuple(entity(id, f"Name {id}", passages=[f"p{id}"]) for id in ids),
        relations=tuple(
            Relation(f"{step}-{id}", id, ids[(n + step) % count], "knows", 0.5, (f"p{id}",))
            for step in (1, 2, 3)
            for n, id in enumerate(ids)
        ),
    )
    store = EntityStore(engine)
    store.replace(graph)
    counts = store.counts()
    assert (counts["entities"], counts["relations"]) == (count, 3 * count)
    assert len(store.get(ids)) == count
    assert len(store.relations_of(ids[:50])) == 50 * 3 + 3 + 2 + 1


@pytest.mark.slow
def test_the_heaviest_relations_of_each_entity_come_first(store):
    assert {id: [one.id for one in own] for id, own in store.heaviest_of(["a", "b"]).items()} == {
        "a": ["r1", "r2"],
        "b": ["r1"],
    }
    found = store.heaviest_of(["a", "b", "c", "none"], 1)
    assert {id: [one.id for one in own] for id, own in found.items()} == {
        "a": ["r1"],
        "b": ["r1"],
        "c": ["r2"],
    }


@pytest.mark.slow
def test_the_passages_of_each_owner_may_be_bounded(store):
    assert store.passages_of(["a", "c"], 1) == {"a": ["p1"], "c": ["p3"]}
    assert store.passages_of(["a", "c"], among=["p2", "p4"]) == {"a": ["p2"]}
    assert store.relation_passages_of(["r1", "r2"], 1) == {"r1": ["p1"], "r2": ["p3"]}


@pytest.mark.slow
def test_spellings_are_found_by_normalised_names(store):
    assert store.spelled(["ann", "bob", "none"]) == {"Ann": ["a", "c"], "Bob": ["b"]}


def test_a_correction_is_withdrawn_by_its_number(store):
    merge = store.correct("merge", "a", "b")
    split = store.correct("split", "c", "d")
    assert store.numbered_corrections() == {
        merge: Correction("merge", "a", "b"),
        split: Correction("split", "c", "d"),
    }
    store.withdraw(merge)
    store.withdraw(merge)
    assert store.corrections() == [Correction("split", "c", "d")]


def test_of_some_entities_the_most_spoken_of_come_first(store):
    found = store.largest_of(["b", "c", "a", "none"], 2)
    assert [(one.id, spread) for one, spread in found] == [("a", 2), ("c", 1)]
