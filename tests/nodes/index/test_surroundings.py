"""Texts shown beside a passage, so that a model can tell who is meant in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from ragraphs.nodes.index.surroundings import DocumentNames, surroundings

STORY = [
    "Jacob Marley was dead. The Ghost of Noon was near. Rex Hill knew.",
    "So the Ghost of Dusk came, and Jacob Marley saw that Ghost of Noon.",
    "It spoke. The Ghost spoke to Marley, and the Ghost was kind to Marley.",
    "Here the Ghost of Dusk spoke. It was late.",
    "The Ghost fell, and Marley fell. Rain fell on the street.",
    "A dog slept. Nobody came.",
]


def test_a_short_name_comes_with_the_longer_ones_the_one_named_last_first():
    names = DocumentNames(STORY)
    assert names.fuller(4) == ["Ghost of Dusk", "Ghost of Noon", "Jacob Marley"]


def test_a_name_that_the_passage_writes_in_full_is_not_told_again():
    assert "Ghost of Dusk" not in DocumentNames(STORY).fuller(3)


def test_nothing_is_told_where_no_name_is_short_or_it_is_of_one_passage_only():
    names = DocumentNames(STORY)
    assert names.fuller(5) == []
    assert not any("Rex Hill" in names.fuller(place) for place in range(len(STORY)))


def test_an_edit_elsewhere_leaves_the_names_as_they_were():
    names, edited = DocumentNames(STORY), DocumentNames([*STORY[:5], "A cat slept. Somebody came."])
    assert [names.fuller(place) for place in range(5)] == [edited.fuller(p) for p in range(5)]


def test_only_what_there_is_is_shown():
    assert surroundings("", ()) == []
    assert [shown["id"] for shown in surroundings("Then.", ["A B"])] == ["before", "names"]


@given(st.lists(st.text("AB ab.", min_size=1, max_size=40), min_size=1, max_size=6))
def test_every_name_is_one_that_the_document_writes(texts):
    names = DocumentNames(texts)
    for place in range(len(texts)):
        told = names.fuller(place)
        assert len(told) == len(set(told)) <= 6
        assert all(name in " ".join(" ".join(texts).split()) for name in told)


def test_a_full_name_is_told_however_many_others_share_its_word():
    both = "The house of Lee and Ray is old. There Mrs. Lee sat and Mr. Lee stood."
    texts = ["There Ann Lee sang.", "Then Ann Lee ran.", both, both, "In came Lee."]
    assert "Ann Lee" in DocumentNames(texts).fuller(4)
