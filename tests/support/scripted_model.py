"""A model that answers the prompts of all methods, over a small corpus of bridges."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from http_stub import Response
from pointed import as_written
from stub_openai import OpenAIStub, failure

MODEL = "openai:stub"
FACT = "The Forth Bridge was designed by John Fowler."
QUESTION = "Who designed the Forth Bridge?"
TEXTS = {
    "Forth Bridge": f"{FACT} It crosses the Firth of Forth.",
    "John Fowler": "John Fowler was born in Sheffield in 1817. John Fowler also built railways.",
    "Tay Bridge": "The Tay Bridge was designed by Thomas Bouch. It fell in a storm.",
    "세종대왕": "세종대왕은 1446년에 훈민정음을 반포하였다. 세종대왕은 1397년에 태어났다.",
}
DOCUMENTS = [{"id": title, "title": title, "text": text} for title, text in TEXTS.items()]
NOT_FOUND = {"quotes": [], "sufficient": False, "answer": "The texts do not say."}

_TEXT = re.compile(r'<text id="([^"]*)" title="[^"]*">\n(.*?)\n</text>', re.DOTALL)


class Asked(NamedTuple):
    """One request: the kind of reply it wanted, from which model, and what it said."""

    kind: str
    model: str
    system: str
    human: str


class Script:
    """Replies by the kind that is wanted: a value, or a function of the human part of the prompt.

    As long as a test sets nothing, everything is relevant, and the first sentence is the answer.
    """

    def __init__(self, openai: OpenAIStub) -> None:
        openai.answer = self
        self.replies: dict[str, Any] = {}
        self.asked: list[Asked] = []

    def __call__(self, body: Any) -> Any:
        kind = body["response_format"]["json_schema"]["name"]
        system, human = (message["content"] for message in body["messages"][:2])
        self.asked.append(Asked(kind, body["model"], system, human))
        reply = self.replies.get(kind, getattr(self, f"_{kind.lower()}", None))
        if reply is None:
            return failure(402, f"Nobody wrote a reply to {kind}")
        found = reply(human) if callable(reply) else reply
        return found if isinstance(found, Response | str) else json.dumps(found)

    def narrate(self) -> None:
        """From now on only sub-questions and their synthesis are answered."""
        self.replies["Answer"] = lambda human: (
            self._answer(human) if "Sub-questions" in human else NOT_FOUND
        )

    def quoting(self, human: str, sentence: str) -> Any:
        """A sufficient answer out of ``sentence``, which one of the texts has."""
        id = next(id for id, text in _TEXT.findall(human) if sentence in text)
        quotes = [{"id": id, "quote": sentence}]
        return {"quotes": quotes, "sufficient": True, "answer": sentence}

    def final(self, human: str) -> Any:
        """A step that answers the question itself."""
        found = self._answer(human)
        return {**found, "next": "", "source": "retrieve", "final": found["answer"]}

    @property
    def kinds(self) -> list[str]:
        return [asked.kind for asked in self.asked]

    def models(self, kind: str) -> set[str]:
        return {asked.model for asked in self.asked if asked.kind == kind}

    def prompts(self, kind: str) -> list[str]:
        return [asked.human for asked in self.asked if asked.kind == kind]

    def _answer(self, human: str) -> Any:
        texts = [(id, as_written(text)) for id, text in _TEXT.findall(human) if id.isdigit()]
        id, text = next(((id, text) for id, text in texts if FACT in text), texts[0])
        quote = FACT if FACT in text else text.split(". ")[0]
        return {"quotes": [{"id": id, "quote": quote}], "sufficient": True, "answer": quote}

    def _grades(self, human: str) -> Any:
        return {"needed": [id for id, _ in _TEXT.findall(human)], "related": []}

    def _queries(self, human: str) -> Any:
        return {"queries": ["forth bridge designer"]}

    def _standalonequestion(self, human: str) -> Any:
        return {"question": QUESTION}

    def _hoplabels(self, human: str) -> Any:
        return {"labels": []}

    def _kepttexts(self, human: str) -> Any:
        return {"keep": [id for id, _ in _TEXT.findall(human)]}

    def _relationscores(self, human: str) -> Any:
        return {"scores": []}

    def _judgement(self, human: str) -> Any:
        return {"sufficient": True, "clue": ""}

    def _nextstep(self, human: str) -> Any:
        if any(not text.startswith(("(not found)", "(open)")) for _, text in _TEXT.findall(human)):
            return {"finish": True, "question": "", "source": "retrieve", "reason": "enough"}
        step = "Which bridges were designed by John Fowler?"
        return {"finish": False, "question": step, "source": "retrieve", "reason": "unknown"}

    def _stepreading(self, human: str) -> Any:
        return {**self._answer(human), "next": "", "source": "retrieve"}

    def _answercheck(self, human: str) -> Any:
        return {"unsupported": [], "sufficient": True}

    def _points(self, human: str) -> Any:
        ids = [id for id, text in _TEXT.findall(human) if "Fowler" in text] or ["1"]
        return {"points": [{"point": FACT, "score": 90, "evidence": ids}]}

    def _combinedanswer(self, human: str) -> Any:
        return {"answer": FACT, "used": ["1"], "sufficient": True, "general": ""}
