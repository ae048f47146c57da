import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.offline.reading import read
from ragraphs.prompts.prompt import Excerpt, number

FILM = Excerpt(
    id="1",
    title="Red Kite (film)",
    text="Red Kite is a 1954 Norwegian drama film directed by Ada Quill and produced by Tom Brand. "
    "It runs for 93 minutes. The music was written by Per Holm.",
)
DIRECTOR = Excerpt(
    id="2",
    title="Ada Quill",
    text="Ada Quill (1 May 1901 – 2 June 1970) was a Norwegian film director. She was born in "
    "Bergen and died in Oslo. She was married to the painter Jon Vik.",
)
PRODUCER = Excerpt(
    id="3",
    title="Tom Brand",
    text="Tom Brand (born 7 March 1899) was a Swedish film producer. He worked in Malmö from 1920.",
)
RIVAL = Excerpt(
    id="4",
    title="The Salt Road",
    text="The Salt Road is a 1961 Swedish film. It was directed by Lena Ek.",
)
WHALE = Excerpt(
    id="5",
    title="Whale",
    text="A whale is a large mammal that lives in the sea. Whales breathe air through blowholes. "
    "Whales are not fish. The largest whales weigh 150 tonnes.",
)
ENGLISH = [FILM, DIRECTOR, PRODUCER, RIVAL, WHALE]
KOREAN = [
    Excerpt(
        id="6",
        title="세종대왕",
        text="세종대왕(1397년 5월 15일 ~ 1450년 3월 30일)은 조선의 제4대 왕이다. "
        "세종대왕은 1443년에 훈민정음을 창제하였다. 그는 한양에서 태어났다.",
    ),
    Excerpt(
        id="7",
        title="정조",
        text="정조(1752년 10월 28일 ~ 1800년 8월 18일)는 조선의 제22대 왕이다.",
    ),
    Excerpt(
        id="8",
        title="고래",
        text="고래는 바다에 사는 포유류이다. 고래는 물고기가 아니다.",
    ),
    Excerpt(
        id="9", title="부산", text="부산은 대한민국의 항구 도시이다. 부산의 인구는 약 330만 명이다."
    ),
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who directed Red Kite?", "Ada Quill"),
        ("Who wrote the music of Red Kite?", "Per Holm"),
        ("When was Ada Quill born?", "1 May 1901"),
        ("In what year was Ada Quill born?", "1901"),
        ("When did Ada Quill die?", "2 June 1970"),
        ("Where was Ada Quill born?", "Bergen"),
        ("Where did Ada Quill die?", "Oslo"),
        ("What nationality is Tom Brand?", "Swedish"),
        ("How many minutes does Red Kite run?", "93"),
        ("Is a whale a mammal?", "yes"),
        ("Are whales fish?", "no"),
        ("What is a whale?", "A whale is a large mammal that lives in the sea."),
    ],
)
def test_short_answers_are_of_the_type_asked_for(question: str, answer: str) -> None:
    reading = read(question, ENGLISH)
    assert reading.answer == answer
    assert reading.sufficient


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did the director of Red Kite die?", "2 June 1970"),
        ("Where was the director of film Red Kite born?", "Bergen"),
        ("Who is the husband of the director of Red Kite?", "Jon Vik"),
    ],
)
def test_an_unnamed_person_is_followed_to_the_passage_about_them(
    question: str, answer: str
) -> None:
    reading = read(question, ENGLISH)
    assert reading.answer == answer
    assert [quote.id for quote in reading.quotes] == ["1", "2"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which film was released first, Red Kite or The Salt Road?", "Red Kite"),
        ("Which film was released later, Red Kite or The Salt Road?", "The Salt Road"),
        ("Who is older, Ada Quill or Tom Brand?", "Tom Brand"),
        ("Who is younger, Ada Quill or Tom Brand?", "Ada Quill"),
        ("Do Ada Quill and Tom Brand have the same nationality?", "no"),
        ("Are Ada Quill and Red Kite both from the same country?", "yes"),
    ],
)
def test_comparisons_are_computed_from_each_passage(question: str, answer: str) -> None:
    reading = read(question, ENGLISH)
    assert reading.answer == answer
    assert len({quote.id for quote in reading.quotes}) >= 2


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("훈민정음은 누가 창제하였는가?", "세종대왕"),
        ("훈민정음은 몇 년에 창제되었나요?", "1443년"),
        ("세종대왕은 언제 태어났습니까?", "1397년 5월 15일"),
        ("세종대왕은 언제 사망했나요?", "1450년 3월 30일"),
        ("세종대왕은 어디에서 태어났나요?", "한양"),
        ("세종대왕과 정조 중 누가 먼저 태어났습니까?", "세종대왕"),
        ("고래는 포유류입니까?", "예"),
        ("고래는 물고기입니까?", "아니요"),
        ("부산의 인구는 얼마입니까?", "330만 명"),
        ("고래란 무엇인가?", "고래는 바다에 사는 포유류이다."),
    ],
)
def test_korean_questions_are_answered_in_korean(question: str, answer: str) -> None:
    reading = read(question, KOREAN)
    assert reading.answer == answer
    assert reading.sufficient


def test_open_questions_get_sentences_in_document_order() -> None:
    reading = read("How do whales breathe?", ENGLISH)
    assert "Whales breathe air through blowholes." in reading.answer
    starts = [WHALE["text"].index(quote.quote) for quote in reading.quotes]
    assert starts == sorted(starts)


@pytest.mark.parametrize(
    "question",
    [
        "Who founded the Harrow Point observatory?",
        "When did the keeper of the Merton lighthouse die?",
        "Which ship is longer, Aurora or Meridian?",
        "화성 탐사선은 누가 만들었습니까?",
    ],
)
def test_evidence_about_something_else_is_not_sufficient(question: str) -> None:
    assert not read(question, [*ENGLISH, *KOREAN]).sufficient


def test_nothing_to_read_gives_no_answer() -> None:
    reading = read(
        "Who directed Red Kite?",
        [
            Excerpt(
                id="1",
                title="Red Kite",
                text="  ",
            )
        ],
    )
    assert (reading.answer, reading.quotes, reading.sufficient) == ("", [], False)


def test_similarity_decides_between_sentences_that_share_no_words_with_the_question() -> None:
    source = Excerpt(
        id="1",
        title="Notes",
        text="The tide rose at dusk. The lamp was lit by hand.",
    )
    seen: list[str] = []

    def similarity(texts: list[str]) -> list[float]:
        seen.extend(texts)
        return [float("lamp" in text) for text in texts]

    reading = read("Why glow beacons?", [source], similarity)
    assert reading.answer == "The lamp was lit by hand."
    assert seen == ["The tide rose at dusk.", "The lamp was lit by hand."]


WORDS = st.sampled_from(
    """Who When where is older or and Red Kite Ada Quill born died 1901 (1 May 1900 – 1970) by the
    film director of 'x' " . ? , same both 누가 언제 세종대왕 중 태어났습니까 1397년 ſep ² ١٩٠١
    """.split()
)
TEXTS = st.text(max_size=80) | st.lists(WORDS, max_size=25).map(" ".join)


@given(TEXTS, st.lists(st.tuples(st.text(max_size=4), TEXTS), max_size=4))
def test_quotes_are_exact_slices_and_reading_is_deterministic(
    question: str, passages: list[tuple[str, str]]
) -> None:
    numbered = number(passages)
    reading = read(question, numbered)
    assert reading == read(question, numbered)
    for quote in reading.quotes:
        assert quote.quote in numbered[int(quote.id) - 1]["text"]
