"""Entities and relations that rules find in a passage."""

from __future__ import annotations

from importlib import resources

import pytest
from hypothesis import given
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
        ("Forth Bridge", "was opened on 4 March 1890 by", "Prince of Wales"),
        ("Forth Bridge", "was designed by", "John Fowler"),
        ("Forth Bridge", "was designed by", "Benjamin Baker"),
        ("William Arrol", "was born in", "Houston"),
    ],
)
def test_a_relation_is_the_verb_phrase_between_two_names(relation):
    assert relation in relations("Forth Bridge", BRIDGE)


@pytest.mark.parametrize(
    "relation",
    [
        ("Johan Dahl", "was born in", "Bergen"),
        ("Johan Dahl", "died in", "Dresden"),
        ("Johan Dahl", "moved to", "Dresden"),
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
        ("세종대왕", "에서 태어났다", "한양"),
    ],
)
def test_korean_relations_are_the_particle_and_the_verb(relation):
    assert relation in relations("세종대왕", KING)


@pytest.mark.parametrize(
    "text",
    [
        "The road of Rome and the port of Ostia were long, and the sea near Naples was calm.",
        "Scrooge had Marley, and Marley Scrooge; the ghost of Marley was with Scrooge.",
        "Hungry and cold, the men of Manchuria saw Japan, which they feared.",
        "When Ann, Bob and Cleo left; “Dan,” said Eve, “is Finn here?”",
    ],
)
def test_without_a_verb_phrase_of_their_own_two_names_are_only_mentioned_together(text):
    assert {relation for _, relation, _ in relations("", text)} <= {"is mentioned with"}


def test_a_preposition_or_an_owner_is_never_taken_for_the_one_who_acts():
    text = "The hall in Leeds was designed by Ann Ree. Bo Lind met Ann's brother."
    assert not {r for r in relations("", text) if r[1] in {"was designed by", "met"}}


def test_kin_is_told_of_the_one_who_is_named():
    text = "Scrooge's nephew, Fred, came in. They knew Scrooge and Fred well."
    assert ("Fred", "is the nephew of", "Scrooge") in relations("", text)


CAROL = (
    "“Oh, bah!” said Scrooge. “Merry Christmas! Don't be cross, uncle,” cried Fred. Now Mr. "
    "Scrooge was angry with Fred. Darkness is cheap. STAVE ONE\n\nMrs. Cratchit gave the Spirit "
    "an apple, and Poor Bob asked them of Rome for Bob's hat."
)


def test_persons_are_known_by_their_titles_by_speaking_and_by_their_kin():
    found = types("", CAROL)
    assert {name for name, type in found.items() if type == "person"} == {
        "Scrooge",
        "Fred",
        "Mrs. Cratchit",
        "Bob",
    }
    assert not {"Oh", "Don't", "Now", "Merry Christmas", "Darkness", "STAVE ONE"} & set(found)


def test_types_follow_the_words_in_and_around_a_name():
    text = f"{BRIDGE} She studied at the University of Oslo. John Fowler was an engineer."
    found = types("Forth Bridge", text + " It tells of the film “Red Kite”.")
    assert (found["Forth Bridge"], found["John Fowler"]) == ("place", "person")
    assert (found["University of Oslo"], found["Red Kite"]) == ("organisation", "work")
    assert found["Houston"] == "place" and "4 March 1890" not in found
    assert types("Johan Dahl", PAINTER)["Johan Dahl"] == "person"
    assert types("Emma (novel)", "Emma is a novel by Jane Austen.")["Emma"] == "work"
    assert types("", "They found Quill, and Quill left Rome.")["Quill"] == ""


def test_a_title_that_the_text_does_not_say_is_no_entity():
    assert "Bridges" not in types("Bridges", BRIDGE)


def test_a_surname_is_the_person_that_the_passage_names_in_full():
    assert "Fowler" not in types("", "It was built by John Fowler. Later Fowler met Baker.")


def test_the_title_comes_first_and_its_description_defines_it():
    first = extract_facts("Forth Bridge", BRIDGE)["entities"][0]
    assert first["name"] == "Forth Bridge"
    assert first["description"].startswith("The Forth Bridge is a railway bridge")


def test_nearer_names_are_connected_more_strongly():
    facts = extract_facts("Emma", "Emma is a novel by Jane Austen, set in a village near London.")
    by_target = {fact["target"]: fact["strength"] for fact in facts["relations"]}
    assert 10 >= by_target["Jane Austen"] > by_target["London"] >= 1


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
        and all(fact["name"].strip() and fact["description"] for fact in facts["entities"])
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
    assert extract_facts(title, text) == facts


_PIECES = st.sampled_from(
    "It was He The bridge Mary Shelley wrote written by in 1818 Geneva , . ( ) \" “ ” ' 's and the "
    "of Norway Norwegian who is a 12 km "
    "세종은 한양에서 1443년에 지었다. 이다. 《 》 ? - :".split(" ")
)


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


def test_a_thing_is_described_by_a_sentence_rather_than_by_a_row_or_a_list():
    text = "Present: Ann Okafor (chair), Peter Lund\n\nThe mayor, Ann Okafor, opened the fair."
    [ann] = [one for one in extract_facts("Minutes", text)["entities"] if "Ann" in one["name"]]
    assert ann["description"] == "The mayor, Ann Okafor, opened the fair."
    lists = ["To: Ann Okafor <ann@example.org>", ann["description"], "key | Ann Okafor | 2026"]
    assert summarise(lists) == ann["description"]
    assert summarise(lists[:1]) == lists[0]
