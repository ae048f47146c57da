"""Amounts, dates and other values are told whole, and of the thing that is asked about."""

from __future__ import annotations

import pytest
from offline_answer import answer


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (
            "What is the budget for the second half?",
            "The budget for the first half was 40,000 euros. "
            "The budget for the second half is 48,000 euros.",
            "48,000 euros",
        ),
        ("what's the largest single file", "The largest single file is 16 TiB.", "16 TiB"),
        ("When is the next meeting?", "The next meeting will be on 14 June.", "14 June"),
        ("When is the deadline?", "The deadline is 3 May.", "3 May"),
        ("보고서 마감은 언제인가요?", "보고서 마감은 5월 3일이다.", "5월 3일"),
        ("보증 기간은 얼마나 되나요?", "보증 기간은 24개월입니다.", "24개월"),
    ],
)
def test_a_value_that_a_sentence_equates_with_the_thing_asked_for_is_told(question, text, expected):
    assert answer(question, "Notes", text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The budget for the second half of the tour is 48,000 euros.",
        "The budget is 48,000 euros.",
        "The budget for the second half should be 48,000 euros.",
    ],
)
def test_a_value_of_another_thing_is_not_told(text):
    assert answer("What is the budget for the second half?", "Notes", text) == ""


def test_a_price_for_others_is_not_the_one_asked_for():
    text = "Tickets cost 5 euros for adults and 3 euros for children."
    assert answer("How much are tickets for children?", "Fair", text) != "5 euros"


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("how old was ida nowak when she was lost overboard",
         "IDA NOWAK, who, at the age of eighteen, was lost overboard, November 1st, 1836.",
         "eighteen"),
        ("guest wifi password changes every how many days",
         "Guests use another Wi-Fi, and the guest password changes every seven days.",
         "seven days"),
        ("How many parishes does Brill have?", "Brill has 159 parishes, more than Orm.", "159"),
        ("How many parishes does Birll have?", "Brill has 159 parishes, more than Orm.", "159"),
        ("누리시의 구는 몇 개야", "누리시는 동구와 서구 등 다섯 구로 나뉜다.", "다섯"),
        ("낡은 통장은 몇 권이었나요?", "낡은 통장이 일곱 권이었다.", "일곱 권"),
        ("How long does the ferry to Orm take?", "The ferry to Orm takes 6 hours 40 minutes.",
         "6 hours 40 minutes"),
        ("산악회 버스는 몇 시에 떠나나요?", "산악회 버스는 역 앞에서 아침 6시 40분에 떠난다.",
         "아침 6시 40분"),
        ("산악회 버스는 몇 시에 떠나나요?", "산악회 버스는 역 앞에서 7시 반에 떠난다.", "7시 반"),
        ("상추를 몇 포기 심습니까?", "상추는 뒤뜰에 서른 포기를 심는다.", "서른 포기"),
        ("도서관은 몇 시에 엽니까?", "도서관은 날마다 9시에 열고 일요일에 쉰다.", "9시"),
        ("울타리는 몇 년에 고쳤나요?", "울타리는 2019년에 고친 뒤 그대로 서 있다.", "2019년"),
        ("하늘다리의 둘레는 몇 미터인가",
         "하늘다리는 새 다리이다. 둥근 이 다리는 고리처럼 생겼으며, 둘레는 1,446미터이다.",
         "1,446미터"),
    ],
)  # fmt: skip
def test_numbers_are_told_however_the_question_puts_it(question, text, expected):
    assert answer(question, "Notes", text) == expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("How many members came?", "64 of the 118 members came.", "64"),
        ("How many members came?", "Of the club's 118 members, 64 came.", "64"),
        ("How many rooms are free?", "Twelve out of forty rooms are free.", "Twelve"),
        ("How many members came?", "64 % of the 118 members came.", ""),
        ("How many members came?", "Most of the 118 members came.", ""),
        ("How many members came?", "A total of 118 members came.", "118"),
        ("How many members does the club have?", "64 of the club's 118 members came.", ""),
        ("How many goals did the team score?", "Mia scored 12 of the team's 30 goals.", ""),
        ("How many goals did Mia score?", "Mia scored 12 of the team's 30 goals.", "12"),
        ("How many members are in the club?", "64 of 118 members in the club voted.", ""),
        ("How many wards does Orm have?", "Brill is one of 25 wards of Orm.", "25"),
        ("회원은 몇 명이 왔나요?", "회원 118명 중 64명이 왔다.", "64명"),
        ("회원은 몇 명인가요?", "회원 118명 중 64명이 왔다.", ""),
    ],
)
def test_of_a_part_of_a_number_of_things_the_part_is_told(question, text, expected):
    assert answer(question, "Notes", text) == expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What does a week cost?", "A week costs 140 euros.", "140 euros"),
        ("What did the new boiler cost?", "The new boiler cost £2,150 in May.", "£2,150"),
        ("What did we pay for the boiler?", "We paid £2,150 for the boiler.", "£2,150"),
        ("What does the stove weigh?", "The stove weighs 118 kg.", "118 kg"),
        ("What does a week cost?", "A week costs 40 euros more than last year.", ""),
        ("What does the barn cost?", "The hall costs £40, the barn £60.", ""),
        ("What does the fee cover?", "The fee of £40 covers breakfast.", ""),
        ("What does Mia pay attention to?", "Mia pays attention to 40 pounds.", ""),
    ],
)
def test_what_something_costs_or_weighs_is_an_amount(question, text, expected):
    assert answer(question, "Notes", text) == expected
