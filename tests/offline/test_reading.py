from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pointed import sentences_of
from ragraphs.offline.lines import Compared
from ragraphs.offline.reading import read
from ragraphs.prompts.prompt import Excerpt, number

PORT = ("Ferry manual", "# Network\n\nThe daemon listens on port 7420.\n\n<!-- no -->\n\n---\n\n"
        "Tokens expire after 30 days; a used one is not extended. A crate has 12 kg.")  # fmt: skip
FILM = ("Red Kite (film)", "Red Kite is a 1954 Norwegian film directed by Ada Quill and produced "
        "by Tom Brand. It runs for 93 minutes. The ticket costs $4.")  # fmt: skip
QUILL = ("Ada Quill", "Ada Quill (1 May 1901, Bergen – 2 June 1970) was a Norwegian director. "
         "Her sister was the painter. In the end she married Jon Vik in Oslo in 1930.")  # fmt: skip
MEL = ("Mel bridge", "The Mel bridge is a railway bridge that was built in Norway.")
BRAND = ("Tom Brand", "Tom Brand (born 7 March 1899) was a Swedish producer.")
STORY = ("The Lamp", "\"Old Harker was dead,\" said his nephew. \"Yes!\" cried Ellen Dray, whose "
         "sister had gone. Harker left his nephew forty pounds. Captain Rook was killed by a whale "
         "in 1833.")  # fmt: skip
DAMS = ("한강", "팔당댐은 1973년 12월에 완공되었다. 소양강댐은 같은 해 10월에 완공되었는데 높이 "
        "123미터의 사력댐이다.")  # fmt: skip
HALLA = ("한라산", "한라산은 높이 1,947미터의 화산이다. 백록담까지 가는 길은 두 개이다. "
         "그해 겨울에 다리가 놓였다. 이름을 두고 말이 많았다.")  # fmt: skip
CLOCK = ("자격루", "자격루는 물을 이용한 시계이다. 임금은 장인에게 시계를 만들게 하였다. "
         "1441년에는 측우기가 만들어졌다. 왕비는 소헌왕후 심씨로, 세종의 부인이다.")  # fmt: skip


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("경복궁은 누가 지었나요?", "조선을 세운 태조가 1395년에 지었다."),
        ("쌀은 어디서 샀어요?", "쌀은 시장에서 샀다."),
    ],
)
def test_a_korean_verb_of_one_syllable_is_found_in_its_past_form(question, expected):
    text = "경복궁은 서울의 궁궐이다. 조선을 세운 태조가 1395년에 지었다. 쌀은 시장에서 샀다."
    shown = number([("경복궁", text)])
    assert sentences_of(read(question, shown), shown)[0] == expected


def answer(question: str, *passages: tuple[str, str]) -> str:
    reading = read(question, number(passages))
    assert reading.sufficient == bool(reading.answer)
    return reading.answer


@pytest.mark.parametrize(
    ("question", "passage", "expected"),
    [
        ("In which country was the Mel bridge built?", MEL, "Norway"),
        ("What port does the daemon listen on?", PORT, "7420"),
        ("After how many days do tokens expire?", PORT, "30 days"),
        ("Who directed Red Kite?", FILM, "Ada Quill"),
        ("Who produced Red Kite?", FILM, "Tom Brand"),
        ("How many minutes does Red Kite run?", FILM, "93 minutes"),
        ("When was Ada Quill born?", QUILL, "1 May 1901"),
        ("Where was Ada Quill born?", QUILL, "Bergen"),
        ("In what year did Ada Quill die?", QUILL, "1970"),
        ("한라산 높이는 몇 미터인가요?", HALLA, "1,947미터"),
    ],
)
def test_a_fact_that_a_sentence_states_is_answered(
    question: str, passage: tuple[str, str], expected: str
) -> None:
    assert answer(question, passage) == expected


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        # The subject is there, the fact is not.
        ("How old was Captain Rook when he was killed?", STORY),
        ("When did Tom Brand die?", BRAND),
        ("When did the brother of Ada Quill die?", QUILL),
        ("Who wrote Red Kite?", FILM),
        ("What is the price of a crate?", PORT),
        ("How much did the premiere of Red Kite cost?", FILM),
        ("What port does the client listen on?", PORT),
        ("한라산은 언제 국립공원이 되었나요?", HALLA),
        ("팔당댐 높이는 몇 미터인가요?", DAMS),
        ("자격루는 누가 만들었습니까?", CLOCK),
        ("자격루는 언제 만들어졌나요?", CLOCK),
        ("다리는 누가 지었나요?", HALLA),
        ("정조의 왕비는 누구예요?", CLOCK),
        # Names of another role.
        ("Who is Harker's nephew?", STORY),
        ("Who is Ellen Dray's sister?", STORY),
        # No narrow fact.
        ("Does the daemon support TLS?", PORT),
        ("Is Red Kite a Norwegian film?", FILM),
        ("Do tokens expire?", PORT),
        ("Why was Harker dead?", STORY),
        ("How do I renew a token?", PORT),
        ("Summarise The Lamp", STORY),
        ("What are the main themes of The Lamp?", STORY),
        ("Are Ada Quill and Tom Brand from the same country?", QUILL),
        ("백록담까지 갈 수 있나요?", HALLA),
        ("한라산에 대해 알려줘", HALLA),
        ("자격루란 무엇인가?", CLOCK),
    ],
)
def test_what_is_not_stated_or_no_narrow_fact_is_not_answered(
    question: str, passage: tuple[str, str]
) -> None:
    assert answer(question, passage) == ""
    assert read(question, number([passage])).quotes


BY = "The Mel bridge was designed by {}."
BUILT = "{} designed the Mel bridge."


@pytest.mark.parametrize("sentence", [BY, BUILT])
@pytest.mark.parametrize(
    "names",
    [
        "John Fowler and Benjamin Baker",
        "John Fowler & Benjamin Baker",
        "Ann Lee, John Fowler and Benjamin Baker",
        "Ann Lee, John Fowler, and Benjamin Baker",
        "Marie and Pierre Curie",
        "John Fowler and his brother Benjamin Baker",
        "John Fowler as well as Benjamin Baker",
        "John Fowler and the Tancred Company",
    ],
)
def test_names_that_are_joined_are_answered_whole(sentence: str, names: str) -> None:
    passage = ("Mel bridge", f"It is red. {sentence.format(names)} It opened in 1890.")
    assert answer("Who designed the Mel bridge?", passage) == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Red Kite was directed by Ada Quill, and Tom Brand produced it.", "Ada Quill"),
        ("Red Kite was directed by Ada Quill and produced by Tom Brand.", "Ada Quill"),
        ("In Old Bergen, Ada Quill and Tom Brand directed Red Kite.", "Ada Quill and Tom Brand"),
        ("With Tom Brand, Red Kite was directed by Ada Quill.", "Ada Quill"),
    ],
)
def test_names_of_another_part_of_the_sentence_are_not_joined(text: str, expected: str) -> None:
    assert answer("Who directed Red Kite?", ("Red Kite", text)) == expected


def test_a_name_of_the_question_is_no_part_of_the_answer() -> None:
    film = ("Red Kite", "Red Kite was directed by Ada Quill and Tom Brand.")
    assert answer("Who directed Red Kite with Tom Brand?", film) == "Ada Quill"


@pytest.mark.parametrize(
    "names",
    [
        "존 파울러",
        "존 파울러와 벤저민 베이커",
        "김철수, 존 파울러와 벤저민 베이커",
        "김철수 및 이영희",
        "김철수와 이영희 그리고 존 파울러",
    ],
)
def test_korean_names_that_are_joined_are_answered_whole(names: str) -> None:
    bridge = ("포스교", f"포스교의 설계자는 {names}이다. 포스교는 붉다.")
    assert answer("포스교의 설계자는 누구입니까?", bridge) == names


def test_a_korean_list_ends_where_the_next_subject_begins() -> None:
    bridge = ("포스교", "포스교의 설계자는 존 파울러, 시공자는 윌리엄 애럴과 김철수이다.")
    assert answer("포스교의 설계자는 누구입니까?", bridge) == "존 파울러"


def test_only_the_sentence_that_states_the_answer_is_quoted() -> None:
    reading = read("Who directed Red Kite?", number([FILM, QUILL, BRAND]))
    assert [one.id for one in reading.quotes] == ["1.1"]
    born = "Ann Lee was born in 1901. Bob Ray was born in 1899. Both sang."
    compared = read("Who is older, Ann Lee or Bob Ray?", number([("Dates", born)]))
    assert [one.id for one in compared.quotes] == ["1.1", "1.2"]


def strips(*texts: tuple[str, str, str]) -> list[Excerpt]:
    """Numbered texts, each under the id of its passage."""
    return [
        Excerpt(id=str(place), title=title, text=text, passage=passage)
        for place, (passage, title, text) in enumerate(texts, start=1)
    ]


STATES = ("Mel bridge", BY.format("John Fowler"))


def test_texts_of_one_passage_have_its_rank() -> None:
    # The first says as much of the question, so that only its rank tells them apart.
    asked = "Who designed the Mel bridge?"
    other = (
        "Mel bridge",
        "Nobody knows who designed the Mel bridge, but Ben Oak painted the bridge.",
    )
    assert read(asked, strips(("a", *other), ("a", *STATES))).answer == "John Fowler"
    assert read(asked, strips(("a", *other), ("b", *STATES))).answer == ""


@pytest.mark.parametrize("before", range(4))
def test_the_order_of_a_document_hides_no_answer(before: int) -> None:
    texts = [(f"p{n}", "Mel bridge", f"In {1900 + n} it was painted.") for n in range(before)]
    assert read("Who designed the Mel bridge?", strips(*texts, ("p9", *STATES))).answer


def test_two_things_are_compared_where_both_values_are_certain() -> None:
    tower = ("Towers", "Merton tower is 40 metres high. Harrow tower is 30 metres high.")
    dates = ("Dates", "Ann Lee was born in 1901. Bob Ray was born in 1899.")
    assert answer("Who is older, Ann Lee or Bob Ray?", dates) == "Bob Ray"
    assert answer("Who is older, Ann Lee or Cy Fox?", dates) == ""
    assert answer("Were Ann Lee and Bob Ray both born in 1901?", dates) == ""
    assert answer("Which is higher, Merton tower or Elm tower?", tower) == ""


def test_a_second_value_takes_the_certainty_away() -> None:
    said = ("Lamp", "The lamp was lit in 1901. The lamp was lit in 1903.")
    assert answer("When was the lamp lit?", said) == ""
    assert answer("When was the lamp lit?", (said[0], said[1][:25])) == "1901"


def test_highlights_are_the_sentences_that_say_most_of_the_question() -> None:
    texts = number([FILM, PORT, QUILL])
    reading = read("How long are tokens extended?", texts)
    shown = sentences_of(reading, texts)
    assert shown[0].startswith("Tokens expire after 30 days") and len(shown) <= 6
    assert not any(text.startswith(("#", "<!--", "---")) for text in shown)
    for id in "123":
        assert sum(quote.id.startswith(f"{id}.") for quote in reading.quotes) <= 3


def test_cosines_choose_highlights_for_a_question_in_other_words() -> None:
    source = ("Notes", "The tide rose at dusk. The lamp was lit by hand.")

    def similarity(sentences: Sequence[Compared]) -> list[float]:
        return [float("lamp" in told.sentence) for told in sentences]

    reading = read("등불은 어떻게 켰나요?", number([source]), similarity)
    assert reading.quotes[0].id == "1.2"


@pytest.mark.parametrize("floor", [0.0, 0.8])
def test_what_all_sentences_are_alike_in_does_not_count(floor: float) -> None:
    told = [f"The tide of day {n} rose at dusk." for n in range(9)]
    source = ("Notes", " ".join([*told, "A flame was put to the wick.", "The lamp was sold."]))

    def similarity(sentences: Sequence[Compared]) -> list[float]:
        near = {"A flame was put to the wick.": 0.9}
        return [floor + (1 - floor) * near.get(one.sentence, 0.1) for one in sentences]

    reading = read("How was the lamp lit?", number([source]), similarity)
    assert reading.quotes[0].id == "1.10"


def test_nothing_to_read_gives_nothing() -> None:
    reading = read("Who directed Red Kite?", [Excerpt(id="1", title="Red Kite", text="  ")])
    assert (reading.answer, reading.quotes, reading.sufficient) == ("", [], False)


WORDS = st.sampled_from(
    """Who When where is older or and Red Kite Ada Quill born died 1901 (1 May 1900 – 1970) by the
    film director of 'x' " . ? , same both 누가 언제 세종대왕 중 태어났습니까 몇 미터 1397년 ſep ²
    ١٩٠١ how many much age 12 $4 not""".split()
)
TEXTS = st.text(st.characters(exclude_categories=["C"]), max_size=80) | st.lists(
    WORDS, max_size=25
).map(" ".join)


@pytest.mark.slow
@given(TEXTS, st.lists(st.tuples(st.text(max_size=4), TEXTS), max_size=4))
def test_every_sentence_that_is_pointed_at_is_there_and_an_answer_has_one(
    question: str, passages: list[tuple[str, str]]
) -> None:
    numbered = number(passages)
    reading = read(question, numbered)
    assert reading == read(question, numbered)
    assert len(sentences_of(reading, numbered)) == len(reading.quotes)
    assert reading.sufficient == bool(reading.answer)
    assert not reading.sufficient or reading.quotes


@pytest.mark.parametrize(
    ("question", "text", "best"),
    [
        (
            "Why is the gate painted red?",
            "The gate was painted red in May. The gate is painted red because rust is red.",
            "The gate is painted red because rust is red.",
        ),
        (
            "I forgot the password, what now",
            "Forgot the password? Hold the button for ten seconds. A password is long.",
            "Hold the button for ten seconds.",
        ),
        (
            "Why do you doubt your senses?",
            "'Why do you doubt your senses?'\n'A bit of beef deceives them.' I have senses.",
            "'A bit of beef deceives them.'",
        ),
        (
            "Which letters does the sign of the gate have?",
            "The sign of the gate has:\n- The letters B and C.\n- A lamp.",
            "The letters B and C.",
        ),
        (
            "When was the gate painted?",
            "The gate was painted by hand. The gate was painted in 1990, it was painted in 1995.",
            "The gate was painted in 1990, it was painted in 1995.",
        ),
        (
            "What about the offer of the job in Merton?",
            "The offer of the job in Merton came. It would cost an hour on the train each way.",
            "It would cost an hour on the train each way.",
        ),
        (
            "Which mill made the gate of the yard in Merton?",
            "The gate of the yard moves by day. The gate of the yard is by Harrow.",
            "The gate of the yard is by Harrow.",
        ),
        (
            "When is the second inspection of the gate?",
            "The gate of the yard was moved in May. The 2nd inspection is planned in August.",
            "The 2nd inspection is planned in August.",
        ),
    ],
)
def test_the_first_mark_is_the_line_that_answers(question, text, best):
    texts: list[Excerpt] = [{"id": "1", "title": "Notes", "text": text}]
    assert sentences_of(read(question, texts), texts)[0] == best
