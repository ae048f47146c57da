"""The offline reader and passages of any characters: a valid reply, or none with its reason."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.models.protocol import NoReplyError
from ragraphs.offline.model import OfflineLanguageModel
from ragraphs.prompts.extraction_replies import PassageReading, to_facts
from ragraphs.prompts.indexing import (
    EXTRACT_FACTS,
    READ_PASSAGE,
    SUMMARISE_DESCRIPTION,
    WRITE_QUESTIONS,
    WRITE_REPORT,
)
from ragraphs.prompts.library import ANSWER, STAND_ALONE
from ragraphs.prompts.prompt import number

WORDS = ("_", "=", ".", "|", "- [ ]", "😀", "\n", "Bob", "은", "가", "1901", "(", "“", "’", "#",
         "of", "The", "\u0301", "\u200b", "Ⅷ", "²", "①", "ﬁ", "\x1b")  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=12).map(" ".join)
MODEL = OfflineLanguageModel(LexicalEmbedder())
SETTINGS = {"entity_types": "", "examples": "", "claims": ""}


@pytest.mark.slow
@given(title=TEXTS, text=TEXTS)
@example(title="", text="_" * 40)
@example(title="", text="- [ ] \n- [ ] ")
def test_any_passage_is_read_or_says_nothing(title: str, text: str):
    texts = number([(title, text)])
    reading = asyncio.run(MODEL.run(READ_PASSAGE, texts=texts, **SETTINGS))
    assert isinstance(reading, PassageReading)
    assert to_facts(reading)["entities"] or not reading.relations
    asyncio.run(MODEL.run(WRITE_QUESTIONS, texts=texts))
    asyncio.run(MODEL.run(EXTRACT_FACTS, texts=texts, **SETTINGS))
    asyncio.run(MODEL.run(ANSWER, question=title or "?", texts=texts))


@given(title=TEXTS, text=TEXTS)
@example(title="", text=" ")
def test_where_there_is_nothing_to_say_there_is_no_reply(title: str, text: str):
    texts = number([(title, text)])
    for prompt, inputs in (
        (SUMMARISE_DESCRIPTION, {"texts": texts}),
        (WRITE_REPORT, {"texts": texts}),
        (STAND_ALONE, {"question": text, "history": texts}),
    ):
        try:
            reply = asyncio.run(MODEL.run(prompt, **inputs))
        except NoReplyError as error:
            assert "nothing to read" in str(error)
        else:
            assert isinstance(reply, prompt.reply)
