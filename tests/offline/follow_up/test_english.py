"""Follow-up questions that are made to stand alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.offline.follow_up.english import stand_alone
from ragraphs.prompts.prompt import number


def said(*texts):
    return number([(("question", "answer")[n % 2], text) for n, text in enumerate(texts)])


BRIDGE = said("Who designed the Forth Bridge?", "John Fowler.")
BIRTH = [*BRIDGE, *said("Where was he born?", "Sheffield")]
LYON = said("How many people live in Lyon?", "About 520,000.")
CURIE = said("Who was Marie Curie?", "Marie Curie was a physicist and chemist.")
KOREAN = said("포스교는 누가 설계했습니까?", "존 파울러")
KOREAN_BIRTH = [*KOREAN, *said("그는 어디에서 태어났나요?", "셰필드")]


@pytest.mark.parametrize(
    ("history", "question", "rewritten"),
    [
        (BRIDGE, "When was he born?", "When was John Fowler born?"),
        (BRIDGE, "And his partner?", "Who is John Fowler's partner?"),
        (BRIDGE, "And its length?", "What is the Forth Bridge's length?"),
        (BRIDGE, "When was it built?", "When was the Forth Bridge built?"),
        (BRIDGE, "How long is that bridge?", "How long is the Forth Bridge?"),
        (BRIDGE, "What about the Tower Bridge?", "Who designed the Tower Bridge?"),
        (BRIDGE, "Why?", "Who designed the Forth Bridge, and why?"),
        (BRIDGE, "Is it true that he died there?", "Is it true that John Fowler died there?"),
        (BIRTH, "When did he die?", "When did John Fowler die?"),
        (BIRTH, "How many people live there?", "How many people live in Sheffield?"),
        (BIRTH, "How large is it?", "How large is Sheffield?"),
        (BIRTH, "And Benjamin Baker?", "Where was Benjamin Baker born?"),
        (LYON, "And in Paris?", "How many people live in Paris?"),
        (LYON, "And in 1990?", "How many people live in Lyon in 1990?"),
        (CURIE, "Who was her teacher?", "Who was Marie Curie's teacher?"),
        (
            said("What is a sonata?", "A piece of music."),
            "How long is it?",
            "How long is a sonata?",
        ),
        (
            said("Who designed it?", "John Fowler and Benjamin Baker designed it."),
            "Where did they study?",
            "Where did John Fowler and Benjamin Baker study?",
        ),
        (KOREAN, "그는 언제 죽었나요?", "존 파울러는 언제 죽었나요?"),
        (KOREAN, "그의 아내는?", "존 파울러의 아내는 누구인가요?"),
        (KOREAN, "그것은 언제 지어졌나요?", "포스교는 언제 지어졌나요?"),
        (KOREAN, "그 다리는 얼마나 긴가요?", "포스교는 얼마나 긴가요?"),
        (KOREAN, "언제 지어졌나요?", "포스교는 언제 지어졌나요?"),
        (KOREAN, "언제 죽었나요?", "존 파울러는 언제 죽었나요?"),
        (KOREAN, "그럼 타워 브리지는요?", "타워 브리지는 누가 설계했습니까?"),
        (KOREAN_BIRTH, "그곳의 인구는 얼마입니까?", "셰필드의 인구는 얼마입니까?"),
        (KOREAN_BIRTH, "그는 언제 죽었나요?", "존 파울러는 언제 죽었나요?"),
        (
            said("훈민정음은 누가 만들었나요?", "세종대왕이 만들었습니다."),
            "그녀가 언제 태어났나요?",
            "세종대왕이 언제 태어났나요?",
        ),
    ],
)
def test_what_points_back_is_replaced_by_the_most_recent_name_that_fits(
    history, question, rewritten
):
    assert stand_alone(question, history) == rewritten


@pytest.mark.parametrize("history", [BIRTH, KOREAN_BIRTH, []])
@pytest.mark.parametrize(
    "question",
    [
        "When was the Brooklyn Bridge opened?",
        "Who was Ada Lovelace and when was she born?",
        "Is there a bridge over the Elbe?",
        "What time is it?",
        "Tell me about Globex.",
        "What are the main themes of these documents?",
        "경복궁은 언제 지어졌나요?",
        "이 문서들의 주요 주제는 무엇입니까?",
        "그림은 누가 그렸나요?",
        "",
    ],
)
def test_a_question_that_stands_alone_is_left_as_it_is(history, question):
    assert stand_alone(question, history) == question


def test_without_a_name_that_fits_the_question_is_left_as_it_is():
    history = said("What happened in 1890?", "Nothing.")
    assert stand_alone("When did he die?", history) == "When did he die?"
    assert stand_alone("When did he die?", []) == "When did he die?"


@given(st.text(max_size=40), st.lists(st.text(max_size=40), max_size=4))
def test_any_text_gives_a_question(question, texts):
    rewritten = stand_alone(question, said(*texts))
    assert rewritten or not question
    assert rewritten == stand_alone(question, said(*texts))
