"""Readers that overlook: the router's next method finds what one reading missed."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from ragraphs.context import RouterContext
from ragraphs.graphs.router import graph
from scripted_model import MODEL

QUESTION = "Where was the designer of the Aldbridge born?"
DESIGNER, BORN = "Who designed the Aldbridge?", "Where was Ann Reed born?"
CHAIN = {
    DESIGNER: ("Ann Reed", "The Aldbridge was designed by Ann Reed."),
    BORN: ("Leeds", "Ann Reed was born in Leeds."),
}
GOLD = [("Aldbridge", CHAIN[DESIGNER][1]), ("Ann Reed", CHAIN[BORN][1])]
_TEXT = re.compile(r'<text id="(\d+)" title="[^"]*">\n(.*?)\n</text>', re.DOTALL)


class Reader:
    """Answers single facts, and the whole question only where it ``joins`` them.

    Where it ``overlooks``, it misses every third text of a prompt, from that place on.
    """

    def __init__(self, *, joins: bool, overlooks: int | None = None) -> None:
        self._joins, self._overlooks = joins, overlooks
        self.kinds: list[str] = []

    def __call__(self, body: Any) -> str:
        kind = body["response_format"]["json_schema"]["name"]
        self.kinds.append(kind)
        human = body["messages"][1]["content"]
        return json.dumps(getattr(self, f"_{kind.lower()}")(human))

    def _quotes(self, human: str, *questions: str) -> list[dict[str, str]]:
        texts = _TEXT.findall(human)
        if self._overlooks is not None:
            texts = [one for place, one in enumerate(texts) if place % 3 != self._overlooks]
        said = [CHAIN[question][1] for question in questions]
        return [{"id": id, "quote": fact} for fact in said for id, text in texts if fact in text]

    def _answer(self, human: str) -> Any:
        found = self._quotes(human, DESIGNER, BORN)
        if self._joins and len(found) == 2:
            return {"quotes": found, "sufficient": True, "answer": "Leeds", "missing": []}
        missing = BORN if CHAIN[DESIGNER][1] in str(found) else DESIGNER
        return {"quotes": found[:1], "sufficient": False, "answer": "", "missing": [missing]}

    def _stepreading(self, human: str) -> Any:
        asked = human.rsplit("Current sub-question: ", 1)[1].strip()
        found = self._quotes(human, asked) if asked in CHAIN else []
        answer = CHAIN[asked][0] if found else ""
        ended = answer == "Leeds"
        return {
            "quotes": found,
            "sufficient": bool(found),
            "answer": answer,
            "final": answer if ended else "",
            "decided": ended,
            "next": BORN if answer == "Ann Reed" else "",
            "source": "retrieve",
        }

    def _nextstep(self, human: str) -> Any:
        step = BORN if "Ann Reed" in human else DESIGNER
        return {"finish": "Leeds" in human, "question": step, "source": "retrieve", "reason": ""}

    def _hoplabels(self, human: str) -> Any:
        return {"necessary": re.findall(r"^\d+\.\d+", human, re.MULTILINE), "indirect": []}


def corpus(passages: int) -> list[dict[str, str]]:
    """``passages`` texts: the two that are needed, and others of the same form."""
    pairs = [
        pair
        for n in range(passages)
        for pair in (
            (f"Bridge of Town{n}", f"The bridge of Town{n} was designed by Engineer{n}."),
            (f"Engineer{n}", f"Engineer{n} was born in City{n}."),
        )
    ]
    chosen = [*pairs[: passages - 2], *GOLD]
    return [{"id": title, "title": title, "text": text} for title, text in chosen]


@pytest.mark.slow
@pytest.mark.parametrize("passages", [3, 30, 200])
@pytest.mark.parametrize(
    "habits",
    [{"joins": False}, *({"joins": True, "overlooks": first} for first in (1, 2))],
    ids=str,
)
def test_a_reader_that_overlooks_is_right_by_the_router(openai, indexing, passages, habits):
    indexing.run(documents=corpus(passages))
    openai.answer = Reader(**habits)
    context = RouterContext(index=indexing.name, model=MODEL)
    found = graph.invoke({"question": QUESTION}, context=context)
    assert (found["answer"], found["sufficient"]) == ("Leeds", True)
    assert {citation["quote"] for citation in found["citations"]} == {text for _, text in GOLD}


def test_after_a_walk_in_vain_the_question_is_taken_apart(openai, indexing):
    indexing.run(documents=corpus(12), context={"layers": ["hops"]})
    openai.answer = Reader(joins=False)
    context = RouterContext(index=indexing.name, model=MODEL)
    found = graph.invoke({"question": QUESTION}, context=context)
    assert found["answer"] == "Leeds" and found["path"][-1]["method"] == "deeprag"
