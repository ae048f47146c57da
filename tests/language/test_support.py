"""Finding the sentences that state a point."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.language.support import CitablePassage, cite_point, nearest_statements

BRIDGE = "The Forth Bridge opened in 1890. John Fowler designed the Forth Bridge. It is red."
TOWN = "Fowler was born in Sheffield. Sheffield lies on the river Don."
SEJONG = "세종대왕은 조선의 왕이다. 세종대왕은 훈민정음을 창제하였다."
LANE = "Allen Lane was born in Bristol."
SPIRIT = (
    "'I wear the chain I forged in life,' replied the Ghost. 'I made it link by link, and yard by "
    "yard; I girded it on of my own free will.' Scrooge trembled more and more."
)
WORDS = st.lists(
    st.sampled_from("Ann Bob Rome bridge river 1890 왕 훈민정음 wrote . ! \n".split(" ")),
    max_size=30,
).map(" ".join)


def cited(point, *texts, most=1, title=""):
    sources = [CitablePassage(str(place), title, text) for place, text in enumerate(texts)]
    return [one.text for one in cite_point(point, sources, most)]


@pytest.mark.parametrize(
    "invented",
    [
        "Allen Lane was a fascist.",
        "Allen Lane was born in London.",
        "Allen Lane was born in Bristol in 1902.",
        "Allen Lane died in Bristol.",
        "Allen Lane founded Penguin Books in order to sell good books cheaply.",
        "Bristol was founded by Allen Lane.",
        "Napoleon was born in Bristol.",
        "Napoleon Bonaparte was born in Bristol.",
    ],
)
def test_a_sentence_about_the_same_subject_states_no_invention(invented):
    assert cited(invented, LANE) == []


def test_a_predicate_of_something_else_is_no_support():
    others = "Oswald Mosley was a fascist, notorious as the leader of a party."
    assert cited("In 1935 Allen Lane was a notorious fascist.", f"{LANE} 1935.", others) == []


def test_a_sentence_with_subject_and_predicate_is_cited_in_whatever_order():
    for point in (LANE, "Bristol is where Allen Lane was born.", "Lane was born in Bristol."):
        assert cited(point, LANE) == [LANE]


def test_a_paraphrase_is_cited_though_its_subject_is_named_elsewhere():
    point = "Marley's Ghost tells Scrooge that it forged its chain in life, of its own free will."
    told = ["'I wear the chain I forged in life,' replied the Ghost."]
    assert cited(point, SPIRIT, title="Marley") == told
    assert cited(f"Penance: {point}", SPIRIT, title="Marley") == told
    assert cited(point.replace("Scrooge", "Fezziwig"), SPIRIT, title="Marley") == []


def test_the_sentence_stands_where_it_says():
    (found,) = cite_point(
        "The Forth Bridge was designed by John Fowler.", [CitablePassage("b", "", BRIDGE)]
    )
    assert (found.passage, found.text) == ("b", "John Fowler designed the Forth Bridge.")
    assert BRIDGE[found.start : found.end] == found.text
    assert 0 < found.score <= 1


def test_korean_points_need_their_predicate_too():
    for point in (
        "훈민정음은 세종대왕이 창제하였다.",
        "세종대왕은 조선의 왕으로서 훈민정음을 창제했다.",
    ):
        assert cited(point, SEJONG) == ["세종대왕은 훈민정음을 창제하였다."]
    for point in ("세종대왕은 서울에서 태어났다.", "세종대왕은 훈민정음을 불태웠다."):
        assert cited(point, SEJONG) == []


def test_sources_state_a_point_together_and_the_best_comes_first():
    point = "John Fowler, born in Sheffield, designed the Forth Bridge."
    found = cite_point(
        point, [CitablePassage("t", "", TOWN), CitablePassage("b", "John Fowler", BRIDGE)], most=5
    )
    assert [one.passage for one in found] == ["b", "t"]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert cited(point, TOWN) == []
    assert cited(point, TOWN, BRIDGE, most=0) == []


def test_what_shares_nothing_is_not_cited():
    assert cited("Whales sing under water.", BRIDGE, TOWN, most=5) == []
    assert cited("", BRIDGE) == [] == cited("The.", "")


def test_what_is_longer_than_a_quotation_is_not_cited():
    long = "John Fowler designed the Forth Bridge " + "and walked on " * 40 + "home."
    found = cited("John Fowler designed the Forth Bridge.", f"{long} {BRIDGE}")
    assert found == ["John Fowler designed the Forth Bridge."]


@pytest.mark.slow
@given(WORDS, st.lists(WORDS, max_size=4), st.integers(0, 4))
def test_citations_are_where_they_say_in_at_most_as_many_passages(point, texts, most):
    sources = [CitablePassage(str(place), "", text) for place, text in enumerate(texts)]
    found = cite_point(point, sources, most)
    assert len(found) <= most and len({one.passage for one in found}) == len(found)
    assert all(texts[int(one.passage)][one.start : one.end] == one.text for one in found)
    assert all(0 < one.score <= 1.000001 for one in found)


@pytest.mark.slow
@given(WORDS.filter(lambda text: "Ann" in text), WORDS.filter(lambda text: "Ann" not in text))
def test_nothing_is_cited_without_a_name_of_the_point(point, text):
    assert cited(f"Then Ann spoke, {point}", text) == []


@pytest.mark.parametrize(
    ("statement", "places"),
    [
        ("Fowler was born in Sheffield.", [2, 0]),
        ("The river Don", [1]),
        ("Whales sing.", []),
        ("", []),
    ],
)
def test_statements_near_to_another_come_by_the_keywords_they_share(statement, places):
    others = ["Fowler designed bridges.", "The Don is a river.", "Sheffield, where Fowler was born"]
    assert nearest_statements(statement, others, 5) == places
    assert nearest_statements(statement, others, 1) == places[:1]
