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
