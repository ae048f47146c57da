"""Forms of replies on a real server: its grammars take them, and what it writes can be read."""

from __future__ import annotations

from string import Template

import pytest
from llama_server import NAME
from ragraphs.models.meter import start_meter
from ragraphs.models.protocol import NoReplyError
from ragraphs.prompts.library import ANSWER
from ragraphs.prompts.lists import EVALUATION_PROMPTS, INDEX_PROMPTS, QUESTION_PROMPTS
from ragraphs.prompts.prompt import _template, number

PROMPTS = (*INDEX_PROMPTS, *QUESTION_PROMPTS, *EVALUATION_PROMPTS)
TEXTS = number(
    [
        ("Forth Bridge", "The bridge was opened on 4 March 1890. It is a cantilever bridge."),
        ("경복궁", "경복궁은 1395년에 지어졌다. 정도전이 이름을 지었다."),
    ]
)


def inputs_of(prompt, question):
    """A value for each placeholder of a prompt."""
    names = Template(_template(prompt.name, None)[1]).get_identifiers()
    return {name: TEXTS if name == "texts" else question for name in names}


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
async def test_the_form_of_every_reply_is_taken_filled_and_read(llama, open_model, prompt):
    meter = start_meter(None)
    model = await open_model()
    for place in range(5):  # by chance a name is a space
        try:
            reply = await model.run(prompt, **inputs_of(prompt, f"Who opened bridge {place}?"))
            break
        except NoReplyError as error:
            assert error.cause == "malformed"
    assert isinstance(reply, prompt.reply)
    assert model._ways.first(prompt.reply, None).form == 0, "no simpler form was needed"
    used = meter.models[f"openai:{NAME}"]
    assert 0 < used["output_tokens"] <= used["calls"] * prompt.reply.most_tokens


@pytest.mark.slow
async def test_an_answer_arrives_in_pieces(llama, open_model):
    class Listener:
        def __init__(self):
            self.pieces = []

        def begin(self):
            self.pieces.clear()

        def add(self, piece):
            self.pieces.append(piece)

    listener = Listener()
    model = await open_model()
    for place in range(20):  # what is written by chance may be empty, cut off or of no use
        meter = start_meter(None)
        meter.listener = listener
        try:
            reply = await model.run(ANSWER, question=f"Who opened the bridge {place}?", texts=TEXTS)
        except NoReplyError as error:
            assert error.cause == "malformed"
            continue
        if meter.warnings:  # of what was cut off, too large or malformed
            continue
        assert "".join(listener.pieces).strip() == reply.answer
        if len(listener.pieces) > 1:
            return
    pytest.fail("no answer came in pieces")
