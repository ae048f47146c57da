"""The mentions, relations and claims of merged entities."""

from merging_support import claim, entity, facts, merge_facts


def test_mentions_are_the_places_of_all_spellings():
    text = "Québec City is in Quebec. QUEBEC's motto; New Quebec Times."
    names = ["Quebec", "Québec City", "New Quebec Times"]
    graph = merge_facts([facts("a", names, text=text)])
    found = {
        (entity.name, text[m.start : m.end], m.start)
        for m in graph.mentions
        for entity in graph.entities
        if entity.id == m.entity
    }
    assert found == {
        ("Québec City", "Québec City", 0),
        ("Quebec", "Quebec", 18),
        ("Quebec", "QUEBEC", 26),
        ("New Quebec Times", "New Quebec Times", 42),
    }


def test_korean_mentions_leave_particles_out():
    text = "세종대왕은 조선의 왕이다. 조선왕조실록에 세종대왕이 나온다."
    graph = merge_facts([facts("a", ["세종대왕", "조선"], text=text)])
    found = sorted((m.start, text[m.start : m.end]) for m in graph.mentions)
    assert found == [(0, "세종대왕"), (6, "조선"), (23, "세종대왕")]


def test_a_capitalised_word_is_not_found_in_lower_case():
    text = "It may rain in May. They told us that the U.S. waits."
    graph = merge_facts([facts("a", ["May", "US"], text=text)])
    assert sorted(text[m.start : m.end] for m in graph.mentions) == ["May", "U.S"]


def test_parallel_relations_stay_distinct_and_add_up_to_one_weight():
    found = [
        facts("a", ["Ann", "Bob"], [("Ann", "married", "Bob", 10), ("Ann", "Married", "Bob", 4)]),
        facts("b", ["Ann", "Bob"], [("Ann", "married", "Bob", 10), ("Bob", "hired", "Ann", 5)]),
        facts("c", ["Ann", "Cy"], [("Ann", "met", "Cy", 5)]),
    ]
    graph = merge_facts(found)
    name = {e.id: e.name for e in graph.entities}
    weights = {
        (name[r.source], r.relation, name[r.target]): (r.weight, r.passages)
        for r in graph.relations
    }
    assert weights == {
        ("Ann", "married", "Bob"): (1.0, ("a", "b")),
        ("Bob", "hired", "Ann"): (0.25, ("b",)),
        ("Ann", "met", "Cy"): (0.25, ("c",)),
    }
    assert len({r.id for r in graph.relations}) == 3


def test_relations_follow_merged_names_and_lead_nowhere_inside_one_entity():
    found = [
        facts("a", ["The Beatles", "Ringo"], [("Ringo", "drums for", "The Beatles")]),
        facts("b", ["Beatles"], [("Beatles", "are", "The Beatles")]),
    ]
    graph = merge_facts(found)
    (relation,) = graph.relations
    assert relation.target == entity(graph, "Beatles").id


def test_an_end_of_a_relation_that_is_no_listed_entity_becomes_one():
    graph = merge_facts([facts("a", ["Ann"], [("Ann", "likes", "tea")])])
    assert {e.name for e in graph.entities} == {"Ann", "tea"}


def test_claims_hang_on_entities_with_their_passage():
    found = [
        facts("a", ["The Beatles"]),
        facts("b", ["Beatles", "Apple"], claims=[claim("Beatles", "sued Apple", "Apple")]),
        facts("c", ["Beatles"], claims=[claim("Beatles", "split", "nothing named")]),
    ]
    graph = merge_facts(found)
    beatles, apple = entity(graph, "Beatles").id, entity(graph, "Apple").id
    assert sorted((c.subject, c.object, c.passage, c.claim["type"]) for c in graph.claims) == (
        sorted([(beatles, apple, "b", "claim"), (beatles, "", "c", "claim")])
    )
