"""The grammar of filters: what they mean, how they are written, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from ragraphs.context import QuestionContext
from ragraphs.state.errors import RagraphsError
from ragraphs.state.filters import conditions_of, matches, parse_where

BOOK = {
    "author": "Ada",
    "year": 1990,
    "price": 9.5,
    "tag": ["a", "b"],
    "draft": True,
    "date": "2024-05-01",
    "empty": [],
}


@pytest.mark.parametrize(
    "where",
    [
        {},
        {"author": "Ada", "year": 1990},
        {"author": {"$eq": "Ada", "$ne": "Bob"}},
        {"year": {"$gte": 1990, "$lt": 1990.5}},
        {"year": 1990.0},
        {"price": {"$gt": 9}},
        {"date": {"$gte": "2024-01", "$lt": "2025"}},
        {"tag": "a"},
        {"tag": {"$contains": "b"}},
        {"tag": {"$in": ["c", "b"]}},
        {"tag": {"$nin": ["c", "d"]}},
        {"draft": True},
    ],
)
def test_metadata_meets_a_filter(where: dict[str, Any]) -> None:
    assert matches(BOOK, where)


@pytest.mark.parametrize(
    "where",
    [
        {"author": "Ada", "year": 1991},
        {"year": {"$gte": 1990, "$lt": 1990}},
        {"tag": {"$ne": "a"}},
        {"tag": {"$nin": ["b", "c"]}},
        {"draft": False},
    ],
)
def test_metadata_does_not_meet_a_filter(where: dict[str, Any]) -> None:
    assert not matches(BOOK, where)


@pytest.mark.parametrize("asked", ["1990", True, {"$ne": "x", "$gt": "1"}])
def test_values_of_another_kind_are_never_equal_and_have_no_order(asked: Any) -> None:
    assert not matches(BOOK, {"year": asked})


def test_truth_is_not_one() -> None:
    assert not matches(BOOK, {"draft": 1})
    assert matches(BOOK, {"draft": {"$ne": 1}})


@pytest.mark.parametrize("key", ["missing", "empty"])
@pytest.mark.parametrize("asked", ["x", {"$ne": "x"}, {"$nin": ["x"]}, {"$gt": 0}])
def test_a_key_without_a_value_matches_nothing(key: str, asked: Any) -> None:
    assert not matches(BOOK, {key: asked})


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"$or": [{"a": 1}]}, "begins with '$or'"),
        ({"year": {"$gtt": 1}}, "where.year.$gtt is no operator; use $gt, $gte,"),
        ({"year": {"$gte": True}}, "where.year.$gte takes a number or a text"),
        ({"year": {"$in": 3}}, "where.year.$in takes a list"),
        ({"year": {"$in": []}}, "where.year.$in takes a list of at least one value"),
        ({"year": {"$in": [1, {"$gt": 2}]}}, "where.year.$in[1] takes a text, a number"),
        ({"year": [1, 2]}, 'where.year takes one value; for any of several: {"$in": [...]}'),
        ({"year": None}, "where.year takes a text, a number, true or false, not None"),
        ({"year": {}}, "where.year is empty"),
        ({"year": {"$gt": float("nan")}}, "where.year.$gt takes a text, a number"),
        ({"year": {"$gt": {"$not": {"$in": [1]}}}}, "where.year.$gt takes a text, a number"),
        ({str(key): 1 for key in range(51)}, "51 keys; use at most 50"),
        ({"year": {"$in": list(range(9999))}}, "characters; use at most 16,000"),
        ({"year": 10**400}, "where.year takes a text, a number"),
        ({"author": "\ud800"}, "where.author takes a text, a number"),
        ({"k" * 5000: {}}, f"where.{'k' * 60}… is empty"),
        ({"year": {"\ud800": 1}}, "where.year.\ufffd is no operator"),
        ({3: 1}, "The key 3 of the filter is no text"),
        ("author=Ada", "A filter is a dictionary"),
    ],
)
def test_another_form_is_refused_with_the_place(where: Any, said: str) -> None:
    with pytest.raises(RagraphsError) as refused:
        conditions_of(where)
    assert said in str(refused.value)


def test_a_context_refuses_a_filter_that_nobody_could_mean() -> None:
    with pytest.raises(ValueError, match="no operator"):
        QuestionContext(where={"year": {"$foo": 1}})


@pytest.mark.parametrize(
    ("texts", "where"),
    [
        (["author=Ada"], {"author": "Ada"}),
        (["author!=Ada"], {"author": {"$ne": "Ada"}}),
        (["year>=1990", "year < 2000"], {"year": {"$gte": 1990, "$lt": 2000}}),
        (["tag=a,b"], {"tag": {"$in": ["a", "b"]}}),
        (["tag!=a, b"], {"tag": {"$nin": ["a", "b"]}}),
        (["date>=2024-01", "date<2025"], {"date": {"$gte": "2024-01", "$lt": "2025"}}),
        (["draft=true", "price=9.5"], {"draft": True, "price": 9.5}),
        (['year="1990"', "id='7'"], {"year": "1990", "id": "7"}),
        (['title="Hello, World"'], {"title": "Hello, World"}),
        (["path=notes/a=b.md"], {"path": "notes/a=b.md"}),
        (['author=""'], {"author": ""}),
        (["시대=조선"], {"시대": "조선"}),
    ],
)
def test_conditions_of_the_command_line(texts: list[str], where: dict[str, Any]) -> None:
    assert parse_where(texts) == where


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["author"], "is no condition; write for example author=Ada"),
        (["year>>3"], "is no condition"),
        (["=Ada"], "is no condition"),
        (["author="], 'lacks a value; an empty one is written ""'),
        (["year>1,2"], "compares with several values"),
        (["tag=a", "tag=b"], "names tag with the same sign twice"),
        (['title="Hello" World'], "put the whole value in quotes"),
        (["draft>true"], "true and false have no order"),
    ],
)
def test_a_condition_of_another_form_is_refused(texts: list[str], said: str) -> None:
    with pytest.raises(RagraphsError) as refused:
        parse_where(texts)
    assert said in str(refused.value)


def test_dates_are_compared_by_time() -> None:
    def holds(date: str, sign: str, asked: str) -> bool:
        return matches({"date": date}, {"date": {sign: asked}})

    assert holds("2024-01-15", "$eq", "2024-01") and not holds("2024-02-01", "$eq", "2024-01")
    assert holds("2024-01-31T10:00:00", "$lte", "2024-01") and holds("2024", "$gte", "2024-01")
    assert not holds("2024-01-15", "$gt", "2024-01") and holds("2024-02-01", "$gt", "2024-01")
    assert not holds("2024", "$lt", "2024-01-01") and holds("2023-12-31", "$lt", "2024")
    assert holds("2024-02", "$ne", "2024-01") and not holds("soon", "$gte", "2024")


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("minutes/**", [True, True, False]),
        ("*.md", [True, False, True]),
        ("min*/2024/*.txt", [False, True, False]),
        ("minutes/may.md*may.md", [False, False, False]),
    ],
)
def test_a_star_in_a_path_stands_for_any_characters(pattern: str, fits: list[bool]) -> None:
    paths = ["minutes/may.md", "minutes/2024/june.txt", "notes.md"]
    assert [matches({"path": path}, parse_where([f"path={pattern}"])) for path in paths] == fits
    assert [matches({"path": path}, {"path": {"$ne": pattern}}) for path in paths] == [
        not one for one in fits
    ]
    assert not matches({"title": "minutes/may.md"}, {"title": pattern})


def test_a_path_with_many_stars_is_refused() -> None:
    with pytest.raises(RagraphsError, match=r"where\.path takes a path with at most 3 \*"):
        matches({"path": "a"}, {"path": "*a*b*c*"})
