"""When earlier answers may do for a step, and what is asked next without a model."""

from __future__ import annotations

import pytest
from ragraphs.algorithms.deeprag.policy import agrees, choose_source, follows
from ragraphs.language.comparing import Answered
from ragraphs.offline.steps import loose_ends, next_sub_question

EARLIER = [
    Answered("When was the Elbe bridge opened?", "1893"),
    Answered("When was the Oder bridge opened?", "1902"),
]


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("Which opened earlier, the Elbe bridge or the Oder bridge?", "earlier"),
        ("What is the difference between 1893 and 1902?", "earlier"),
        ("When was the Elbe bridge designed?", "retrieve"),
        ("Who designed it?", "retrieve"),
        ("Which opened first, the Elbe bridge or the Rhine Bridge?", "retrieve"),
        ("Is 1893 earlier than 1895?", "retrieve"),
        ("Which bridge is the longest in Europe?", "retrieve"),
    ],
)
def test_biased_lets_earlier_answers_do_for_composition_over_them_only(question, source):
    decision = choose_source("biased", question, "earlier", "I know", EARLIER)
    assert decision.source == source
    assert decision.reason


@pytest.mark.parametrize(
    ("answer", "told"),
    [("1902", True), ("in 1902", True), ("1903", False), ("yes", False), ("Ann Lee", False)],
)
def test_an_answer_follows_only_if_it_is_part_of_an_earlier_one(answer, told):
    assert follows(answer, EARLIER) is told


@pytest.mark.parametrize(
    ("answer", "computed", "same"),
    [
        ("the Elbe bridge", "Elbe bridge", True),
        ("Fowler", "John Fowler", True),
        ("the Oder bridge", "the Elbe bridge", False),
        ("9 years", "9", False),
        ("9", "9", True),
        ("Yes.", "yes", True),
        ("no", "yes", False),
        ("no", "the Elbe bridge", False),
    ],
)
def test_an_answer_agrees_with_a_computed_one_that_it_repeats(answer, computed, same):
    assert agrees(answer, computed) is same


@pytest.mark.parametrize("policy", ["biased", "retrieve_always", "model"])
def test_no_policy_answers_from_nothing(policy):
    unknown = [Answered("When was it opened?", "")]
    assert choose_source(policy, "Which is older?", "earlier", "", unknown).source == "retrieve"


@pytest.mark.parametrize("policy", ["biased", "retrieve_always", "model"])
def test_what_is_to_be_retrieved_is_retrieved_by_every_policy(policy):
    question = "Which opened earlier, the Elbe bridge or the Oder bridge?"
    assert choose_source(policy, question, "retrieve", "why", EARLIER) == ("retrieve", "why")


def test_one_earlier_answer_does_for_arithmetic_with_figures_only():
    told = [Answered("When was the Elbe bridge opened in the year 1900?", "1893")]
    question = "What is the difference between 1893 and 1900?"
    assert choose_source("biased", question, "earlier", "", told).source == "earlier"
    question = "Which year is the earlier one?"
    assert choose_source("biased", question, "earlier", "", told).source == "retrieve"


QUESTION = "Which film has the director who died first, Stella or Marius?"


def test_by_grammar_sub_questions_follow_one_another_with_answers_filled_in():
    steps: list[Answered] = []
    for answer in ("Ann Lee", "1900", "", "never asked"):
        question = next_sub_question(QUESTION, steps)
        if question is None:
            break
        steps.append(Answered(question, answer))
    assert [step.question for step in steps] == [
        "Who is the director of film Stella?",
        "When did Ann Lee die?",
        "Who is the director of film Marius?",
    ]


def test_loose_ends_are_the_steps_that_no_later_one_builds_on():
    steps = [Answered("Who wrote it?", "Ann Lee"), Answered("When was Ann Lee born?", "1900")]
    assert loose_ends(steps) == steps[1:]
