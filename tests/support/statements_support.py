"""A model that answers with the first text, and judges statements as it is told."""

from __future__ import annotations

import re
from typing import Any

from pointed import as_written
from stub_openai import failure

MODEL = ("--model", "openai:stub", "--max-retries", "0", "--embeddings", "lexical")
_TEXT = re.compile(r'<text id="([^"]*)" title="[^"]*">\n(.*?)\n</text>', re.DOTALL)


def texts_in(human: str) -> dict[str, str]:
    """The texts that a prompt shows, by their ids."""
    return dict(_TEXT.findall(human))


class Judge:
    """Answers with the first text, and replies to a judge's prompts as ``replies`` say."""

    def __init__(self) -> None:
        self.replies: dict[str, Any] = {}
        self.asked: list[tuple[str, str]] = []

    def __call__(self, body: Any) -> Any:
        kind = body["response_format"]["json_schema"]["name"]
        human = body["messages"][1]["content"]
        self.asked.append((kind, human))
        if kind in self.replies:
            reply = self.replies[kind]
            return reply(human) if callable(reply) else reply
        if kind == "Answer":
            quote = as_written(texts_in(human)["1"])
            return {"quotes": [{"id": "1", "quote": quote}], "sufficient": True, "answer": quote}
        if kind == "AnswerCheck":
            return {"unsupported": [], "sufficient": True}
        return failure(402, f"Nobody wrote a reply to {kind}")

    def number_of(self, kind: str) -> int:
        return sum(one == kind for one, _ in self.asked)

    def prompts(self, kind: str) -> list[str]:
        return [human for one, human in self.asked if one == kind]
