"""Rules find in the cited texts what these hold, in whatever form, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.claims import tells_less, unsupported

CITED = [
    "Elbe bridge: It was opened on 8 August 1893 by Anna Berg, a Danish engineer.",
    "Oder bridge: The Oder bridge is 3 km long, cost 5 million marks and followed in 1902.",
    "세종대왕: 세종대왕은 1446년에 훈민정음을 반포하였다.",
]
OLDER = "Which opened first, the Elbe bridge or the Oder bridge?"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who opened it?", "Anna Berg"),
        ("Who opened it?", "Berg, Anna"),
        ("When was it opened?", "August 8, 1893"),
        ("When was it opened?", "1893-08-08"),
        ("In which year was it opened?", "1893"),
        ("How long is it?", "3,000 metres"),
        ("What did it cost?", "5,000,000"),
        ("Which country was she from?", "Denmark"),
        ("What was she?", "engineers"),
        (OLDER, "the Elbe bridge"),
        ("Did the Elbe bridge open before the Oder bridge?", "Yes"),
        ("Who opened the Elbe bridge?", "The Elbe bridge was opened by the engineer Anna Berg."),
        ("훈민정음을 반포한 사람은 누구인가?", "세종대왕"),
    ],
)
def test_an_answer_that_the_texts_state_in_another_form_is_found(question, answer):
    assert unsupported(answer, question, CITED) == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who opened it?", "Anna Holm"),
        ("When was it opened?", "9 August 1893"),
        ("When was it opened?", "1894"),
        ("How long is it?", "4 km"),
        ("What did it cost?", "5"),
        ("Which country was she from?", "Sweden"),
        ("What was she?", "a painter"),
        ("훈민정음을 반포한 사람은 누구인가?", "태종"),
    ],
)
def test_an_answer_that_no_text_states_is_not_found(question, answer):
    assert unsupported(answer, question, CITED) == [answer]


def test_a_text_of_several_things_holds_the_name_of_one():
    scans = ["Follow-up: You will have more MRIs to watch for any new growth."]
    assert unsupported("MRI", "How are patients followed up?", scans) == []
    assert unsupported("MR", "How are patients followed up?", scans) == ["MR"]


def test_of_several_sentences_those_are_told_that_the_texts_do_not_hold():
    invented = "It cost Karl Lund his life in 1901."
    told = f"The Elbe bridge was opened by Anna Berg. {invented}"
    assert unsupported(told, "What is known of the Elbe bridge?", CITED) == [invented]


@given(answer=st.text(max_size=80), question=st.text(max_size=80))
def test_every_text_is_found_in_itself(answer, question):
    assert unsupported(answer, "", [answer]) == []
    unsupported(answer, question, [])


def test_a_date_may_be_told_in_parts_by_two_texts():
    texts = ["Diary: On 6 April the committee first met.", "Committee: It was made in April 1793."]
    assert unsupported("6 April 1793", "When did it meet?", texts) == []
    assert unsupported("6 April 1794", "When did it meet?", texts) == ["6 April 1794"]
    assert unsupported("7 April 1793", "When did it meet?", texts) == ["7 April 1793"]


@pytest.mark.parametrize(
    ("found", "answer", "less"),
    [
        ("1893", "8 August 1893", True),
        ("Berg", "Anna Berg", True),
        ("Denmark", "Odense", True),
        ("Norway", "Odense", False),
        ("Danish Strait", "Odense", False),
        ("Denmark", "Norway", False),
        ("1902", "8 August 1893", False),
        ("no", "yes", False),
        ("Anna Berg", "Anna Berg", False),
    ],
)
def test_a_part_of_an_answer_and_a_country_around_a_place_say_less(found, answer, less):
    asks_place = answer in {"Odense", "Norway"}
    assert tells_less(found, answer, asks_place, ["Odense: A city in Denmark."]) is less
