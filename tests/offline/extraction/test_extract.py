"""Entities and relations that rules find in a passage."""

from __future__ import annotations

from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.offline.extraction.extract import extract_facts, summarise

BRIDGE = (
    "The Forth Bridge is a railway bridge across the Firth of Forth in the east of Scotland. "
    "It was opened on 4 March 1890 by the Prince of Wales. The bridge was designed by John Fowler "
    "and Benjamin Baker. Its chief builder was William Arrol, who was born in Houston, Scotland."
)
PAINTER = (
    "Johan Dahl (24 February 1788, Bergen – 14 October 1857, Dresden) was a Norwegian painter. "
    "In 1818 he moved to Dresden. Dahl taught Thomas Fearnley, Knud Baade and Peder Balke."
)
KING = (
    "세종대왕은 조선의 제4대 왕이다. 그는 1443년에 훈민정음을 창제하였다. 세종은 한양에서 태어났다."
)


def relations(title, text):
    return {
        (fact["source"], fact["relation"], fact["target"])
        for fact in extract_facts(title, text)["relations"]
    }


def types(title, text):
    return {fact["name"]: fact["type"] for fact in extract_facts(title, text)["entities"]}


@pytest.mark.parametrize(
    "relation",
    [
        ("Forth Bridge", "is a railway bridge across", "Firth of Forth"),
        ("Forth Bridge", "was opened on", "4 March 1890"),
        ("Forth Bridge", "was opened by", "Prince of Wales"),
        ("Forth Bridge", "was designed by", "John Fowler"),
        ("Forth Bridge", "was designed by", "Benjamin Baker"),
        ("Forth Bridge", "has the chief builder", "William Arrol"),
        ("William Arrol", "was born in", "Houston"),
        ("Houston", "is in", "Scotland"),
    ],
)
def test_a_relation_is_the_words_between_two_names(relation):
    assert relation in relations("Forth Bridge", BRIDGE)


@pytest.mark.parametrize(
    "relation",
    [
        ("Johan Dahl", "was born on", "24 February 1788"),
        ("Johan Dahl", "was born in", "Bergen"),
        ("Johan Dahl", "died in", "Dresden"),
        ("Johan Dahl", "is from", "Norway"),
        ("Johan Dahl", "moved to", "Dresden"),
        ("Johan Dahl", "moved in", "1818"),
        ("Johan Dahl", "taught", "Peder Balke"),
    ],
)
def test_pronouns_surnames_and_lives_are_the_topics(relation):
    assert relation in relations("Johan Dahl", PAINTER)


@pytest.mark.parametrize(
    "relation",
    [
        ("세종대왕", "제4대 왕이다", "조선"),
        ("세종대왕", "창제하였다", "훈민정음"),
        ("세종대왕", "에 훈민정음을 창제하였다", "1443년"),
        ("세종대왕", "에서 태어났다", "한양"),
    ],
)
def test_korean_relations_are_the_particle_and_the_verb(relation):
    assert relation in relations("세종대왕", KING)


def test_types_follow_the_words_in_and_around_a_name():
    found = types("Forth Bridge", BRIDGE)
    assert (found["Forth Bridge"], found["John Fowler"]) == ("bridge", "person")
    assert (found["4 March 1890"], found["Scotland"]) == ("date", "place")
    assert types("Johan Dahl", PAINTER)["Johan Dahl"] == "person"


def test_the_type_of_an_organisation_is_in_its_name():
    assert types("Ann", "Ann studied at the University of Oslo.")["University of Oslo"] == (
        "organisation"
    )


def test_the_title_comes_first_and_its_description_defines_it():
    first = extract_facts("Forth Bridge", BRIDGE)["entities"][0]
    assert first["name"] == "Forth Bridge"
    assert first["description"].startswith("The Forth Bridge is a railway bridge")


def test_a_description_names_what_a_pronoun_stands_for():
    facts = extract_facts("Forth Bridge", BRIDGE)
    prince = next(fact for fact in facts["entities"] if fact["name"] == "Prince of Wales")
    assert prince["description"].startswith("Forth Bridge was opened on")


def test_a_person_keeps_the_pronouns_in_a_text_about_something_else():
    text = "Joseph Strauss was born in Cincinnati. In Ohio he built a bridge."
    assert ("Joseph Strauss", "built in", "Ohio") in relations("Engineers", text)


def test_brackets_of_a_title_are_no_part_of_the_name():
    assert types("Emma (novel)", "Emma is a novel by Jane Austen.")["Emma"] == "novel"


def test_nearer_names_are_connected_more_strongly():
    facts = extract_facts("Emma", "Emma is a novel by Jane Austen, set in a village near London.")
    by_target = {fact["target"]: fact["strength"] for fact in facts["relations"]}
    assert 10 >= by_target["Jane Austen"] > by_target["London"] >= 1


def test_a_sentence_without_names_gives_its_noun_phrases():
    found = types("Coffee", "Coffee is made from the roasted seeds of a tropical plant.")
    assert {"Coffee", "roasted seeds", "tropical plant"} <= set(found)


def test_a_long_list_gives_relations_in_proportion():
    names = ", ".join(f"{first} {last}" for first in ("Ann", "Bea", "Cleo") for last in SURNAMES)
    facts = extract_facts("Red Kite", f"Red Kite is a film starring {names}.")
    assert len(facts["entities"]) > 20
    assert len(facts["relations"]) < 40


SURNAMES = "Adler Beck Cole Dunn Eder Falk Gray Hart Iver Jung Kerr Lund".split()


def test_nothing_is_found_in_nothing():
    assert extract_facts("", " \n") == {"entities": [], "relations": [], "claims": []}


DEMO = [
    (file.name.removesuffix(".md"), paragraph)
    for file in sorted(resources.files("ragraphs").joinpath("demo").iterdir(), key=str)
    for paragraph in file.read_text(encoding="utf-8").split("\n\n")[1:]
]


def is_sound(facts):
    names = [fact["name"] for fact in facts["entities"]]
    return (
        len(set(names)) == len(names)
        and all(fact["name"].strip() and fact["type"] for fact in facts["entities"])
        and all(
            fact["source"] != fact["target"]
            and {fact["source"], fact["target"]} <= set(names)
            and fact["relation"].strip()
            and 0 < fact["strength"] <= 10
            for fact in facts["relations"]
        )
        and len(facts["relations"]) <= 60
        and facts["claims"] == []
    )


@pytest.mark.parametrize(("title", "text"), DEMO)
def test_the_demo_texts_give_sound_facts_and_always_the_same(title, text):
    facts = extract_facts(title, text)
    assert is_sound(facts)
    assert facts["entities"] and extract_facts(title, text) == facts


_PIECES = st.sampled_from(
    "It was He The bridge Mary Shelley wrote written by in 1818 Geneva , . ( ) \" “ ” ' 's and the "
    "of Norway Norwegian who is a 12 km "
    "세종은 한양에서 1443년에 지었다. 이다. 《 》 ? - :".split(" ")
)


@settings(max_examples=300)
@given(_PIECES, st.lists(_PIECES, max_size=40))
def test_sentence_like_text_gives_sound_facts(title, pieces):
    assert is_sound(extract_facts(title, " ".join(pieces)))


@given(st.text(max_size=40), st.text(max_size=300))
def test_any_text_gives_sound_facts(title, text):
    assert is_sound(extract_facts(title, text))


def test_a_summary_keeps_distinct_telling_sentences_in_order():
    said = [
        "Ann Lee was a painter.",
        "Ann Lee was a Norwegian painter born in Oslo in 1901.",
        "She won the Venice Prize. Ann Lee was a painter.",
    ]
    assert summarise(said) == (
        "Ann Lee was a Norwegian painter born in Oslo in 1901. She won the Venice Prize."
    )


@given(st.lists(st.text(max_size=200), max_size=6))
def test_a_summary_is_short_and_empty_only_for_nothing(descriptions):
    summary = summarise(descriptions)
    assert len(summary.split()) <= 61
    assert bool(summary) == any(text.strip() for text in descriptions)


def test_he_is_the_person_told_of_where_the_title_is_nobody():
    text = "# Great engineers\n\nAnn Ree was born in Cork. She died in Rome in 1938. "
    facts = extract_facts("Great engineers", text + "Bo Lind was born in Ulm. He moved to Oslo.")
    told = {(fact["source"], fact["relation"], fact["target"]) for fact in facts["relations"]}
    assert {("Ann Ree", "died in", "Rome"), ("Bo Lind", "moved to", "Oslo")} <= told
