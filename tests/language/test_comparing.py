"""Comparisons and counts are computed from the answers to sub-questions."""

from __future__ import annotations

import pytest
from ragraphs.language.comparing import Answered, compute

OLDER = "Who is older, Ann Lee or Bob Ray?"
TOWNS = ("Leith", "Hull")
SAME = "Are Ann Lee and Bob Ray from the same country?"
BOTH = "Are Ann Lee and Bob Ray both actors?"


def about(verb, *answers, things=("Ann Lee", "Bob Ray", "Cy Day")):
    return [
        Answered(verb.format(thing), answer) for thing, answer in zip(things, answers, strict=False)
    ]


def born(*answers):
    return about("When was {} born?", *answers)


@pytest.mark.parametrize(
    ("question", "answered", "answer"),
    [
        (OLDER, born("3 May 1900", "1899"), "Bob Ray"),
        ("Who is younger, Ann Lee or Bob Ray?", born("3 May 1900", "1899"), "Ann Lee"),
        (OLDER, born("3 May 1900", "4 May 1900"), "Ann Lee"),
        ("Is Ann Lee older than Bob Ray?", born("1900", "1899"), "no"),
        ("How many years older is Ann Lee than Bob Ray?", born("1890", "1900"), "10"),
        (SAME, about("Which country is {} from?", "American", "the United States"), "yes"),
        (SAME, about("Which country is {} from?", "Danish", "Norway"), "no"),
        (BOTH, about("Is {} an actor?", "Yes.", "no"), "no"),
        (BOTH, about("Is {} an actor?", "yes", "yes"), "yes"),
        (BOTH, about("Is {} an actor?", "no", ""), "no"),
        (
            "Which singer is Danish, Ann Lee or Bob Ray?",
            about("Is {} Danish?", "no", "yes"),
            "Bob Ray",
        ),
        (
            "Do Leith and Hull have the same population?",
            about("What is the population of {}?", "5 million", "5,000,000", things=TOWNS),
            "yes",
        ),
        (
            "Do Leith and Hull have the same population?",
            about("What is the population of {}?", "5 million", "5 thousand", things=TOWNS),
            "no",
        ),
        (
            "Were Leith and Hull founded by the same person?",
            about("Who founded {}?", "Ann Lee", "Lee", things=TOWNS),
            "yes",
        ),
        (
            "How many of Ann Lee, Bob Ray and Cy Day are actors?",
            about("Is {} an actor?", "yes", "no", "yes"),
            "2",
        ),
        (
            "Which is higher, Mount Lee or Mount Ray?",
            about("How high is {}?", "8.6 km", "8,848 m", things=("Mount Lee", "Mount Ray")),
            "Mount Ray",
        ),
        (
            "이순신과 세종대왕 중 누가 먼저 태어났습니까?",
            [
                Answered("이순신은 언제 태어났습니까?", "1545년"),
                Answered("세종대왕은 언제 태어났습니까?", "1397년 5월 15일"),
            ],
            "세종대왕",
        ),
    ],
)
def test_answers_that_decide_a_question_give_its_answer(question, answered, answer):
    assert compute(question, answered).answer == answer


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        (OLDER, born("1900", "")),
        (OLDER, born("1900", "1900")),
        (OLDER, born("3 May 1900", "1900")),
        (OLDER, born("1900", "unknown")),
        (OLDER, []),
        (BOTH, about("Is {} an actor?", "yes", "")),
        ("Which singer is Danish, Ann Lee or Bob Ray?", about("Is {} Danish?", "yes", "yes")),
        ("Who is Ann Lee?", born("1900")),
        (SAME, about("Which country is {} from?", "Russian-born American", "American")),
        (BOTH, about("Is {} an actor?", "True Grit", "Yes Men")),
        (
            "이순신과 세종대왕은 둘 다 배우입니까?",
            about("{}은 배우입니까?", "네덜란드", "예술가", things=("이순신", "세종대왕")),
        ),
        (
            "Which is higher, Mount Lee or Mount Ray?",
            about("How high is {}?", "8 km", "8 floors", things=("Mount Lee", "Mount Ray")),
        ),
    ],
)
def test_what_the_answers_leave_open_is_not_guessed(question, answered):
    assert compute(question, answered) is None


def test_the_answers_are_followed_from_the_thing_to_its_value():
    steps = [
        Answered("Who is the director of film Ali?", "John Lee"),
        Answered("When did John Lee die?", "3 May 1950"),
        Answered("Who is the director of film Ali Two?", "Kim"),
        Answered("When did Kim die?", "1940"),
    ]
    found = compute("Which film has the director who died first, Ali or Ali Two?", steps)
    assert found.answer == "Ali Two"
    assert set(found.used) == {0, 1, 2, 3}


def test_a_life_is_measured_from_birth_to_death():
    steps = [*born("1900", "1900"), *about("When did {} die?", "1950", "1980")]
    assert compute("Who lived longer, Ann Lee or Bob Ray?", steps).answer == "Bob Ray"
