"""The offline reader answers in short only what a text states outright, and of the thing asked."""

from __future__ import annotations

import pytest
from ragraphs.offline.reading import read


def answer(question: str, title: str, text: str) -> str:
    return read(question, [{"id": "p1", "title": title, "text": text}]).answer


@pytest.mark.parametrize(
    "stated",
    [
        "may have been designed by Gail Holt",
        "was probably designed by Gail Holt",
        "was almost designed by Gail Holt",
        "was allegedly designed by Gail Holt",
        "is said to be designed by Gail Holt",
        "was once thought to be designed by Gail Holt",
        "will be designed by Gail Holt",
        "was designed by Gail Holt or Otto Prag",
        "was designed by Gail Holt or by Otto Prag",
    ],
)
def test_what_is_guessed_told_or_put_off_is_no_answer(stated):
    question, title = "Who designed the Brass Gate?", "Gates"
    assert answer(question, title, f"The Brass Gate {stated}.") == ""
    assert answer(question, title, "The Brass Gate was designed by Gail Holt.") == "Gail Holt"


def test_what_is_supposed_is_no_answer():
    text = "If the Brass Gate had been designed by Gail Holt, it would stand."
    assert answer("Who designed the Brass Gate?", "Gates", text) == ""


@pytest.mark.parametrize(
    "stated", ["강누리라고 알려졌으나 사실은 도마루이다", "강누리와 도마루로 추정된다"]
)
def test_what_is_guessed_in_korean_is_no_answer(stated):
    question, title = "바람문의 설계자는 누구인가?", "바람문"
    assert answer(question, title, f"바람문의 설계자는 {stated}.") == ""
    assert answer(question, title, "바람문의 설계자는 도마루이다.") == "도마루"


def test_a_name_in_an_aside_did_not_do_what_its_sentence_tells():
    text = "Mia Noll, who succeeded Karl Lamb, led Brill Works until 1930."
    assert answer("Who led Brill Works until 1930?", "Brill Works", text) == "Mia Noll"
