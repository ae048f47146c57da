"""Texts that are shown sentence by sentence, and replies that point at the sentences."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pointed import sentences_of
from ragraphs.models.chat.structured import read_reply, reply_schema
from ragraphs.prompts import library
from ragraphs.prompts.deeprag_replies import SYNTHESIZE, show_steps
from ragraphs.prompts.lists import EVALUATION_PROMPTS, INDEX_PROMPTS, QUESTION_PROMPTS
from ragraphs.prompts.pointing import by_sentence, cut, numbers_of, pointed_at
from ragraphs.prompts.prompt import number
from ragraphs.prompts.replies import Answer, Pointing

TEXT = "The bridge opened in 1890. It is red.\n\n| Year | Trains |\n|---|---|\n| 1900 | 30 |\n"
CODE = (
    "Set it so:\n\n```python\nport = 7420\nwhile open:\n    listen(port)\n```\n\nThen restart it."
)
REST = {"sufficient": True, "answer": "1890"}


def reading(pointers: object, key: str = "from") -> Answer:
    return read_reply(json.dumps({key: pointers, **REST}), Answer).value


def test_each_sentence_row_and_line_of_code_has_its_number():
    assert by_sentence("3", TEXT).splitlines() == [
        "3.1 The bridge opened in 1890.",
        "3.2 It is red.",
        "3.3 | Year | Trains |",
        " |---|---|",
        " | 1900 | 30 |",
    ]
    assert by_sentence("1", CODE).splitlines() == [
        "1.1 Set it so:",
        "1.2 ```python",
        " port = 7420",
        "1.3 while open:",
        "1.4     listen(port)",
        "1.5 ```",
        " Then restart it.",
    ]
    assert by_sentence("2", "다리는 1890년에 열렸다. 다리는 붉다.") == (
        "2.1 다리는 1890년에 열렸다.\n2.2 다리는 붉다."
    )


LINES = st.lists(
    st.sampled_from([*TEXT, *CODE, "\r", "\x0b", "1.2 ", "</text>\n", "。"]), max_size=80
)


@given(st.text() | LINES.map("".join))
def test_no_text_can_number_a_line_and_no_word_of_it_is_lost(text):
    shown, numbers = by_sentence("1", text), numbers_of("1", text)
    heads = [line.split(" ")[0] for line in shown.splitlines() if not line.startswith(" ")]
    assert heads == numbers
    told = "".join(line.removeprefix(head) for line, head in _with_heads(shown, numbers))
    assert "".join(told.split()) == "".join(text.split())
    for place, one in enumerate(numbers):
        assert pointed_at(one, [text]) == (0, cut(text)[place])


def _with_heads(shown, numbers):
    heads = iter(numbers)
    for line in shown.splitlines():
        yield line, "" if line.startswith(" ") else next(heads)


@pytest.mark.parametrize(
    "wrong", ["", "1", "1.0", "1.9", "0.1", "2.1", "-1.1", "1.1.1", "a.b", "²"]
)
def test_a_number_that_was_not_shown_points_nowhere(wrong):
    assert pointed_at(wrong, [TEXT]) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["1.2", "2.1"], ["1.2", "2.1"]),
        ("1.2", ["1.2"]),
        ("1.2, 2.1", ["1.2", "2.1"]),
        (["[1.2]", "2.1."], ["1.2", "2.1"]),
        ([1.2], ["1.2"]),
        (["1.1 The bridge opened in 1890."], ["1.1"]),
        ([{"id": "1.2"}], ["1.2"]),
        ([], []),
        (None, []),
    ],
)
def test_numbers_are_read_in_any_form(given, expected):
    assert [one.id for one in reading(given).quotes] == expected


@pytest.mark.parametrize("key", ["from", "quotes"])
@pytest.mark.parametrize(
    "copied", ["It is red.", ["It is red."], [{"id": "1", "quote": "It is red."}]]
)
def test_a_copied_sentence_is_a_quote_under_either_name(key, copied):
    [quote] = reading(copied, key).quotes
    assert quote.quote == "It is red."


def test_a_kept_reply_is_read_again_as_it_was():
    reply = reading(["1.2", "It is red."])
    assert Answer.model_validate_json(reply.model_dump_json()) == reply


def test_only_the_texts_of_a_prompt_that_points_are_cut():
    steps = show_steps([])
    inputs = {"question": "When?", "texts": number([("Bridge", TEXT)])}
    assert "1.1 The bridge" in library.ANSWER.render(inputs)[1]
    assert "1.1" not in library.GRADE_PASSAGES.render(inputs)[1]
    assert library.ANSWER.numbers(inputs) == ["1.1", "1.2", "1.3"]
    assert library.GRADE_PASSAGES.numbers(inputs) == []
    assert SYNTHESIZE.numbers({**inputs, "steps": steps}) == ["1.1", "1.2", "1.3"]


@pytest.mark.parametrize(
    "prompt",
    [one for one in (*QUESTION_PROMPTS, *INDEX_PROMPTS, *EVALUATION_PROMPTS)
     if issubclass(one.reply, Pointing)],
    ids=lambda prompt: prompt.name,
)  # fmt: skip
def test_no_number_of_an_example_can_be_that_of_a_text(prompt):
    from ragraphs.prompts.prompt import _built_in

    examples = re.findall(r'"(\d+)\.\d+"', _built_in(prompt.name))
    assert examples and all(int(text) >= 900 for text in examples)
    assert next(iter(reply_schema(prompt.reply)["properties"])) == "from"


def test_the_sentences_of_a_reply_are_found_again():
    texts = number([("Bridge", TEXT), ("Manual", CODE)])
    assert sentences_of(reading(["2.3", "1.3", "7.1"]), texts) == ["while open:", "1900 | 30"]
