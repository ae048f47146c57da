import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.language.answer_types import quoted_names, roots
from ragraphs.language.questions import analyse_question


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who designed the Merton lighthouse?", "person"),
        ("When was the Merton lighthouse lit?", "date"),
        ("In what year was the lighthouse lit?", "date"),
        ("What is the date of birth of Ada Quill?", "date"),
        ("Where was Ada Quill born?", "place"),
        ("Ada Quill was born in what city?", "place"),
        ("How many keepers lived there?", "number"),
        ("What is the population of Merton?", "number"),
        ("Is the Merton lighthouse made of stone?", "yes_no"),
        ("Which tower is older, Merton or Harrow Point?", "choice"),
        ("Which magazine printed the plans?", "name"),
        ("What is a lighthouse?", "definition"),
        ("Why was the lighthouse abandoned?", "open"),
        ("How does the lamp turn?", "open"),
        ("What are the main duties of a keeper?", "open"),
        ("등대는 누가 설계했습니까?", "person"),
        ("등대는 언제 세워졌나요?", "date"),
        ("등대는 어디에 있습니까?", "place"),
        ("등대지기는 몇 명입니까?", "number"),
        ("몇몇 학자는 새 글자에 반대하는 글을 올렸는가?", "yes_no"),
        ("등대는 돌로 만들어졌습니까?", "yes_no"),
        ("백록담과 천지 중 어느 호수가 더 큽니까?", "choice"),
        ("등대란 무엇인가?", "definition"),
        ("등대는 왜 버려졌나요?", "open"),
    ],
)
def test_the_expected_answer_type_follows_from_the_wording(question: str, kind: str) -> None:
    assert analyse_question(question).answer_type == kind


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("What nationality is Ada Quill?", "nationality"),
        ("Which magazine printed the plans?", "magazine"),
        ("Which cities did she visit?", "city"),
        ("이순신은 어느 도시에서 태어났나요?", "도시"),
    ],
)
def test_the_noun_asked_for_is_singular_and_lower_case(question: str, noun: str) -> None:
    assert analyse_question(question).noun == noun


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Which film came out first, Red Kite or The Salt Road?", ("Red Kite", "The Salt Road")),
        ("Who is older, Ada Quill or Tom Brand?", ("Ada Quill", "Tom Brand")),
        ("Between Red Kite and Salt Road, which film is longer?", ("Red Kite", "Salt Road")),
        ("Are Merton and Harrow Point in the same country?", ("Merton", "Harrow Point")),
        ("세종대왕과 정조 중 누가 먼저 태어났습니까?", ("세종대왕", "정조")),
    ],
)
def test_options_to_compare_are_recognised(question: str, options: tuple[str, ...]) -> None:
    assert analyse_question(question).options == options


def test_an_or_between_prepositions_is_no_choice() -> None:
    shape = analyse_question("Who directed the film that was shot in or around Merton?")
    assert (shape.answer_type, shape.options) == ("person", ())


@pytest.mark.parametrize(
    ("question", "comparison", "measure"),
    [
        ("Who is older, Ada Quill or Tom Brand?", "least", "birth"),
        ("Who is younger, Ada Quill or Tom Brand?", "greatest", "birth"),
        ("Who died later, Ada Quill or Tom Brand?", "greatest", "death"),
        ("Who lived longer, Ada Quill or Tom Brand?", "greatest", "lifespan"),
        ("Which film was released first, Red Kite or Salt Road?", "least", "date"),
        ("Do Ada Quill and Tom Brand share the same nationality?", "same", "country"),
        ("세종대왕과 정조 중 누가 더 나중에 태어났습니까?", "greatest", "birth"),
    ],
)
def test_how_and_by_what_options_are_compared(question: str, comparison: str, measure: str) -> None:
    shape = analyse_question(question)
    assert (shape.comparison, shape.measure) == (comparison, measure)


def test_roles_are_the_unnamed_persons_but_not_the_one_asked_for() -> None:
    assert analyse_question("When did the director of Red Kite die?").roles == {"direct"}
    assert analyse_question("Who is the director of Red Kite?").roles == set()
    assert analyse_question("Who is the wife of the director of Red Kite?").roles == {"direct"}


def test_roots_unite_derived_and_irregular_forms() -> None:
    assert {*roots("What is the place of birth of the director?")} >= {*roots("born directed")}


def test_the_verdict_is_in_the_language_of_the_question() -> None:
    assert analyse_question("Is it old?").verdict(True) == "yes"
    assert analyse_question("오래되었습니까?").verdict(True) == "예"
    assert analyse_question("오래되었습니까?").verdict(False) == "아니요"


@given(st.text())
def test_any_text_is_analysed_the_same_way_twice(text: str) -> None:
    assert analyse_question(text) == analyse_question(text)


def test_a_list_of_strings_as_a_question_is_read_as_fast_as_any_other() -> None:
    """Between two quotation marks of a list stands a comma, which is no name."""
    listed = ", ".join(f'"{name}"' for name in ("gif", "jpg", "png", "pst", "psp", "tif", "raw"))
    started = time.thread_time()
    analyse_question(f'bmp", {listed}, "ico"')
    assert time.thread_time() - started < 0.1
    assert quoted_names(f'Which of {listed} and "a, b." is it?')[-1] == "a, b"
    assert quoted_names('a", "b", "c') == []
