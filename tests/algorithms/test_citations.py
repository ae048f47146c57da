"""Finding the sentence that a statement rests on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.citations import cite_statement, nearest_statements

BRIDGE = "The Forth Bridge opened in 1890. John Fowler designed the Forth Bridge. It is red."
TOWN = "Fowler was born in Sheffield. Sheffield lies on the river Don."
SEJONG = "세종대왕은 조선의 왕이다. 세종대왕은 훈민정음을 창제하였다."
WORDS = st.lists(
    st.sampled_from("Ann Bob Rome bridge river 1890 왕 훈민정음 wrote . ! \n".split(" ")),
    max_size=30,
).map(" ".join)


def test_the_most_like_sentence_is_cited_where_it_stands():
    (found,) = cite_statement("The Forth Bridge was designed by John Fowler.", [("b", BRIDGE)])
    assert (found.passage, found.text) == ("b", "John Fowler designed the Forth Bridge.")
    assert BRIDGE[found.start : found.end] == found.text
    assert 0 < found.score <= 1


def test_korean_sentences_are_cited():
    (found,) = cite_statement("훈민정음은 세종대왕이 창제하였다.", [("k", SEJONG)])
    assert found.text == "세종대왕은 훈민정음을 창제하였다."
    assert SEJONG[found.start : found.end] == found.text


def test_one_sentence_of_a_passage_is_cited_and_the_best_passage_first():
    texts = [("t", TOWN), ("b", BRIDGE)]
    statement = "John Fowler, born in Sheffield, designed the Forth Bridge."
    found = cite_statement(statement, texts, most=5)
    assert [one.passage for one in found] == ["b", "t"]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert len(cite_statement(statement, texts)) == 1
    assert cite_statement(statement, texts, most=0) == []


def test_what_shares_nothing_is_not_cited():
    assert cite_statement("Whales sing under water.", [("b", BRIDGE), ("t", TOWN)], 5) == []
    assert cite_statement("", [("b", BRIDGE)]) == [] == cite_statement("The.", [("b", "")])


def test_what_is_longer_than_a_quotation_is_not_cited():
    long = "John Fowler designed the Forth Bridge " + "and walked on " * 40 + "home."
    found = cite_statement("John Fowler designed the Forth Bridge.", [("l", f"{long} {BRIDGE}")])
    assert [one.text for one in found] == ["John Fowler designed the Forth Bridge."]


def test_the_same_sentence_in_two_passages_is_cited_by_the_order_of_ids():
    found = cite_statement("John Fowler designed it.", [("b", BRIDGE), ("a", BRIDGE)], 2)
    assert [one.passage for one in found] == ["a", "b"]


@given(WORDS, st.lists(WORDS, max_size=4), st.integers(0, 4))
def test_citations_are_where_they_say_in_at_most_as_many_passages(statement, texts, most):
    passages = [(str(place), text) for place, text in enumerate(texts)]
    found = cite_statement(statement, passages, most)
    assert len(found) <= most and len({one.passage for one in found}) == len(found)
    assert all(dict(passages)[one.passage][one.start : one.end] == one.text for one in found)
    assert all(0 < one.score <= 1.000001 for one in found)


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
