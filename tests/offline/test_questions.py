"""Questions that the offline reader writes for a passage are answered or raised by it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.similarity import jaccard
from ragraphs.language.analyser import keywords
from ragraphs.offline.questions import write_questions
from ragraphs.prompts.replies import PassageQuestions

BRIDGE = write_questions(
    "Forth Bridge",
    "The Forth Bridge is a railway bridge across the Firth of Forth in Scotland. It was opened on "
    "4 March 1890. The bridge was designed by John Fowler and Benjamin Baker. An earlier plan by "
    "Thomas Bouch was given up after his Tay Bridge fell in December 1879.",
)
ENGINEER = write_questions(
    "Benjamin Baker (engineer)",
    "Sir Benjamin Baker (31 March 1840, Frome – 19 May 1907, Pangbourne) was an English engineer. "
    "He worked on the Aswan Dam in Egypt.",
)
PAINTER = write_questions(
    "Johan Dahl",
    "Johan Christian Dahl (born 24 February 1788 in Bergen) was a Norwegian painter. He moved to "
    "Dresden in 1818, where he met Caspar David Friedrich.",
)
PALACE = write_questions(
    "경복궁",
    "경복궁은 서울에 있는 조선의 으뜸 궁궐이다. 경복궁은 태조가 1395년에 지었다. "
    "경복궁이라는 이름은 정도전이 지었으며, 1592년에 불탔다.",
)
KING = write_questions(
    "세종대왕",
    "세종대왕(1397년 5월 15일 ~ 1450년 3월 30일)은 조선의 제4대 왕이다. 그는 1443년에 "
    "훈민정음을 창제하였다. 장영실에게는 자격루를 만들게 하였습니다.",
)
PASSAGES = [BRIDGE, ENGINEER, PAINTER, PALACE, KING]


@pytest.mark.parametrize(
    ("written", "question"),
    [
        (BRIDGE, "What is the Forth Bridge?"),
        (BRIDGE, "Who designed the Forth Bridge?"),
        (BRIDGE, "When was the Forth Bridge opened?"),
        (BRIDGE, "Was the Forth Bridge designed by John Fowler and Benjamin Baker?"),
        (ENGINEER, "Who is Benjamin Baker?"),
        (ENGINEER, "Where did Benjamin Baker die?"),
        (ENGINEER, "Who worked on the Aswan Dam in Egypt?"),
        (PAINTER, "Where was Johan Dahl born?"),
        (PALACE, "경복궁은 무엇인가?"),
        (PALACE, "경복궁은 태조가 1395년에 지었는가?"),
        (KING, "세종대왕은 누구인가?"),
        (KING, "세종대왕은 언제 태어났는가?"),
        (KING, "세종대왕은 1443년에 훈민정음을 창제하였는가?"),
    ],
)
def test_incoming_questions_ask_for_facts_that_the_passage_states(
    written: PassageQuestions, question: str
) -> None:
    assert question in written.incoming


@pytest.mark.parametrize(
    ("written", "question"),
    [
        (BRIDGE, "Who or what is Thomas Bouch?"),
        (BRIDGE, "Where is Tay Bridge?"),
        (PAINTER, "Who or what is Caspar David Friedrich?"),
        (PALACE, "정도전은 무엇인가?"),
        (KING, "장영실은 누구인가?"),
    ],
)
def test_outgoing_questions_ask_of_a_name_no_more_than_is_known_of_it(
    written: PassageQuestions, question: str
) -> None:
    assert question in written.outgoing


def test_names_that_share_a_sentence_with_the_topic_are_asked_for_together() -> None:
    written = write_questions(
        "Mama Told Me",
        '"Mama Told Me" is a song. Co-written by Little Dragon, it peaked at 38 in Rio de Janeiro.',
    )
    assert "How is Mama Told Me connected with Little Dragon and Rio de Janeiro?" in (
        written.incoming
    )


def test_pronouns_give_way_to_the_title() -> None:
    written = write_questions("Oslo", "It was founded in 1040. Its port is the largest of Norway.")
    assert {"When was Oslo founded?", "Is Oslo's port the largest of Norway?"} <= {
        *written.incoming
    }


def test_what_is_said_of_somebody_else_is_not_asked_of_the_topic() -> None:
    written = write_questions("Oslo", "Oslo is a city. He was born in Bergen.")
    assert not any("born" in question for question in written.incoming)


@pytest.mark.parametrize("written", PASSAGES)
def test_outgoing_questions_do_not_ask_about_the_topic(written: PassageQuestions) -> None:
    topic = keywords(written.incoming[0])
    assert not any(keywords(question) == topic for question in written.outgoing)
    assert not set(written.incoming) & set(written.outgoing)


def test_a_title_that_is_a_question_keeps_one_question_mark() -> None:
    written = write_questions("Quo vadis?", "Quo vadis is a question asked in the Acts of Peter.")
    assert written.incoming[0] == "What is Quo vadis?"


def test_korean_statements_become_questions_by_their_endings() -> None:
    text = "백두산은 산이다. 산은 높다. 물이 찬다. 끝은 아니다. 비가 옵니다. 눈이 왔다."
    asked = " ".join(write_questions("백두산", text).incoming)
    for ending in ("산인가?", "차는가?", "아닌가?", "옵니까?", "왔는가?"):
        assert ending in asked


def test_a_name_leads_to_the_passage_about_it_and_to_no_other() -> None:
    question = next(question for question in BRIDGE.outgoing if "Benjamin Baker" in question)
    best = {
        name: max(jaccard(keywords(question), keywords(other)) for other in written.incoming)
        for name, written in {"engineer": ENGINEER, "painter": PAINTER, "palace": PALACE}.items()
    }
    assert max(best, key=lambda name: best[name]) == "engineer"
    assert best["engineer"] > 0.5


def test_nothing_is_asked_about_nothing() -> None:
    assert write_questions("", " \n") == PassageQuestions(incoming=[], outgoing=[])


_PIECES = st.sampled_from(
    "It was He The bridge Mary Shelley wrote written by in 1818 Geneva , . ( ) \" “ ” ' 's and the "
    "of Norway Norwegian 세종은 한양에서 1443년에 지었다. 이다. 《 》 ? - is a".split(" ")
)


@given(st.text(max_size=60) | _PIECES, st.text(max_size=200) | st.lists(_PIECES, max_size=40))
def test_any_text_gives_few_distinct_questions_and_always_the_same(
    title: str, text: str | list[str]
) -> None:
    text = text if isinstance(text, str) else " ".join(text)
    written = write_questions(title, text)
    for questions in (written.incoming, written.outgoing):
        assert len(set(questions)) == len(questions) <= 12
        assert all(re.search(r"[^\s?]\?$", question) for question in questions)
    assert written == write_questions(title, text)


def test_a_word_that_stands_in_small_letters_too_is_no_name() -> None:
    text = "If you take Efudex early, a test follows. Do it after Testing and before Taking more."
    written = write_questions("Skin", text)
    assert [one for one in written.outgoing if "Efudex" in one]
    assert not [one for one in written.outgoing if "Taking" in one or "Testing" in one]
