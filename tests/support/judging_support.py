"""A judged comparison with a scripted model: answers of known worth, and judges of all kinds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from command_line import Run
from communities_support import Script, texts_of

CRITERIA = ("comprehensiveness", "diversity", "empowerment", "directness")
WORSE, BETTER, BEST = (f"basic:top_k={n}" for n in (1, 2, 3))


def verdicts(winner: Callable[[str, str], Any]) -> Callable[[str], Any]:
    """A judge who finds the winner of two answers by ``winner``, whatever the criterion."""

    def judge(human: str) -> Any:
        first, second = (said for _, _, said in texts_of(human))
        asked = re.findall(r"^- (\w+): ", human, re.MULTILINE)
        won = winner(first, second)
        return {"verdicts": [{"criterion": c, "reason": "So.", "winner": won} for c in asked]}

    return judge


def by(worth: Callable[[str], float]) -> Callable[[str], Any]:
    """A judge who prefers the answer that is ``worth`` more."""
    return verdicts(
        lambda one, two: 0 if worth(one) == worth(two) else 1 + (worth(two) > worth(one))
    )


def graded(human: str) -> Any:
    """An answer that says from how many texts it was made: the more, the better, not the longer."""
    texts = texts_of(human)
    quote = re.split(r"(?<=\.) ", texts[0][2])[0]
    return {
        "quotes": [{"id": texts[0][0], "quote": quote}],
        "sufficient": False,
        "answer": f"{quote} [1] Grade {len(texts)}.",
    }


def grade_of(answer: str) -> int:
    """The grade that ``graded`` gave an answer."""
    return int(answer.rpartition("Grade ")[2].rstrip("."))


def personas(human: str) -> Any:
    """As many personas, with as many tasks, as were asked for."""
    [wanted] = re.findall(r"People: (\d+)\. Tasks for each: (\d+)", human)
    people, tasks = map(int, wanted)
    return {
        "personas": [
            {
                "persona": f"Person {n} of {len(human)}",
                "tasks": [f"Task {n}.{m}" for m in range(tasks)],
            }
            for n in range(people)
        ]
    }


def collection_questions(human: str) -> Any:
    """One question more for each task than was asked for."""
    asked = re.findall(r'<text id="([A-Z])" title="questions: (\d+)">\n(.*?)\n', human)
    person = re.findall(r"<text>(.*?)</text>", human)[0]
    return {
        "tasks": [
            {"task": letter, "questions": [f"{person}, {task}: what of it, {n}?"
                                           for n in range(int(count) + 1)]}
            for letter, count, task in asked
        ]
    }  # fmt: skip


class Judged:
    """``ragraphs evaluate judge`` on a copy of the index, with a scripted model."""

    def __init__(self, run: Run, index: str, openai: Any) -> None:
        self.index, self._run, self.model = index, run, Script(openai)
        self.model.answers = {
            "Answer": graded,
            "Personas": personas,
            "CollectionQuestions": collection_questions,
            "Verdicts": by(grade_of),
        }

    def ended(self, *arguments: str) -> Any:
        """How the command ended."""
        model = ("--model", "openai:stub", "--max-retries", "0")
        return self._run("evaluate", "judge", "--index", self.index, *model, *arguments)

    def __call__(self, *arguments: str) -> Any:
        """The result as ``--json`` has it."""
        ended = self.ended(*arguments, "--json")
        assert ended.code == 0, ended.err
        return json.loads(ended.out)

    @property
    def questions(self) -> Path:
        """The file of the questions."""
        return Path(self.index) / "evaluations" / "questions.jsonl"
