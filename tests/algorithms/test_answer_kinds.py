"""Rules refuse an answer that its own sentences call something else than is asked for."""

from __future__ import annotations

import pytest
from ragraphs.algorithms.answer_kinds import called
from ragraphs.algorithms.doubts import doubt, speaks_of

SONG = "Elbe Song: Elbe Song is a 1948 song written by Karl Lund at the Elbe bridge in Odense."
NIGHT = (
    "Odense Night (film): Odense Night (also known as Late Ferry) is a film directed by Ib Dahl."
)
DAHL = "Ib Dahl: Ib Dahl (born 3 May 1950 in Aarhus, died 2 June 2011) made the film Odense Night."
FERRY = "Red Ferry: Red Ferry is a group that Ib Dahl formed in 1997."
BOAT = "Blue Boat: Blue Boat is a group that Karl Lund formed in 2006."
LUND = "Karl Lund: Karl Lund (1 April 1940 – 9 July 1983) wrote songs in Odense."
FROGS = "청개구리: 청개구리는 1951년 윤석중이 쓴 동화를 바탕으로 만든 영화이다."


@pytest.mark.parametrize(
    ("question", "answer", "cited"),
    [
        ("Who wrote a song at the Elbe bridge?", "Elbe Song", SONG),
        ("Who directed Odense Night?", "Late Ferry", NIGHT),
        ("Where was the director of Odense Night born?", "Ib Dahl", NIGHT),
        ("Which film did Ib Dahl of Aarhus make?", "Aarhus", DAHL),
        ("When did the maker of the film Elbe Song die?", "1948", SONG),
        ("When was Karl Lund born?", "9 July 1983", LUND),
        ("How many songs did Karl Lund write?", "1983", LUND),
        ("Which of the songs did Karl Lund write?", "Several", LUND),
        ("동화 청개구리를 쓴 사람은 누구인가요?", "청개구리", FROGS),
    ],
)
def test_what_the_texts_call_something_else_is_refused(question, answer, cited):
    found = doubt(answer, question, [cited])
    assert found is not None
    assert (found.why, found.certain) == ("kind", True)


@pytest.mark.parametrize(
    ("question", "answer", "cited"),
    [
        ("Who wrote a song at the Elbe bridge?", "Karl Lund", SONG),
        ("Which song did Karl Lund write?", "Elbe Song", SONG),
        ("Who directed Odense Night?", "Ib Dahl", NIGHT),
        ("Which film did Ib Dahl make?", "Odense Night", DAHL),
        ("Where was Ib Dahl born?", "Aarhus", DAHL),
        ("When did Ib Dahl die?", "2 June 2011", DAHL),
        ("When was Karl Lund born?", "1 April 1940", LUND),
        ("When did Karl Lund die?", "1983", LUND),
        ("When was the Elbe Song written?", "1948", SONG),
        ("What is the area code of Odense?", "513", "Odense: The area code of Odense is 513."),
        ("가온의 비용은 무엇입니까?", "101", "가온 비용: 가온의 비용 지수는 101."),
    ],
)
def test_what_the_texts_call_what_is_asked_for_is_not(question, answer, cited):
    assert doubt(answer, question, [cited]) is None


@pytest.mark.parametrize(
    ("question", "answer", "cited"),
    [
        ("Where was the director of Odense Night born?", "Danish", "Ib Dahl: A Danish director."),
        ("When was the Elbe Song written?", "1948 Karl Lund", SONG),
    ],
)
def test_an_adjective_is_no_place_and_a_name_beside_a_date_is_doubted(question, answer, cited):
    found = doubt(answer, question, [cited, NIGHT])
    assert found is not None and found.why in {"kind", "names"}
    assert not found.certain


def test_a_choice_must_agree_with_the_dates_that_it_cites():
    question = "Which band was formed first, Red Ferry or Blue Boat?"
    assert doubt("Red Ferry", question, [FERRY, BOAT]) is None
    found = doubt("Blue Boat", question, [FERRY, BOAT])
    assert found is not None and (found.why, found.certain) == ("compared", False)
    older = doubt("Ib Dahl", "Who was born first, Ib Dahl or Karl Lund?", [DAHL, LUND])
    assert older is not None and (older.why, older.certain) == ("compared", True)


@pytest.mark.parametrize(
    ("name", "text", "kinds"),
    [
        ("Elbe Song", SONG, {"work"}),
        ("Karl Lund", SONG, {"maker"}),
        ("Ib Dahl", DAHL, {"person"}),
        ("Ib Dahl", "Ib Dahl: He is an American film director and producer.", set()),
        ("Ib Dahl", "Ib Dahl is an American film director and producer.", {"person"}),
        ("Odense", "The painter lived in Odense.", {"place"}),
        ("Ferry", "They saw the film Ferry and the band Ferry.", {"work", "group"}),
        ("Ferry", "They took a ferry.", set()),
        ("Odense", "Songs from Odense was an album.", set()),
    ],
)
def test_texts_call_a_name_what_stands_beside_it(name, text, kinds):
    assert called(name, [text]) == kinds


def test_the_order_of_initials_does_not_depend_on_chance():
    assert speaks_of("E. B. White: Elwyn Brooks White was a writer.", "E. B. White")
