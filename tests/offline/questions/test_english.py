import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms.similarity import jaccard
from ragraphs.language.analyser import content_words, keywords
from ragraphs.offline.questions.english import write_questions
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
    "훈민정음을 창제하였다. 장영실에게는 자격루를 만들게 하였다.",
)


@pytest.mark.parametrize(
    ("written", "question"),
    [
        (BRIDGE, "What is the Forth Bridge?"),
        (BRIDGE, "Who designed the Forth Bridge?"),
        (BRIDGE, "When was the Forth Bridge opened?"),
        (ENGINEER, "Who was Benjamin Baker?"),
        (ENGINEER, "When was Benjamin Baker born?"),
        (ENGINEER, "Where was Benjamin Baker born?"),
        (ENGINEER, "When did Benjamin Baker die?"),
        (PAINTER, "Where was Johan Dahl born?"),
        (PALACE, "경복궁은 무엇인가?"),
        (PALACE, "경복궁은 태조가 언제 지었는가?"),
        (PALACE, "경복궁이라는 이름은 누가 지었는가?"),
        (PALACE, "경복궁은 어디에 있는 조선의 으뜸 궁궐인가?"),
        (KING, "세종대왕은 누구인가?"),
        (KING, "세종대왕은 언제 태어났는가?"),
        (KING, "세종대왕은 1443년에 무엇을 창제하였는가?"),
    ],
)
def test_incoming_questions_ask_for_what_the_passage_states(
    written: PassageQuestions, question: str
) -> None:
    assert question in written.incoming


@pytest.mark.parametrize(
    ("written", "question"),
    [
        (BRIDGE, "Who is the designer Benjamin Baker?"),
        (BRIDGE, "Who is the designer John Fowler?"),
        (BRIDGE, "Who is Thomas Bouch?"),
        (BRIDGE, "What is Tay Bridge?"),
        (ENGINEER, "Where is Egypt?"),
        (PAINTER, "Where is Dresden?"),
        (PAINTER, "Who is Caspar David Friedrich?"),
        (PALACE, "서울은 어디에 있는가?"),
        (PALACE, "정도전은 누구인가?"),
        (KING, "장영실은 누구인가?"),
        (KING, "훈민정음은 무엇인가?"),
    ],
)
def test_outgoing_questions_ask_about_what_the_passage_only_mentions(
    written: PassageQuestions, question: str
) -> None:
    assert question in written.outgoing


def test_pronouns_give_way_to_the_title() -> None:
    written = write_questions("Oslo", "It was founded in 1040. Its port is the largest of Norway.")
    assert "When was Oslo founded?" in written.incoming
    assert "What is the port of Oslo?" in written.incoming


def test_a_pronoun_after_another_person_means_that_person() -> None:
    written = write_questions(
        "Builders of bridges",
        "Joseph Strauss was born in Cincinnati. He studied in Ohio from 1888.",
    )
    assert "Who is Joseph Strauss, who studied in Ohio from 1888?" in written.incoming


def test_irregular_participles_become_past_tense() -> None:
    written = write_questions("Emma", "Emma is a novel written by Jane Austen.")
    assert "Who wrote Emma?" in written.incoming
    assert "Who is the writer Jane Austen?" in written.outgoing


@pytest.mark.parametrize("written", [BRIDGE, ENGINEER, PAINTER, PALACE, KING])
def test_outgoing_questions_do_not_ask_about_the_topic(written: PassageQuestions) -> None:
    topic = keywords(written.incoming[0])
    assert not any(keywords(question) == topic for question in written.outgoing)
    assert not set(written.incoming) & set(written.outgoing)


def test_longer_and_shorter_forms_of_the_topic_are_the_topic() -> None:
    assert not any("Dahl" in question for question in PAINTER.outgoing)
    assert not any("Sir Benjamin" in question for question in ENGINEER.outgoing)


def test_a_title_that_is_a_question_keeps_one_question_mark() -> None:
    written = write_questions("Quo vadis?", "Quo vadis is a question asked in the Acts of Peter.")
    assert written.incoming[0] == "What is Quo vadis?"


def test_korean_particles_fit_the_last_sound() -> None:
    text = "정조는 조선의 제22대 왕이다. 정조는 수원에서 화성을 지었다."
    assert "정조는 누구인가?" in write_questions("정조", text).incoming
    assert "수원은 어디에 있는가?" in write_questions("정조", text).outgoing


@pytest.mark.parametrize("written", [BRIDGE, ENGINEER, PAINTER, PALACE, KING])
def test_there_are_two_incoming_and_four_outgoing_and_at_most_twelve(
    written: PassageQuestions,
) -> None:
    assert 2 <= len(written.incoming) <= 12
    assert 4 <= len(written.outgoing) <= 12


def test_a_name_leads_to_the_passage_about_it_and_to_no_other() -> None:
    question = next(question for question in BRIDGE.outgoing if "Benjamin Baker" in question)
    best = {
        name: max(jaccard(keywords(question), keywords(other)) for other in written.incoming)
        for name, written in {"engineer": ENGINEER, "painter": PAINTER, "palace": PALACE}.items()
    }
    assert max(best, key=lambda name: best[name]) == "engineer"
    assert best["engineer"] > 0.5


def test_a_single_mention_raises_four_questions() -> None:
    written = write_questions("Rain", "The rain fell all night on Bergen.")
    assert len(written.outgoing) >= 4
    assert all("Bergen" in question for question in written.outgoing)


def test_a_text_without_names_or_title_still_gets_questions() -> None:
    written = write_questions("", "the whale breathes air through a blowhole.")
    assert len(written.incoming) >= 2
    assert len(written.outgoing) >= 4


def test_nothing_is_asked_about_nothing() -> None:
    assert write_questions("", " \n") == PassageQuestions(incoming=[], outgoing=[])


@given(st.text(max_size=60), st.text(max_size=400))
def test_any_text_gives_distinct_questions_and_always_the_same(title: str, text: str) -> None:
    written = write_questions(title, text)
    for questions in (written.incoming, written.outgoing):
        assert len(set(questions)) == len(questions) <= 12
        assert all(question.endswith("?") and question.strip(" ?") for question in questions)
    assert written == write_questions(title, text)


_PIECES = st.sampled_from(
    "It was He The bridge Mary Shelley wrote written by in 1818 Geneva , . ( ) \" “ ” ' 's and the "
    "of Norway Norwegian 세종은 한양에서 1443년에 지었다. 이다. 《 》 ? - is a".split(" ")
)


@settings(max_examples=300)
@given(_PIECES, st.lists(_PIECES, max_size=40))
def test_sentence_like_text_has_enough_questions(title: str, pieces: list[str]) -> None:
    text = " ".join(pieces)
    written = write_questions(title, text)
    for questions in (written.incoming, written.outgoing):
        assert len(set(questions)) == len(questions) <= 12
        assert all(question.endswith("?") and question.strip(" ?") for question in questions)
    if content_words(text):
        assert len(written.incoming) >= 2


def test_long_texts_have_questions_too() -> None:
    text = "The Forth Bridge was designed by John Fowler and opened in 1890 near Edinburgh. " * 200
    assert write_questions("Forth Bridge", text).incoming
