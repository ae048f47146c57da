"""Features of a question's form, English and Korean."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.router.features import FEATURES, question_features


@pytest.mark.parametrize(
    ("question", "present", "absent"),
    [
        ("Who designed the Forth Bridge?", {"value", "named", "specific"},
         {"sources", "fresh", "about", "themes"}),
        ("Why did prices rise in the third year?", {"reason", "past", "place"}, {"fresh"}),
        ("What are the main themes of the whole collection?",
         {"themes", "throughout", "sources", "plural"}, {"fresh", "reason", "value"}),
        ("Sum up what the tenants often complain about.",
         {"people", "repeated", "condensed", "opinion"}, {"news"}),
        ("How do his views change?", {"themes", "changes"}, {"value"}),
        ("What is this novel trying to say?", {"work", "depicted"}, {"value", "about"}),
        ("What kinds of faults do these files list?", {"kinds", "here", "sources"}, {"value"}),
        ("Compare the two witnesses.", {"compared", "gathered"}, {"fresh"}),
        ("What was life in the camp like?", {"manner", "past"}, {"value"}),
        ("What is the purpose of the valve?", {"matters"}, {"themes"}),
        ("Is it raining right now?", {"fresh", "news", "yes_no"}, {"sources", "about"}),
        ("What is the budget of this year?", {"period"}, {"fresh"}),
        ("Tell me about Scrooge.", {"about"}, {"value", "sources"}),
        ("포스교는 누가 설계했습니까?", {"value", "past"}, {"sources", "fresh", "about"}),
        ("왜 세 번째 해에 가격이 올랐습니까?", {"reason", "past", "place"}, {"fresh"}),
        ("문서 전체의 주요 주제는 무엇입니까?", {"themes", "throughout", "sources"}, {"fresh"}),
        ("손님들이 자주 하는 말을 간추려 줘", {"people", "repeated", "condensed"}, {"news"}),
        ("작가는 무슨 말을 전하려 하나요?", {"work", "depicted"}, {"value"}),
        ("마을마다 무엇이 다른가요?", {"plural", "compared"}, {"value"}),
        ("수용소 생활은 어땠나요?", {"manner", "themes"}, {"value"}),
        ("지금 날씨가 어때?", {"fresh", "news"}, {"sources", "about"}),
        ("올해 예산은 얼마입니까?", {"period", "value"}, {"fresh"}),
        ("스크루지에 대해 자세히 알려 주세요.", {"about"}, {"value", "sources"}),
        ("이사회는 주차장에 대해 무엇을 결정했나요?", {"past"}, {"about"}),
        ("필터를 바꾸는 방법", {"reason"}, {"sources"}),
    ],
)  # fmt: skip
def test_the_form_of_a_question_shows_in_its_features(question, present, absent):
    found = question_features(question)
    assert {name for name in present if not found[name]} == set()
    assert {name for name in absent if found[name]} == set()


def test_counts_grow_with_what_is_counted():
    one, two = (question_features(f"Summarise {text}.") for text in ("reports", "reports, notes"))
    assert one["sources"] == pytest.approx(math.log1p(1))
    assert two["sources"] == pytest.approx(math.log1p(2))
    assert two["specific"] == one["specific"]
    assert two["length"] > one["length"]


@given(st.text(max_size=60))
def test_any_text_has_finite_features(text):
    found = question_features(text)
    assert list(found)[: len(FEATURES)] == list(FEATURES)
    assert all(math.isfinite(value) and value >= 0 for value in found.values())


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How so?", {"=how", "=so", "=^ how", "=how so", "=so ?", "=? $"}),
        ("값은?", {"=-은", "=-값은", "=값은-", "=값은- ?-", "=?- $-"}),
        ("WAL은?", {"=wal", "=^ wal", "=wal 은", "=은 ?", "=? $", "=-은"}),
    ],
)
def test_the_wording_of_a_question_follows_its_form(question, parts):
    assert {name for name in question_features(question) if name[0] == "="} == parts
