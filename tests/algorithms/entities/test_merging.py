import numpy as np
import pytest
from merging_support import entity, facts, groups, merge_facts, merged
from ragraphs.algorithms.entities import clusters as entity_clusters
from ragraphs.algorithms.entities.clustering import cluster
from ragraphs.algorithms.entities.clusters import Link, Name
from ragraphs.algorithms.entities.spellings import canonical, kinds_of, same_person, slip
from ragraphs.state.entities import Correction, EntityGraph


@pytest.mark.parametrize(
    "spellings",
    [
        ("The Beatles", "Beatles"),
        ("Québec", "quebec"),
        ("Kim Jong-un", "Kim Jong Un"),
        ("U.S.", "US"),
        ("J. R. R. Tolkien", "J.R.R. Tolkien"),
        ("World War II", "World War 2"),
        ("Film Fare", "Filmfare"),
        ("Riemann hypothesis", "Rieman hypothesis"),
        ("neural networks", "neural network"),
        ("George W. Bush", "George Walker Bush"),
        ("Emil B. Fischer", "Emil Fischer"),
        ("Microsoft Corp.", "Microsoft"),
        ("대한 민국", "대한민국"),
    ],
)
def test_spellings_of_one_thing_merge(spellings):
    assert merged(*spellings)


@pytest.mark.parametrize(
    "spellings",
    [
        ("World War I", "World War II"),
        ("Louis XIV", "Louis XV"),
        ("1984", "1985"),
        ("9", "9%"),
        ("C", "C++"),
        ("Steel Bridge", "Steel Bridges"),
        ("North Dakota", "South Dakota"),
        ("Austria", "Australia"),
        ("Nigeria", "Nigerian"),
        ("First Congress", "Second Congress"),
        ("Maria Smith", "Mario Smith"),
        ("Marvin Smith", "Martin Smith"),
        ("George W. Bush", "George H. W. Bush"),
        ("Martin Luther King Sr.", "Martin Luther King Jr."),
        ("University of Miami", "Miami University"),
        ("New York", "York"),
        ("The Monster", "monsters"),
        ("이정은", "이정"),
    ],
)
def test_similar_names_of_different_things_stay_apart(spellings):
    assert not merged(*spellings)
    assert not merged(*spellings, embed=lambda texts: np.eye(len(texts), dtype=np.float32))


def test_homonyms_of_different_kinds_stay_apart():
    found = [
        facts("a", [("Paris", "person"), ("Troy", "city")], [("Paris", "is prince of", "Troy")]),
        facts("b", [("Paris", "city"), ("France", "country")], [("Paris", "is in", "France")]),
    ]
    graph = merge_facts(found)
    assert [e.passages for e in graph.entities if e.name == "Paris"] in (
        [("a",), ("b",)],
        [("b",), ("a",)],
    )
    ends = {entity(graph, name).id: name for name in ("Troy", "France")}
    assert len({r.source for r in graph.relations}) == 2
    assert {ends[r.target]: r.passages for r in graph.relations} == {
        "Troy": ("a",),
        "France": ("b",),
    }


def test_kinds_that_may_agree_merge_and_the_majority_gives_the_type():
    found = [
        facts("a", [("Iceland", "country")]),
        facts("b", [("Iceland", "country")]),
        facts("c", [("Iceland", "organization")]),
        facts("d", ["Iceland"]),
    ]
    graph = merge_facts(found)
    assert [(e.type, e.passages) for e in graph.entities] == [("country", ("a", "b", "c", "d"))]


def test_a_chain_of_kinds_does_not_lead_from_one_to_another():
    found = [
        facts("a", [("Boston", "city")]),
        facts("b", [("Boston", "organization")]),
        facts("c", [("Boston", "band")]),
        facts("d", [("Boston", "city")]),
    ]
    passages = {entity.passages for entity in merge_facts(found).entities}
    assert passages == {("a", "b", "d"), ("c",)}


def test_an_unknown_kind_means_what_its_document_means():
    found = [
        facts("a", [("Mercury", "planet")], title="Planets"),
        facts("b", [("Mercury", "planet")], title="Orbits"),
        facts("c", [("Mercury", "god")], title="Gods"),
        facts("d", ["Mercury"], title="Gods"),
    ]
    assert {e.passages for e in merge_facts(found).entities} == {("b", "a"), ("c", "d")}


def test_a_name_takes_the_most_frequent_spelling_and_keeps_all():
    found = [facts("a", ["the Beatles"]), facts("b", ["The Beatles"]), facts("c", ["The Beatles"])]
    (beatles,) = merge_facts(found).entities
    assert (beatles.name, beatles.aliases) == ("The Beatles", ("The Beatles", "the Beatles"))


def test_descriptions_are_distinct_and_in_the_order_of_passages():
    found = [
        facts("c", [("Rhine", "river", "A river.")], title="2"),
        facts("b", [("Rhine", "river", "Flows north.")], title="1"),
        facts("a", [("Rhine", "river", "A river.")], title="3"),
    ]
    assert merge_facts(found).entities[0].descriptions == ("Flows north.", "A river.")


def test_an_explained_abbreviation_is_an_alias_everywhere():
    text = "International Business Machines (IBM) makes computers."
    found = [
        facts("a", [("International Business Machines", "company")], text=text),
        facts("b", [("IBM", "company")]),
    ]
    graph = merge_facts(found)
    assert groups(graph) == {frozenset({"International Business Machines", "IBM"})}
    assert {(m.reason, m.score) for m in graph.merges} == {("alias in text", 1.0)}


def test_an_abbreviation_with_two_meanings_counts_in_its_passages_only():
    cia, school = "Central Intelligence Agency", "Culinary Institute of America"
    found = [
        facts("a", [cia, "CIA"], text=f"The {cia} (CIA) spies."),
        facts("b", [school, "CIA"], text=f"The {school} (CIA) cooks."),
        facts("c", ["CIA"]),
    ]
    graph = merge_facts(found)
    assert {(e.aliases, e.passages) for e in graph.entities} == {
        (("CIA", cia), ("a",)),
        (("CIA", school), ("b",)),
        (("CIA",), ("c",)),
    }


@pytest.mark.parametrize(
    ("text", "name", "alias", "same"),
    [
        ("서울(Seoul)은 한국의 수도이다.", "서울", "Seoul", True),
        ("Mill Creek, also known as Saw Kill, is a river.", "Mill Creek", "Saw Kill", True),
        ("Persia (formerly Iran) is old.", "Persia", "Iran", True),
        ("Lyon (France) is old.", "Lyon", "France", False),
        ("Hook (Robin Williams) is a film.", "Hook", "Robin Williams", False),
        ("She died in Lyon, also known as Saw Kill.", "Lyon", "Saw Kill", False),
        ("He played Abel (as Cain).", "Abel", "Cain", False),
    ],
)
def test_only_what_a_text_explains_is_an_alias(text, name, alias, same):
    graph = merge_facts([facts("a", [name, alias], text=text)])
    assert (len(graph.entities) == 1) == same


def test_a_surname_is_the_one_person_of_its_document():
    found = [
        facts("a1", [("Bill Clinton", "person")], title="Bill"),
        facts("a2", [("Clinton", "person")], title="Bill"),
        facts("b1", [("Hillary Clinton", "person")], title="Hillary"),
        facts("b2", [("Clinton", "person")], title="Hillary"),
    ]
    graph = merge_facts(found)
    assert {(e.name, e.passages) for e in graph.entities} == {
        ("Bill Clinton", ("a1", "a2")),
        ("Hillary Clinton", ("b1", "b2")),
    }
    assert {m.reason for m in graph.merges} == {"short name"}


def test_a_title_is_no_given_name():
    people = [("Mrs. Fezziwig", "person"), ("Fezziwig", "person")]
    graph = merge_facts([facts("1", people)])
    assert {e.name for e in graph.entities} == {"Mrs. Fezziwig", "Fezziwig"}


@pytest.mark.parametrize("byname", ["Mr. Scrooge", "old Scrooge", "Master Scrooge"])
def test_a_byname_tells_of_no_second_person(byname):
    people = ["Ebenezer Scrooge", "Mr. Ebenezer Scrooge", "Scrooge", byname]
    found = groups(merge_facts([facts("1", [(name, "person") for name in people])]))
    assert found == {frozenset(people[:3]), frozenset([byname])}


def test_a_general_word_is_nobody_elsewhere():
    names = ["Evil Spirit", "Spirit", "Hamlet's father", "Father", "Marley's Ghost", "the Ghost"]
    found = [
        facts(str(place), [(name, "person")], title="story", text=f"{name}: spirit, father, ghost")
        for place, name in enumerate([*names, "Father"])
    ]
    assert sorted(len(entity.passages) for entity in merge_facts(found).entities) == [1] * 7


def test_a_surname_that_two_persons_bear_stays_apart():
    persons = [("Bill Clinton", "person"), ("Hillary Clinton", "person"), ("Clinton", "person")]
    assert len(merge_facts([facts("a", persons)]).entities) == 3


def test_a_surname_elsewhere_is_a_person_only_if_the_corpus_knows_one():
    one = [facts("a", [("Albert Einstein", "person")]), facts("b", [("Einstein", "person")])]
    two = [*one, facts("c", [("Alfred Einstein", "person")])]
    (einstein,) = merge_facts(one).entities
    assert einstein.name == "Albert Einstein"
    assert len(merge_facts(two).entities) == 3


def shared(a, b, *others, other_end=()):
    return [
        facts("a", [a, *others], [(a, "knows", other) for other in others]),
        facts("b", [b, *others, *other_end], [(b, "knows", o) for o in (*others, *other_end)]),
    ]


def test_the_same_neighbours_admit_names_that_spelling_alone_does_not():
    a, b = "Grand Duchy of Kelm", "Kelm Grand Duchy"
    assert groups(merge_facts(shared(a, b, "Arn", "Bex", "Col"))) >= {frozenset({a, b})}
    few = merge_facts(shared(a, b, "Arn"))
    assert {a} in groups(few)
    diluted = shared(a, b, "Arn", "Bex", other_end=("Dov", "Eph", "Gil", "Hun", "Ivo"))
    assert {a} in groups(merge_facts(diluted))


def test_names_that_a_text_relates_or_lists_together_are_two_things():
    a, b, others = "Kelm University", "Kelm University Press", ("Arn", "Bex", "Col")
    assert {frozenset({a, b})} <= groups(merge_facts(shared(a, b, *others)))
    related = [*shared(a, b, *others), facts("c", [a, b], [(b, "belongs to", a)])]
    assert {a} in groups(merge_facts(related))


def test_close_embeddings_merge_candidates_only():
    asked = []

    def embed(texts):
        asked.extend(texts)
        return np.ones((len(texts), 4), dtype=np.float32)

    names = ["Kelmian Institute for Physics", "Kelmian Institute of Physics X", "Zürich", "Rome"]
    found = [facts(str(i), [name]) for i, name in enumerate(names[:1] + names[2:])]
    assert len(merge_facts(found, embed=embed).entities) == 3 and not asked
    other = "Kelmian Instituut for Physics"
    graph = merge_facts([*found, facts("9", [other])], embed=embed)
    assert frozenset({names[0], other}) in groups(graph)
    assert asked == sorted({names[0], other})
    assert [m.reason for m in graph.merges] == ["embedding"]


@pytest.mark.parametrize(
    "names",
    [
        ("Kelmian National League", "Kelmian National League B"),
        ("Kelmian Democratic Party", "Kelmian Democratic Left Party"),
        ("Kelmian Northern Railway", "Kelmian Southern Railway"),
        ("Kelmian War of 1812", "Kelmian War of 1813"),
    ],
)
def test_close_embeddings_do_not_merge_names_that_say_different_things(names):
    assert not merged(*names, embed=lambda texts: np.ones((len(texts), 4), dtype=np.float32))


def test_similar_names_do_not_chain_into_one():
    def name(id, passages):
        return Name(id, id, frozenset(), frozenset(map(str, range(passages))), frozenset())

    names = [name("a", 1), name("b", 9), name("c", 1), name("d", 1)]
    chain = [Link("a", "b", "fuzzy", 0.9), Link("b", "c", "fuzzy", 0.9), Link("c", "d", "fuzzy", 1)]
    heads, _ = cluster(names, chain)
    joined = {frozenset(i for i in heads if heads[i] == head) for head in heads.values()}
    assert max(map(len, joined)) == 2


def test_a_merge_by_correction_overrides_what_keeps_names_apart():
    found = [facts("a", [("Louis XIV", "person")]), facts("b", [("Sun King", "god")])]
    graph = merge_facts(found, [Correction("merge", "Sun King", "Louis XIV")])
    (louis,) = graph.entities
    assert (louis.name, louis.aliases) == ("Louis XIV", ("Louis XIV", "Sun King"))
    assert [(m.kept, m.merged, m.reason) for m in graph.merges] == [
        ("Louis XIV", "Sun King", "correction")
    ]


CASES = [
    facts("a", ["The Beatles"]),
    facts("b", ["Beatles"]),
    facts("c", [("Bill Clinton", "person"), ("Clinton", "person")]),
    facts("d", ["European Union"], text="The European Union (EU) grows."),
    facts("e", ["EU"]),
    facts("f", ["World Health Organization"], text="World Health Organization (WHO)"),
    facts("g", ["Riemann hypothesis"]),
    facts("h", ["Rieman hypothesis"]),
]


@pytest.mark.parametrize("by", ["names", "ids"])
def test_every_merge_is_undone_by_a_split(by):
    graph = merge_facts(CASES)
    assert len(graph.merges) == 5
    for merge in graph.merges:
        ends = (merge.kept, merge.merged) if by == "names" else (merge.kept_id, merge.merged_id)
        apart = merge_facts(CASES, [Correction("split", *ends)])
        kept = {m for m in apart.merges if {m.kept, m.merged} == {merge.kept, merge.merged}}
        assert not kept
        assert not any({merge.kept, merge.merged} <= group for group in groups(apart))
        assert len(apart.merges) == 4
        again = [Correction("split", *ends), Correction("merge", *reversed(ends))]
        assert groups(merge_facts(CASES, again)) == groups(graph)


def test_a_correction_about_unknown_names_does_nothing():
    corrections = [Correction("merge", "Nowhere", "Nobody"), Correction("split", "X", "Beatles")]
    assert merge_facts(CASES, corrections) == merge_facts(CASES)


def test_no_facts_make_an_empty_graph():
    assert merge_facts([]) == EntityGraph()
    assert merge_facts([facts("a", ["", "...", "  "])]) == EntityGraph()


def test_ids_stay_when_other_documents_come_and_go():
    before = merge_facts(CASES)
    more = [facts(f"x{i}", [("Beatles", "band"), "Oasis"]) for i in range(3)]
    after = {e.id for e in merge_facts([*CASES[2:], *more]).entities}
    assert {e.id for e in before.entities if "a" not in e.passages} <= after


def test_candidates_come_from_shared_words_not_from_all_pairs(monkeypatch):
    compared = []
    monkeypatch.setattr(
        entity_clusters, "_shared_neighbours", lambda a, b: compared.append((a, b)) or 0.0
    )
    syllables = ["ka", "lo", "mi", "nu", "pe", "ra", "si", "to"]
    names = [f"{a}{b}{c} {c}{a}{b}" for a in syllables for b in syllables for c in syllables]
    merge_facts([facts("a", [*names, *(f"Saint {name}" for name in names)])])
    assert 0 < len(compared) <= 6 * len(names)


def test_parts_of_names_worked_out_by_hand():
    assert canonical("Smith, John") == "john smith"
    assert canonical("Henry the Eighth") == canonical("Henry the VIII") == "henry the 8"
    assert same_person("J. R. R. Tolkien", "John Ronald Reuel Tolkien") == "initials"
    assert same_person("J. Smith", "John Smith") == "partly"
    assert same_person("Ann Lee", "Bob Lee") == "no"
    assert slip("alpha morrison", "alpha morisson") == "no"
    assert slip("alpha morrison", "alpha morison") == "likely"
    assert slip("alpha johnson", "alpha johnston") == "possible"
    assert kinds_of("American rock band") == ("organization",)
    assert kinds_of("cities in Texas") == ("place",)
    assert kinds_of("thing") == ()
