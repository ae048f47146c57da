"""Finding spellings in texts, and asking a store for no others than it may find."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.entities.spans import SpellingIndex, possible_names
from ragraphs.language.mentions import normalised

SPELLINGS = [
    *("Forth Bridge", "The Beatles", "the", "Beatles", "U.S.", "US", "u.s. army", "J. K. Rowling"),
    *("O'Brien", "O Brien", "o’brien", "C", "C++", "C#", "$100 million", "100", "9%", "Xi'an"),
    *("St. John's College", "St. John", "Jean-Luc", "A. B. Smith", "Zoë", "Straße", "Apple"),
    *("apple", "서울", "서울 대학교", "Ph.D.", "rock 'n' roll", "Queen's", "Queen", "Shi'ite"),
]
WORDS = [*SPELLINGS, "who", "In", "of", "서울에서", "Rowling's", "J.K. Rowling", "Brien", "?", ". "]


def found_by_names(spellings: Sequence[str], text: str) -> list[tuple[str, int, int]]:
    """The spans of those spellings alone that a store has under a possible name."""
    asked = possible_names(text)
    known = {one: [one] for one in spellings if normalised(one) in asked}
    return list(map(tuple, SpellingIndex(known).find(text)))


@given(
    st.lists(st.sampled_from(SPELLINGS), unique=True),
    st.lists(st.sampled_from(WORDS), max_size=8),
    st.sampled_from([" ", ", ", "-", "'", ""]),
)
def test_possible_names_leave_out_no_spelling_that_is_found(spellings, words, between):
    text = between.join(words)
    every = SpellingIndex({one: [one] for one in spellings}).find(text)
    assert found_by_names(spellings, text) == list(map(tuple, every))


@pytest.mark.parametrize("name", SPELLINGS)
def test_each_spelling_is_found_in_its_own_sentence(name):
    spans = found_by_names(SPELLINGS, f"Tell of {name}, please.")
    assert name in {one for one, _, _ in spans}


def test_the_names_of_a_long_text_grow_with_its_words_alone():
    short, long = (possible_names(" ".join(f"word{n}" for n in range(many))) for many in (100, 200))
    assert len(long) < 2.5 * len(short)


def test_a_text_without_words_has_no_names():
    assert possible_names(" ?! ") == set()
