"""Short answers to questions in words of their own, where independent ways agree."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from ragraphs.offline.lines import Compared, Similarity
from ragraphs.offline.reading import read
from ragraphs.prompts.prompt import Excerpt

RULES = """The tenant pays a deposit of £1,250 before the keys are handed over. Visitors wash up.
The boiler is in the cellar. Letters are left in the hall. The garden is open until dusk.
Bicycles stand in the yard. Music ends with the day. The roof is new. The lift is slow."""


def near(part: str, nearer: str = "") -> Similarity:
    """Cosines of sentences: high with ``part``, higher with ``nearer``, low of others."""

    def cosine(sentence: str) -> float:
        return 0.8 if nearer and nearer in sentence else 0.6 if part in sentence else 0.1

    def cosines(sentences: Sequence[Compared]) -> list[float]:
        return [cosine(one.sentence) for one in sentences]

    return cosines


def answer(question: str, text: str, similarity: Similarity | None = None) -> str:
    passages: list[Excerpt] = [{"id": "1", "title": "Notes", "text": text, "passage": "p"}]
    return read(question, passages, similarity).answer


ASKED = "how much deposit do they want for the flat"


def test_a_sentence_that_words_and_meaning_choose_need_not_say_every_word():
    assert answer(ASKED, RULES, near("deposit")) == "£1,250"


@pytest.mark.parametrize("similarity", [None, near("boiler"), near("deposit", "boiler")])
def test_where_meaning_tells_nothing_or_chooses_another_sentence_it_must(similarity):
    assert answer(ASKED, RULES, similarity) == ""


@pytest.mark.parametrize(
    ("question", "change"),
    [
        ("how much deposit do they want for the flat on Elm Street", ("", "")),  # a name
        ("how much deposit do they want for two flats", ("", "")),  # a numeral
        ("how much deposit do they want for flats in total", ("", "")),
        (ASKED, ("£1,250", "£1,250–1,400")),  # a range
        (ASKED, ("£1,250", "£1,250 more than before")),
        (ASKED, ("Visitors wash up", "Guests pay a deposit of £90")),  # another value
        (ASKED, ("£1,250", "a month's rent")),  # nothing of the kind
    ],
)
def test_nothing_is_told_where_a_constraint_is_unsaid_or_a_rival_stands(question, change):
    assert answer(question, RULES.replace(*change) if change[0] else RULES, near("deposit")) == ""


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What is the default level of Quill?", "Quill's default level is now 3; it was 2.", "3"),
        (
            "은비 고모는 어디에서 미용실을 하나요?",
            "은비 고모는 대구에서 미용실을 하는데 바쁘다.",
            "대구",
        ),
        ("What time does the walk begin?", "The walk begins at 5 pm at the station.", "5 pm"),
    ],
)
def test_values_that_sentences_equate_places_and_clocks_are_told(question, text, expected):
    assert answer(question, text, near(text[:9])) == expected


def test_a_rival_that_is_far_in_meaning_is_none():
    text = RULES.replace("Visitors wash up", "Guests pay a deposit of £90")
    assert answer(ASKED, text, near("Guests", "tenant")) == "£1,250"
    assert answer(ASKED, text, near("a deposit")) == ""


FAULTS = """| Fault | Likely cause | Remedy |
|---|---|---|
| display shows F03 | inverter too hot | wait |
| display shows F05 | no water | fill it |
"""
REPORT = "팀장이 보고서를 올리면 이사가 승인한다. 비가 온다."


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What does E4 mean?", "E4: door open. Close the door.", "door open"),
        ("What does E4 mean?", "Code E4 means that the door is open.", "the door is open"),
        ("What does F03 mean?", FAULTS, "inverter too hot"),
        ("What does E5 mean?", "E4: door open. E55: no water.", ""),
        ("E4는 무슨 뜻인가요?", "E4: 문이 닫히지 않음", "문이 닫히지 않음"),
        ("회의록은 누가 쓰나요?", "회의록은 김서연이 쓴다.", "김서연"),
        ("난로는 누가 고쳤어?", "난로는 박진우 기사가 3월에 고쳤다.", "박진우 기사"),
        ("보고서는 누가 승인하나요?", REPORT, "이사"),
        ("보고서는 누가 고치나요?", REPORT, ""),
        ("회의록은 누가 쓰나요?", "회의록은 그 사람이 쓴다.", ""),
        ("회의록은 누가 쓰나요?", "회의록은 박진우와 김서연이 쓴다.", ""),  # a part of the answer
        ("시험은 누가 통과했나요?", "김서연이 시험에 통과하지 못했다.", ""),
        ("What is the smallest order per design?", "The smallest order is 50 per design.", "50"),
        ("Who should I contact about the boats?", "For the boats contact Ida Noll.", "Ida Noll"),
        ("How many hens can I keep?", "You may keep up to six hens.", "six"),
        ("How many hens can I keep?", "You may keep six hens if there is room.", ""),
        ("Who did not sign the letter?", "Ida Noll signed the letter.", ""),
        ("How many hens did Ida keep?", "Ida may have kept six hens.", ""),
        ("When does the hall open?", "The hall will open on 9 May.", "9 May"),
        ("When did the hall open?", "The hall will open on 9 May.", ""),
    ],
)
def test_codes_doers_rules_and_plans_are_told(question, text, expected):
    assert answer(question, text) == expected


def test_a_birth_has_to_be_said():
    text = "Night Owl is a 1954 film directed by Ann Lee."
    assert answer("When was the director of Night Owl born?", text, near("film")) == ""


POOL = """# Pool

## Weekday prices

| Ticket | Adult | Senior |
|---|---|---|
| single swim | €5.50 | €4.20 |

## Weekend prices

| Ticket | Adult | Senior |
|---|---|---|
| single swim | €6.80 | €5.10 |

## Rules

Late fee: 12 euros
Locker deposit: 2 euros
"""
CLUB = """# 회칙

회원증 재발급 비용은 5,000원이다. 송년회 장소는 '솔밭가든'이고, 날짜는 12월 13일(토)이다.

## 평일 요금

| 방 | 2인 | 4인 |
|---|---|---|
| 수국방 | 70,000원 | 95,000원 |

## 주말 요금

| 방 | 2인 | 4인 |
|---|---|---|
| 수국방 | 90,000원 | 120,000원 |

## 연락망

| 이름 | 직책 | 전화번호 |
|---|---|---|
| 한지우 | 회장 | 010-1234-5678 |
| 오세라 | 총무 | 010-8765-4321 |
"""
LEASE = """Between Corin Hale (landlord) and the Tinpot Theatre (tenant).

The rent is 310 euros a month, due on the 5th. The notice period is three months.
The insurance number is TH-88213. The club has 132 members.
The summer party is on 21 June at 16:00. The new treasurer is Tess Lund.

Hotline: 0800 330 220
Warranty: 36 months, motor 10 years
"""
PLANT = "id: P-11\nplant: Dwarf cherry\nheight_cm: 120\nprice: 34.50\nplace: yard"


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("how much is a single swim for seniors at the weekend", POOL, "€5.10"),
        ("single swim adult weekday", POOL, "€5.50"),
        ("single swim adult", POOL, ""),  # of which day?
        ("late fee", POOL, "12 euros"),
        ("late fee for lockers", POOL, ""),
        ("회원증 재발급 비용", CLUB, "5,000원"),
        ("송년회 장소", CLUB, "솔밭가든"),
        ("수국방 주말 요금 2인", CLUB, "90,000원"),
        ("수국방 2인 요금", CLUB, ""),
        ("총무 전화번호", CLUB, "010-8765-4321"),
        ("회장은 누구예요?", CLUB, "한지우"),
        ("부회장 전화번호", CLUB, ""),
        ("dwarf cherry price", PLANT, "34.50"),
        ("dwarf cherry height", PLANT, "120"),
        ("dwarf plum price", PLANT, ""),
        ("how much is the dwarf cherry", PLANT, "34.50"),
        ("landlord", LEASE, "Corin Hale"),
        ("who is the landlord", LEASE, "Corin Hale"),
        ("monthly rent", LEASE, "310 euros"),
        ("notice period", LEASE, "three months"),
        ("insurance number", LEASE, "TH-88213"),
        ("hotline", LEASE, "0800 330 220"),
        ("number of members", LEASE, "132"),
        ("summer party date", LEASE, "21 June"),
        ("winter party date", LEASE, ""),  # another one
        ("new treasurer", LEASE, "Tess Lund"),
        ("how long is the warranty on the motor", LEASE, ""),
        ("parking fee", LEASE, ""),
    ],
)
def test_cells_are_told_by_their_labels_their_row_and_the_heading_above(question, text, expected):
    for similarity in (None, lambda sentences: [0.5 for _ in sentences]):
        assert answer(question, text, similarity) == expected
