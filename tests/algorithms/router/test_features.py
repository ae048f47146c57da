"""Features of a question's form, English and Korean."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.router.features import question_features

ONCE = math.log1p(1)


@pytest.mark.parametrize(
    ("question", "present", "absent"),
    [
        ("Who designed the Forth Bridge?", {"person", "names"}, {"compared", "fresh", "broad"}),
        ("Which is longer, the Elbe or the Oder?", {"choice", "options", "compared"}, {"about"}),
        (
            "Where was the director of the film that won in 1990 born?",
            {"place", "roles", "of"},
            {"open"},
        ),
        ("Why did prices rise, and when did they fall?", {"reason", "asked"}, {"whole"}),
        ("If the pump fails, what has to be done?", {"conditions"}, {"compared"}),
        ("What are the main themes of the whole collection?", {"broad", "whole"}, {"fresh"}),
        ("What is the latest price right now?", {"fresh"}, {"whole", "about"}),
        ("Tell me about Scrooge.", {"about", "names"}, {"asked", "options"}),
        ("Write a summary of the guideline.", {"task", "broad"}, {"date"}),
        ("포스교는 누가 설계했습니까?", {"person", "names"}, {"compared", "fresh", "broad"}),
        ("엘베강과 오데르강 중 어느 강이 더 깁니까?", {"choice", "options", "compared"}, {"about"}),
        (
            "포스교를 설계한 사람의 아내는 어디에서 태어났나요?",
            {"place", "relative", "of"},
            {"open"},
        ),
        ("왜 가격이 올랐고 언제 내렸습니까?", {"reason", "asked"}, {"whole"}),
        ("펌프가 고장 난 경우 무엇을 해야 합니까?", {"conditions"}, {"compared"}),
        ("문서 전체의 주요 주제는 무엇입니까?", {"broad", "whole"}, {"fresh"}),
        ("지금 최신 가격은 얼마입니까?", {"fresh", "number"}, {"whole", "about"}),
        ("스크루지에 대해 알려 주세요.", {"about"}, {"asked", "options"}),
        ("지침을 요약한 글을 작성해 주세요.", {"task", "broad"}, {"date"}),
    ],
)
def test_the_form_of_a_question_shows_in_its_features(question, present, absent):
    found = question_features(question)
    assert {name for name in present if not found[name]} == set()
    assert {name for name in absent if found[name]} == set()


def test_counts_grow_with_what_is_counted():
    chain = question_features("Who is the wife of the son of the king of Spain?")
    assert chain["of"] == pytest.approx(math.log1p(3))
    assert question_features("Who is the king of Spain?")["of"] == pytest.approx(ONCE)
    assert chain["length"] > question_features("Who is the king of Spain?")["length"]


@given(st.text(max_size=60))
def test_any_text_has_finite_features_and_one_kind_of_answer(text):
    found = list(question_features(text).values())
    assert all(math.isfinite(value) and value >= 0 for value in found)
    assert sum(found[:9]) == 1
