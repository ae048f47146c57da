"""Metadata: what fits into an index, and where in a passage it holds."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.metadata import (
    LARGEST,
    MOST_KEYS,
    checked_metadata,
    combined,
    is_key,
    metadata_at,
    size_of,
)

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.dates(),
    st.lists(st.one_of(st.text(), st.integers()), max_size=200),
    st.dictionaries(st.text(), st.text(), max_size=2),
)


def test_metadata_is_kept_in_the_order_of_its_keys_with_dates_as_text_and_without_none():
    given = {
        "year": 1843,
        "author": "Ada",
        "tags": ("a", "b"),
        "draft": False,
        "weight": 0.5,
        "day": date(1843, 9, 1),
        "at": datetime(2024, 5, 1, 12, 30),
        "page": None,
        "none": [],
        "저자": "세종",
    }
    kept = checked_metadata(given, "a")
    assert kept == {
        "at": "2024-05-01T12:30:00",
        "author": "Ada",
        "day": "1843-09-01",
        "draft": False,
        "tags": ["a", "b"],
        "weight": 0.5,
        "year": 1843,
        "저자": "세종",
    }
    assert list(kept) == sorted(kept)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("Ada", "must be a dictionary"),
        ({"$where": 1}, "begin with none of"),
        ({"_id": 1}, "begin with none of"),
        ({"#": 1}, "begin with none of"),
        ({"": 1}, "1 to 64 characters"),
        ({"k" * 65: 1}, "1 to 64 characters"),
        ({'a"b': 1}, "without quotation marks"),
        ({1: 1}, "1 to 64 characters"),
        ({"title": "A"}, "the name of a field"),
        ({"a": {"b": 1}}, "values are texts, numbers"),
        ({"a": [1, 2]}, "lists of at most 100 texts"),
        ({"a": ["b"] * 101}, "lists of at most 100 texts"),
        ({"a": float("nan")}, "values are texts, numbers"),
        ({"a": 10**400}, "values are texts, numbers"),
        ({"a": "b" * 9000}, "at most 50 keys and 8 KB"),
        ({f"key {n}": n for n in range(51)}, "at most 50 keys and 8 KB"),
    ],
)
def test_metadata_that_does_not_fit_is_refused_in_one_sentence(given, said):
    with pytest.raises(RagraphsError, match=said) as refused:
        checked_metadata(given, "the document 'a'")
    assert "the document 'a'" in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.slow
@given(st.dictionaries(st.text(max_size=80), VALUES), st.dictionaries(st.text(), VALUES))
def test_what_does_not_fit_is_left_out_where_metadata_is_combined(first, second):
    kept = combined(first, second)
    assert all(map(is_key, kept))
    assert combined(kept) == kept == checked_metadata(kept, "a")
    assert all(key in first or key in second for key in kept)


def test_the_first_that_has_a_key_decides_and_the_rest_is_left_out_where_there_is_no_room():
    assert combined({"a": 1}, {"a": 2, "b": 3, "title": "T"}) == {"a": 1, "b": 3}
    large = combined({f"key {n}": "x" * 1000 for n in range(20)}, {"last": "y" * 1000})
    assert 7 * 1000 < size_of(large) <= LARGEST
    assert "last" not in large
    assert len(combined({f"key {n}": n for n in range(200)})) == MOST_KEYS


def test_the_metadata_of_a_place_is_that_of_the_last_turn_before_it():
    passage = {
        "id": "p",
        "document": "d",
        "title": "D",
        "text": "abcdef",
        "start": 10,
        "end": 16,
        "metadata": {"section": "A", "year": 1},
        "turns": [
            {"start": 12, "metadata": {"section": "B", "page": 2}},
            {"start": 14, "metadata": {"section": None}},
        ],
    }
    assert metadata_at(passage, 11) == {"section": "A", "year": 1}
    assert metadata_at(passage, 12) == {"page": 2, "section": "B", "year": 1}
    assert metadata_at(passage, 15) == {"year": 1}
