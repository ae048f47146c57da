"""DeepRAG's replies are read leniently."""

from __future__ import annotations

import json

import pytest
from ragraphs.models.chat.structured import read_reply
from ragraphs.prompts.deeprag_replies import (
    NextStep,
    ShownStep,
    StepReading,
    SubQuestions,
    show_steps,
)
from ragraphs.prompts.library import ANSWER


@pytest.mark.parametrize(
    ("text", "finish", "source"),
    [
        ('{"question": "Who?"}', False, "retrieve"),
        ('{"finish": true}', True, "retrieve"),
        ('{"finish": "false", "question": "Who?", "source": "Parametric"}', False, "known"),
        ('{"question": "Who?", "source": "my own knowledge: known"}', False, "known"),
        ('{"question": null, "source": null}', True, "retrieve"),
        ('{"question": "Who?", "source": "earlier answers", "reason": null}', False, "earlier"),
        ('{"question": "Who?", "source": "retrieve, no earlier step has it"}', False, "retrieve"),
    ],
)
def test_a_next_step_may_leave_out_what_can_be_told(text, finish, source):
    step, *_ = read_reply(text, NextStep)
    assert (step.finish, step.source) == (finish, source)


@pytest.mark.parametrize(
    ("text", "final", "decided"),
    [
        ('{"answer": "Ann", "final": "Ann", "decided": true, "next": ""}', "Ann", True),
        ('{"answer": "Ann", "final": "Ann", "decided": true, "next": "Where?"}', "Ann", False),
        ('{"answer": "", "final": "Ann", "decided": false}', "Ann", False),
        ('{"answer": "1900", "final": 1900}', "1900", True),
        ('{"answer": "Ann", "final": null}', "", False),
        ('{"answer": "Ann", "decided": null}', "", False),
        ('{"answer": "Ann", "final": "Ann", "next": false}', "Ann", True),
        ('{"answer": "Ann", "final": "Ann", "decided": true, "next": 0}', "Ann", True),
    ],
)
def test_a_reading_that_asks_for_one_more_step_has_not_decided(text, final, decided):
    reading, *_ = read_reply(text.replace("{", '{"sufficient": true, ', 1), StepReading)
    assert (reading.final, reading.decided) == (final, decided)
    assert StepReading.model_validate_json(reading.model_dump_json()) == reading


@pytest.mark.parametrize("field", ["answer", "final"])
def test_an_answer_decided_in_a_step_has_the_room_of_any_other(field):
    assert StepReading.asked_bounds(field) == ANSWER.reply.asked_bounds("answer")
    letter = "Dear Ann, the harbour opens at six. " * 130
    reading, *_ = read_reply(json.dumps({"sufficient": True, field: letter}), StepReading)
    assert getattr(reading, field) == letter.strip()


@pytest.mark.parametrize(
    "text",
    [
        '{"questions": ["A?", "B?"]}',
        '["A?", {"question": "B?"}]',
        '{"questions": [{"question": "A?", "atomic": null}, "B?", {"atomic": true}, 7]}',
    ],
)
def test_sub_questions_may_be_plain_texts(text):
    reply, *_ = read_reply(text, SubQuestions)
    assert [(part.question, part.atomic) for part in reply.questions] == [
        ("A?", True),
        ("B?", True),
    ]


def test_steps_are_shown_with_what_was_computed():
    assert show_steps([]) == "None yet."
    steps = [
        ShownStep("Who?", "Ann"),
        ShownStep("When?", ""),
        ShownStep("Where?", "", ["By sea."]),
        ShownStep("Where?", "", ["By sea."], doubted="Rome"),
    ]
    shown = show_steps(steps, "1900")
    said = "The texts say: “By sea.”"
    told = ["Ann", "(not found)", f"(open) {said}", f"(not certain) Rome {said}", "1900"]
    assert [step["text"] for step in shown] == told
    assert [step["id"] for step in shown[:4]] == ["Q1", "Q2", "Q3", "Q4"]
    assert shown[-1]["id"] == "computed"
