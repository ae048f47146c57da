"""Requests are open questions about their subject, in English and Korean."""

import pytest
from pointed import sentences_of
from ragraphs.language.questions import analyse_question, requested
from ragraphs.offline.reading import read
from ragraphs.prompts.prompt import number


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Tell me about the Forth Bridge.", "the Forth Bridge"),
        ("Please give me a short overview of the reports", "the reports"),
        ("Summarise the collection!", "the collection"),
        ("세종대왕에 대해 알려 주세요.", "세종대왕"),
        ("포스 교를 간단히 설명해 주십시오", "포스 교"),
        ("Tell me when the Forth Bridge was opened.", ""),
        ("Who built the Forth Bridge?", ""),
        ("누가 포스 교를 지었습니까?", ""),
    ],
)
def test_a_request_is_told_from_a_question(text, subject):
    assert requested(text) == subject


def test_a_request_is_open():
    assert analyse_question("Tell me about the Forth Bridge.").answer_type == "open"
    assert analyse_question("세종대왕에 대해 알려 주세요.").answer_type == "open"


@pytest.mark.parametrize(
    "text",
    [
        "Rewrite the guideline as a letter by a doctor who refers a patient.",
        "You are an engineer who inspects bridges, or a surveyor. Draft a report.",
        "As a keeper, prepare a plan: who does what, and when.",
        "등대지기에게 편지를 써 주세요.",
    ],
)
def test_a_task_to_write_a_text_is_open(text):
    shape = analyse_question(text)
    assert (shape.answer_type, shape.options) == ("open", ())


def test_a_question_about_writing_is_no_task():
    assert analyse_question("Who will write the report?").answer_type == "person"


def test_a_request_is_shown_what_is_told_of_the_subject_without_headings():
    text = "# Forth Bridge\n\nThe Forth Bridge is a railway bridge in Scotland. Rain is wet."
    texts = number([("Forth Bridge", text)])
    reading = read("Tell me about the Forth Bridge.", texts)
    assert (reading.sufficient, reading.answer) == (False, "")
    shown = sentences_of(reading, texts)
    assert shown[0] == "The Forth Bridge is a railway bridge in Scotland."
    assert not any("#" in text for text in shown)
