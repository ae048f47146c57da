"""Follow-up questions that are made to stand alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.offline.follow_up import stand_alone
from ragraphs.prompts.prompt import number


def said(*texts):
    return number([(("question", "answer")[n % 2], text) for n, text in enumerate(texts)])


BRIDGE = said("Who designed the Forth Bridge?", "John Fowler.")
BIRTH = [*BRIDGE, *said("Where was he born?", "Sheffield")]
CURIE = said("Who was Marie Curie?", "Marie Curie was a physicist from Warsaw.")
COUPLE = said("Who designed it?", "John Fowler and Benjamin Baker designed it.")
KOREAN = said("포스교는 누가 설계했습니까?", "존 파울러입니다.")
KOREAN_BIRTH = [*KOREAN, *said("그는 어디에서 태어났나요?", "셰필드")]
HANGUL = said("훈민정음은 누가 만들었나요?", "세종대왕이 만들었습니다.")


@pytest.mark.parametrize(
    ("history", "question", "rewritten"),
    [
        (BRIDGE, "When was he born?", "When was John Fowler born?"),
        (BRIDGE, "And his partner?", "And John Fowler's partner?"),
        (BRIDGE, "And its length?", "And the Forth Bridge's length?"),
        (BRIDGE, "When was it built?", "When was the Forth Bridge built?"),
        (BRIDGE, "Is it true that he died there?", "Is it true that John Fowler died there?"),
        (BIRTH, "When did he die?", "When did John Fowler die?"),
        (BIRTH, "How many people live there?", "How many people live in Sheffield?"),
        (BIRTH, "How large is it?", "How large is Sheffield?"),
        (CURIE, "Who was her teacher?", "Who was Marie Curie's teacher?"),
        (CURIE, "Who taught her in Paris?", "Who taught Marie Curie in Paris?"),
        (COUPLE, "Where did they study?", "Where did John Fowler and Benjamin Baker study?"),
        (said("Who is Ann Lee?"), "Where did she live?", "Where did Ann Lee live?"),
        (said("김구는 누구인가요?"), "그의 아내는?", "김구의 아내는?"),
        (KOREAN, "그의 아내는?", "존 파울러의 아내는?"),
        (KOREAN, "그건 언제 지어졌나요?", "포스교는 언제 지어졌나요?"),
        (KOREAN_BIRTH, "그는 언제 죽었나요?", "존 파울러는 언제 죽었나요?"),
        (KOREAN_BIRTH, "거기에 누가 사나요?", "셰필드에 누가 사나요?"),
        (HANGUL, "그녀가 언제 태어났나요?", "세종대왕이 언제 태어났나요?"),
    ],
)
def test_a_pronoun_takes_the_last_name_that_fits(history, question, rewritten):
    assert stand_alone(question, history) == rewritten


@pytest.mark.parametrize(
    ("history", "question", "rewritten"),
    [
        (said("Who is the mayor?", "Ada Byron"), "Since when?", "Since when is the mayor?"),
        (BRIDGE, "When?", "When designed the Forth Bridge?"),
        (BIRTH, "And when?", "When was John Fowler born?"),
        ([*BIRTH, *said("When?", "1817")], "why?", "Why was John Fowler born?"),
        (said("Was the Tay Bridge rebuilt?", "Yes."), "When?", "When was the Tay Bridge rebuilt?"),
        (said("In which year did Ann Lee die?", "1890"), "Where?", "Where did Ann Lee die?"),
        (said("How high is the Tay Bridge?"), "Where?", "Where is the Tay Bridge?"),
        (KOREAN, "언제?", "포스교는 언제 설계했습니까?"),
        (KOREAN_BIRTH, "언제요?", "존 파울러는 언제 태어났나요?"),
        (said("Tell me about Globex."), "When?", "When?"),
        (KOREAN, "When?", "When?"),
        ([], "When?", "When?"),
    ],
)
def test_a_question_word_alone_asks_the_question_before(history, question, rewritten):
    assert stand_alone(question, history) == rewritten


@pytest.mark.parametrize("history", [BIRTH, KOREAN_BIRTH, []])
@pytest.mark.parametrize(
    "question",
    [
        "When was the Brooklyn Bridge opened?",
        "Who was Ada Lovelace and when was she born?",
        "Is there a bridge over the Elbe?",
        "What time is it?",
        "Is it true?",
        "And in 1999?",
        "Tell me about Globex.",
        "경복궁은 언제 지어졌나요?",
        "이 문서들의 주요 주제는 무엇입니까?",
        "그림은 누가 그렸나요?",
        "",
    ],
)
def test_a_question_without_a_pronoun_is_left_as_it_is(history, question):
    assert stand_alone(question, history) == question


@pytest.mark.parametrize(
    ("history", "question"),
    [
        (said("What happened in 1890?", "Nothing."), "When did he die?"),
        (COUPLE, "When did he die?"),
        (said("Did Ann Lee meet Bob Ray?", "Yes."), "Where did she live?"),
        (said("Who was Ann Lee's mother?"), "Where did she live?"),
        (said("Who wrote Emma?", "Jane Austen.", "Who was her sister?", ""), "Was she older?"),
        (said("When did Ann Lee die?", "1890", "Where?", ""), "Who lives there?"),
        (KOREAN[:1], "그는 언제 죽었나요?"),
    ],
)
def test_where_no_name_is_certain_the_question_stays_as_it_was_asked(history, question):
    assert stand_alone(question, history) == question


@given(st.text(max_size=40), st.lists(st.text(max_size=40), max_size=4))
def test_any_text_gives_a_question(question, texts):
    rewritten = stand_alone(question, said(*texts))
    assert rewritten or not question
    assert rewritten == stand_alone(question, said(*texts))
