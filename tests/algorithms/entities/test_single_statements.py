"""A name, spelling or relation that one passage alone gives is merged as one of several is."""

from merging_support import entity, facts, merge_facts
from ragraphs.state.entities import Entity

PAINTER = [("Ann Vale", "Person", "a painter")]


def test_an_entity_of_one_statement_is_all_that_is_stated():
    (only,) = merge_facts([facts("a", PAINTER)]).entities
    said = ("Ann Vale", "person", ("a painter",), ("Ann Vale",), ("a",))
    assert only == Entity(only.id, *said)
    (untold,) = merge_facts([facts("a", ["Ann Vale"])]).entities
    assert (untold.type, untold.descriptions) == ("", ())


def test_an_entity_keeps_its_id_when_other_passages_name_it():
    (alone,) = merge_facts([facts("a", PAINTER)]).entities
    for again in (PAINTER, ["Ann Vale"]):
        (both,) = merge_facts([facts("a", PAINTER), facts("b", again)]).entities
        assert both.id == alone.id
        assert both.passages == ("a", "b")
    films = merge_facts([facts("a", PAINTER), facts("b", [("Ann Vale", "film")])]).entities
    assert len(films) == 2
    assert alone.id in {one.id for one in films}


def test_the_most_frequent_spelling_is_the_one_that_others_merge_into():
    names = ["Beatles", "The Beatles", "The Beatles", "the beatles"]
    graph = merge_facts([facts(str(place), [name]) for place, name in enumerate(names)])
    assert entity(graph, "Beatles").aliases == ("The Beatles", "Beatles", "the beatles")
    assert {(one.kept, one.merged) for one in graph.merges} == {
        ("The Beatles", "Beatles"),
        ("The Beatles", "the beatles"),
    }


def test_the_most_frequent_phrase_names_a_relation():
    def stated(*phrases):
        found = [
            facts(str(place), ["Ann", "Bob"], [("Ann", phrase, "Bob")])
            for place, phrase in enumerate(phrases)
        ]
        (relation,) = merge_facts(found).relations
        return relation.relation

    assert stated("Married") == "Married"
    assert stated("Married", "married", "married") == "married"
    assert stated("married", "Married") == "Married"
