"""The offline reader knows more kinds of things that are asked for: how often, what time, what."""

from __future__ import annotations

import pytest
from ragraphs.offline.reading import read


def reading(question: str, text: str, title: str = "Notes") -> tuple[str, str]:
    """The short answer, and the number of the first sentence that is marked."""
    told = read(question, [{"id": "p1", "title": title, "text": text}])
    return told.answer, told.quotes[0].id


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("How often does the choir meet?", "The choir meets twice a year.", "twice a year"),
        ("How often is the filter rinsed?", "The filter is rinsed every other week.",
         "every other week"),
        ("What time does the shop close?", "The shop closes at 4:30 PM.", "4:30 PM"),
        ("On which weekday is the market?", "The market is on every Wednesday.", "Wednesday"),
        ("In which month is the fair?", "The fair is in June.", "June"),
        ("What share of the profit do members get?", "Members get 10% of the profit.", "10%"),
        ("how many holiday days do I get", "You get 20 days of holiday.", "20 days"),
        ("Which company provides the lamps?", "The lamps are provided through Orbit.", "Orbit"),
        ("Who repaired the clock?", "The clock was repaired by Pettifer.", "Pettifer"),
        ("책은 몇 권까지 되나요?", "책은 7권까지 된다. 책은 한 권에 5만 원까지 된다.", "7권"),
    ],
)  # fmt: skip
def test_the_kind_of_thing_asked_for_is_told(question, text, expected):
    assert reading(question, text)[0] == expected


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How often does the choir meet?", "The choir meets for 2 hours."),
        ("What time does the shop close?", "The shop closes on 3 May."),
        ("Which company provides the lamps?", "Orbit praised the lamps, which are provided."),
        ("How many books may I borrow?", "You may borrow books for 14 days."),
    ],
)
def test_another_kind_of_thing_is_no_answer(question, text):
    assert reading(question, text)[0] == ""


ROWS = """| part | how often | with |
| --- | --- | --- |
| door rope | every three years | new rope |
| grate | every week | a brush |
"""


def test_a_row_need_not_say_the_verb_of_the_question():
    assert reading("how often do I have to replace the door rope", ROWS)[0] == "every three years"
    assert reading("how often do I have to replace the glass", ROWS)[0] == ""


def test_a_number_stands_under_the_label_that_the_question_has():
    text = (
        "| option | default | meaning |\n| --- | --- | --- |\n| -r | 5 | tries of a failed file |\n"
    )
    assert reading("How often is a failed file tried by default?", text)[0] == "5"


def test_a_place_may_stand_in_the_sentence_before_but_not_another_in_its_own():
    text = "Brill에는 못이 있다. 넓이는 9제곱킬로미터, 가장 깊은 곳은 384미터이다."
    assert reading("거울못에서 가장 깊은 곳은 몇 미터인가요?", text)[0] == "384미터"
    other = "여우못에서 가장 깊은 곳은 384미터이다."
    assert reading("거울못에서 가장 깊은 곳은 몇 미터인가요?", other)[0] == ""


def test_a_title_that_says_a_part_of_the_question_need_not_be_repeated():
    question, text = "In which month is open enrolment of the rail card?", "Enrolment is in June."
    assert reading(question, "Open enrolment is in June.", "Rail card")[0] == "June"
    assert reading(question, text.replace("Enrolment", "Delivery"), "Rail card")[0] == ""


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is Deskway?", "Deskway need not be used. Members have Deskway, a desk service."),
        ("What is a strip?", "Each strip is graded. A strip is a part of a passage."),
        ("건조기는 한 번에 얼마예요?", "한 번에 두 번째 한 사람. 건조기 요금은 3,500원이다."),
        ("렌더링이 뭐야?", "렌더링은 빠르다. 렌더링은 함수를 부르는 것입니다."),
    ],
)
def test_the_first_mark_is_what_defines_or_has_the_kind(question, text):
    assert reading(question, text)[1] == "1.2"
