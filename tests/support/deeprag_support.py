"""A scripted model for the deeprag graph, over a small index of bridges and their designers."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

from http_stub import Response
from ragraphs.context import BasicContext, DeepragContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.deeprag import graph
from ragraphs.nodes.router.handing import handed_on
from ragraphs.nodes.subgraph import relay
from ragraphs.state.found import NOTHING, Found
from stub_openai import chat, failure

MODEL = "openai:stub"
TEXTS = {
    "Atomium": "The Atomium was designed by André Waterkeyn. It stands in Brussels.",
    "André Waterkeyn": "André Waterkeyn was born in 1917. He studied in Mons.",
    "Forth Bridge": "The Forth Bridge was designed by John Fowler.",
    "John Fowler": "John Fowler was born in 1817. He came from Sheffield.",
    "Brussels": "Brussels has 1200000 inhabitants.",
}
DOCUMENTS = [{"id": title, "title": title, "text": text} for title, text in TEXTS.items()]
OLDER = "Which has the older designer, the Atomium or the Forth Bridge?"
CHAIN = [
    ("Who designed the Atomium?", "André Waterkeyn", "designed by André"),
    ("When was André Waterkeyn born?", "1917", "was born in 1917"),
    ("Who designed the Forth Bridge?", "John Fowler", "designed by John"),
    ("When was John Fowler born?", "1817", "was born in 1817"),
]


class Script:
    """Answers DeepRAG's prompts: sub-questions by CHAIN, the rest as a test says."""

    def __init__(self, openai: Any) -> None:
        openai.answer = self
        self.openai = openai
        self.seconds = 0.0
        self.steps: list[Any] = [step for step, _, _ in CHAIN]
        self.splits: dict[str, Any] = {}
        self.finals: dict[str, str] = {}
        self.missing: list[str] = []
        self.known: dict[str, str] = {}
        self.broken: set[str] = set()
        self.prompts: dict[str, list[str]] = {
            kind: []
            for kind in (
                "NextStep",
                "StepReading",
                "SubQuestions",
                "StepAnswer",
                "ClosedBookAnswer",
                "Read",
                "Synthesize",
                "AnswerCheck",
            )
        }

    def __call__(self, body: Any) -> Any:
        kind = body["response_format"]["json_schema"]["name"]
        human = body["messages"][1]["content"]
        if kind == "Answer":
            kind = "Synthesize" if "Sub-questions with their answers" in human else "Read"
        self.prompts[kind].append(human)
        label = "Current sub-question" if kind == "StepReading" else "Question"
        asked = re.findall(rf"^{label}: (.+)$", human, re.MULTILINE)[-1]
        asked = re.sub(r"</?text>| \(The search .*", "", asked)
        if asked in self.broken:
            return failure(400, "no answer to this one")
        reply = getattr(self, kind.lower())(asked, human)
        return (
            Response(chat(json.dumps(reply)).body, seconds=self.seconds) if self.seconds else reply
        )

    def nextstep(self, asked: str, human: str) -> Any:
        main = re.findall(r"^Question: (.+)$", human, re.MULTILINE)[-1]
        titles = re.findall(r'<text id="Q\d+" title="(.*?)">', human)
        taken = sum(title != main for title in titles) + ("Current sub-question: " in human)
        if taken >= len(self.steps):
            return {"finish": True, "question": "", "source": "retrieve", "reason": "enough"}
        step = self.steps[taken]
        told = {"finish": False, "source": "retrieve", "reason": "not known yet"}
        return step if isinstance(step, dict) else {**told, "question": step}

    def stepreading(self, asked: str, human: str) -> Any:
        step = self.nextstep(asked, human)
        if asked in self.finals:
            step = {"finish": True}
        return {
            **self.read(asked, human),
            "final": self.finals.get(asked, ""),
            "next": "" if step.get("finish") else step["question"],
            "source": step.get("source", "retrieve"),
        }

    def closedbookanswer(self, asked: str, human: str) -> Any:
        return {"known": asked in self.known, "answer": self.known.get(asked, "perhaps")}

    def answercheck(self, asked: str, human: str) -> Any:
        return {"unsupported": [], "sufficient": True}

    def subquestions(self, asked: str, human: str) -> Any:
        return {"questions": self.splits.get(asked, [])}

    def stepanswer(self, asked: str, human: str) -> Any:
        return {"found": True, "answer": "from the steps"}

    def read(self, asked: str, human: str) -> Any:
        for id, text in re.findall(r'<text id="(\d+)".*?>\n(.*?)\n</text>', human, re.DOTALL):
            for question, answer, words in CHAIN:
                if asked == question and words in text:
                    quote = next(s for s in re.split(r"(?<=\.) ", text) if words in s)
                    return answered(answer, [{"id": id, "quote": quote}])
        texts = re.findall(r'<text id="(\d+)".*?>\n(.*?)\n</text>', human, re.DOTALL)
        quotes = [
            {"id": id, "quote": text.split(". ")[0]} for id, text in texts if "designed" in text
        ]
        told = {"quotes": quotes, "sufficient": False, "answer": "what was read"}
        return {**told, "missing": self.missing} if self.missing else {**told, "quotes": []}

    def synthesize(self, asked: str, human: str) -> Any:
        computed = re.search(r'<text id="computed".*?>\n(.*?)\n', human)
        texts = re.findall(r'<text id="(\d+)".*?>\n(.*?)\n</text>', human, re.DOTALL)
        quotes = [{"id": id, "quote": text.split(". ")[0]} for id, text in texts[:1]]
        return answered(computed[1] if computed else "what was found", quotes)

    @property
    def calls(self) -> int:
        return sum(map(len, self.prompts.values()))


def answered(answer: str, quotes: list[Any]) -> Any:
    return {"quotes": quotes, "sufficient": True, "answer": answer}


def ask(indexing: Any, question: str = OLDER, held: Found = NOTHING, **chosen: Any) -> Any:
    """The output of the deeprag graph with the scripted model, started from ``held``."""
    context = DeepragContext(**{"index": indexing.name, "model": MODEL, "max_retries": 0, **chosen})
    return graph.invoke({"question": question}, context=context.starting_from(held))


def found_by_basic(indexing: Any, question: str, top_k: int) -> Found:
    """Findings of the basic graph with the scripted model, as the router hands them on."""
    context = BasicContext(index=indexing.name, model=MODEL, max_retries=0, top_k=top_k)
    given = {"question": question}
    result = asyncio.run(relay(basic, given, context, lambda _: None, ["ranked", "doubt"]))
    return handed_on(NOTHING, result)
