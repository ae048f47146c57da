"""Questions are split by their grammar, in English and Korean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.language.comparing import comparison
from ragraphs.offline.decomposition.decompose import decompose


def split(question):
    return [part.text for part in decompose(question)]


COMPARISONS = {
    "Who is older, Ada Lovelace or Alan Turing?": [
        "When was Ada Lovelace born?",
        "When was Alan Turing born?",
    ],
    "Which film came out first, Lost And Found or The Long Way (1950 film)?": [
        "When was Lost And Found released?",
        "When was The Long Way (1950 film) released?",
    ],
    "Are Tallinn and Riga located in the same country?": [
        "Which country is Tallinn located in?",
        "Which country is Riga located in?",
    ],
    "Do Ada Lovelace and Alan Turing have the same nationality?": [
        "What nationality is Ada Lovelace?",
        "What nationality is Alan Turing?",
    ],
    "Are both magazines, the Lantern and Blue Sky, British publications?": [
        "Is Lantern a British publication?",
        "Is Blue Sky a British publication?",
    ],
    "Which of Paris and London is larger?": ["How large is Paris?", "How large is London?"],
    "Was Bach born before Handel?": ["When was Bach born?", "When was Handel born?"],
    "Who lived longer, Ann Lee or Bob Ray?": [
        "When was Ann Lee born?",
        "When did Ann Lee die?",
        "When was Bob Ray born?",
        "When did Bob Ray die?",
    ],
    "How many of Oslo, Bergen and Rome are capitals?": [
        "Is Oslo a capital?",
        "Is Bergen a capital?",
        "Is Rome a capital?",
    ],
    "Which singer is Danish, Ann Lee or Bob Ray?": ["Is Ann Lee Danish?", "Is Bob Ray Danish?"],
    "포스교와 브루클린교 중 어느 다리가 먼저 개통되었습니까?": [
        "포스교는 언제 개통되었습니까?",
        "브루클린교는 언제 개통되었습니까?",
    ],
    "이순신과 세종대왕 중 누가 먼저 태어났습니까?": [
        "이순신은 언제 태어났습니까?",
        "세종대왕은 언제 태어났습니까?",
    ],
    "김구와 안중근은 같은 나라 사람입니까?": [
        "김구는 어느 나라 사람입니까?",
        "안중근은 어느 나라 사람입니까?",
    ],
    "한강과 낙동강 중 어느 강이 더 깁니까?": [
        "한강의 길이는 얼마입니까?",
        "낙동강의 길이는 얼마입니까?",
    ],
}
CHAINS = {
    "Which film has the director who died first, Stella or Marius?": [
        "Who is the director of film Stella?",
        "When did #1 die?",
        "Who is the director of film Marius?",
        "When did #3 die?",
    ],
    "Are both directors of films Stella and Marius from the same country?": [
        "Who is the director of film Stella?",
        "Which country is #1 from?",
        "Who is the director of film Marius?",
        "Which country is #3 from?",
    ],
    "Where was the founder of the company that published Blue Sky born?": [
        "Which company published Blue Sky?",
        "Who is the founder of #1?",
        "Where was #2 born?",
    ],
    "What is Ada Lovelace's mother's birthplace?": [
        "Who is the mother of Ada Lovelace?",
        "What is #1's birthplace?",
    ],
    "When did the state where the Kaw Museum is located join the union?": [
        "In which state the Kaw Museum is located?",
        "When did #1 join the union?",
    ],
    "Who is Ann Lee's maternal grandfather?": [
        "Who is the mother of Ann Lee?",
        "Who is the father of #1?",
    ],
    "Who wrote Blue Sky and when was he born?": ["Who wrote Blue Sky?", "When was #1 born?"],
    "영화 기생충의 감독은 언제 태어났습니까?": [
        "영화 기생충의 감독은 누구입니까?",
        "#1은 언제 태어났습니까?",
    ],
    "세종의 아버지의 출생지는 어디입니까?": [
        "세종의 아버지는 누구입니까?",
        "#1의 출생지는 어디입니까?",
    ],
    "에펠탑이 있는 도시의 인구는 얼마입니까?": [
        "에펠탑이 있는 도시는 어디입니까?",
        "#1의 인구는 얼마입니까?",
    ],
    "영화 기생충과 영화 괴물 중 감독이 먼저 태어난 영화는?": [
        "영화 기생충의 감독은 누구입니까?",
        "#1은 언제 태어났습니까?",
        "영화 괴물의 감독은 누구입니까?",
        "#3은 언제 태어났습니까?",
    ],
}
SIDE_BY_SIDE = {
    "Who wrote Blue Sky and when was it published?": [
        "Who wrote Blue Sky?",
        "When was Blue Sky published?",
    ],
    "Compare Python, Rust and Go by speed and cost.": [
        f"What is the {axis} of {thing}?"
        for thing in ("Python", "Rust", "Go")
        for axis in ("speed", "cost")
    ],
    "춘향전은 누가 썼고 언제 출판되었습니까?": [
        "춘향전은 누가 썼습니까?",
        "춘향전은 언제 출판되었습니까?",
    ],
    "서울, 부산, 대구를 인구와 면적으로 비교하시오": [
        f"{thing}의 {axis} 무엇입니까?"
        for thing in ("서울", "부산", "대구")
        for axis in ("인구는", "면적은")
    ],
    "갑, 을의 성능, 비용을 비교하라": [
        f"{thing}의 {axis} 무엇입니까?" for thing in ("갑", "을") for axis in ("성능은", "비용은")
    ],
}
NINE = [
    f"What is the {axis} of {thing}?"
    for thing in ("Kafka", "Pulsar", "NATS")
    for axis in ("performance", "cost", "scalability")
]
NINE_KOREAN = [
    f"{thing}의 {axis} 무엇입니까?"
    for thing in ("가온", "나래", "다솜")
    for axis in ("성능은", "비용은", "확장성은")
]
GRIDS = {
    "Compare Kafka, Pulsar and NATS by performance, cost and scalability.": NINE,
    "Compare the three systems Kafka, Pulsar and NATS in terms of performance, cost and "
    "scalability, without leaving anything out.": NINE,
    "Compare the performance, cost and scalability of Kafka, Pulsar and NATS": NINE,
    "가온, 나래, 다솜 세 기술의 성능, 비용, 확장성을 비교하라. 누락 없이 정리하라.": NINE_KOREAN,
    "가온, 나래, 다솜 세 기술의 성능, 비용, 확장성을 누락 없이 비교하라": NINE_KOREAN,
    "가온, 나래와 다솜을 성능, 비용, 확장성 측면에서 비교해 줘": NINE_KOREAN,
    "What is the difference between BERT and GPT?": ["What is BERT?", "What is GPT?"],
    "How do BERT and GPT differ in training?": [
        "What is the training of BERT?",
        "What is the training of GPT?",
    ],
    "What is the difference in height between K2 and Makalu?": [
        "What is the height of K2?",
        "What is the height of Makalu?",
    ],
    "BERT와 GPT의 차이는 무엇인가?": ["BERT는 무엇입니까?", "GPT는 무엇입니까?"],
    "BERT와 GPT의 구조적 차이를 설명하라": [
        "BERT의 구조는 무엇입니까?",
        "GPT의 구조는 무엇입니까?",
    ],
    "BERT와 GPT의 학습 방식은 어떻게 다른가?": [
        "BERT의 학습 방식은 무엇입니까?",
        "GPT의 학습 방식은 무엇입니까?",
    ],
    "저온 조건과 무중력 조건을 모두 만족하는 실험은 무엇인가?": [
        "저온 조건을 만족하는 실험은 무엇인가?",
        "무중력 조건을 만족하는 실험은 무엇인가?",
    ],
    "Which trials meet both the first condition and the second condition?": [
        "Which trials meet the first condition?",
        "Which trials meet the second condition?",
    ],
}
EVERY = {**COMPARISONS, **CHAINS, **SIDE_BY_SIDE, **GRIDS}


@pytest.mark.parametrize("question", EVERY)
def test_a_question_is_split_into_one_question_for_each_fact(question):
    assert split(question) == EVERY[question]


@pytest.mark.parametrize(
    "question",
    [
        "Who discovered penicillin?",
        "What is the capital of France?",
        "Who is the director of Blue Sky?",
        "When was Ada Lovelace born?",
        "훈민정음은 언제 반포되었습니까?",
        "세종의 아버지는 누구입니까?",
        "Why is the sky blue?",
        "Which country do both Ada and Bram come from?",
        "훈민정음의 창제 원리를 세계 문자와 비교하라",
        "",
        "???",
    ],
)
def test_a_question_for_one_fact_stays_whole(question):
    assert split(question) == [question]


def test_members_of_a_chain_depend_on_those_before_them():
    parts = decompose("Which film has the director who died first, Stella or Marius?")
    assert [part.depends_on for part in parts] == [(), (0,), (), (2,)]


@pytest.mark.parametrize(
    ("question", "relation"),
    [
        ("Who is younger, Ann Lee or Bob Ray?", "greatest"),
        ("Who is older, Ann Lee or Bob Ray?", "least"),
        ("Are Ann Lee and Bob Ray both actors?", "both"),
        ("How many years older is Ann Lee than Bob Ray?", "difference"),
        ("김구와 안중근은 모두 화가입니까?", "both"),
    ],
)
def test_a_comparison_says_what_the_answers_decide(question, relation):
    assert comparison(question).relation == relation


def test_a_title_in_small_letters_stays_whole_in_a_comparison():
    parts = split("Which film has the director who died first, Ven mi amor or The Home?")
    assert parts[0] == "Who is the director of film Ven mi amor?"


@given(st.text(max_size=200))
def test_any_text_can_be_split_within_the_bound(text):
    parts = decompose(text, 24)
    assert 1 <= len(parts) <= 24


WORDS = st.sampled_from(
    "the of who which director film A Bob Ray's and or first , ? are same country where that #1 "
    "in is born Paris (film) compare by".split()
)


@given(st.lists(WORDS, max_size=40))
def test_any_sequence_of_such_words_can_be_split(words):
    parts = decompose(" ".join(words))
    assert all(needed < place for place, part in enumerate(parts) for needed in part.depends_on)


@pytest.mark.parametrize("unit", ["the country where A is ", "A and ", "나와 다 ", "Bob ("])
def test_overlong_questions_stay_whole(unit):
    question = unit * 300
    assert split(question) == [question]
    assert comparison(question) is None


def test_a_pronoun_stands_for_what_the_first_clause_finds_however_many_steps_it_takes():
    assert split("Who directed the film that won the Blue Prize and when was he born?") == [
        "Which film won the Blue Prize?",
        "Who directed #1?",
        "When was #2 born?",
    ]
