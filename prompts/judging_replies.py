"""The replies to the prompts of a judged comparison: personas, questions, verdicts."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from .lenient import Bounds, Names, listed
from .replies import PromptReply

_ANSWER = (
    r"(?:the )?(?:winner is )?(?:the )?(?:answer |text )?{}(?: answer| text)?(?: wins| is better)?"
)
_MEANT = {
    1: re.compile(_ANSWER.format("(?:1|a|one|first|1st)")),
    2: re.compile(_ANSWER.format("(?:2|b|two|second|2nd)")),
    0: re.compile(
        r"0|(?:it is |it's )?(?:a )?(?:tie|tied|draw)|(?:both |they )?(?:are )?(?:equal|the same)|"
        r"both|neither|no difference|동점|무승부"
    ),
}


def _winner(value: Any) -> Any:
    """1, 2 or 0 for a tie, where ``value`` can mean only one of them; no winner is None.

    "Answer 2", "B" and "the second" mean 2; a text that names both answers means neither.
    """
    if isinstance(value, bool):
        return None
    if not isinstance(value, str):
        return value
    said = re.sub(r"\(.*\)$|\.0$|[^\w\s']", "", value.casefold())
    meant = [winner for winner, words in _MEANT.items() if words.fullmatch(" ".join(said.split()))]
    return meant[0] if meant else None


def _plain(value: Any) -> Any:
    """A name in small letters, without the marks around it."""
    return re.sub(r"[^\w\s-]", "", value).strip().casefold() if isinstance(value, str) else value


class Verdict(PromptReply):
    """The better of two answers by one criterion, and why."""

    longest: ClassVar[Bounds] = {"criterion": 40, "reason": 1000}
    other_names: ClassVar[Names] = {
        "criterion": ("name",),
        "reason": ("reasoning", "explanation", "why", "reasons"),
        "winner": ("verdict", "better", "choice", "answer"),
    }

    criterion: Annotated[str, BeforeValidator(_plain), Field(description="Its name.")] = ""
    reason: Annotated[str, Field(description="One or two sentences.")] = ""
    winner: Annotated[
        int, BeforeValidator(_winner), Field(ge=0, le=2, description="1 or 2; 0 for a tie.")
    ]


class Verdicts(PromptReply):
    """A verdict for each criterion that was asked for."""

    most: ClassVar[Bounds] = {"verdicts": 20}

    verdicts: list[Verdict]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """One verdict by itself, and verdicts by the names of their criteria, are understood."""
        if not isinstance(value, dict):
            return value
        given = value.get("verdicts", value)
        if not isinstance(given, dict):
            return value
        if any(isinstance(one, dict) for one in given.values()):
            named = [(name, one) for name, one in given.items() if isinstance(one, dict)]
            return {"verdicts": [{"criterion": name, **one} for name, one in named]}
        if "reason" in given or "winner" in given:
            return {"verdicts": [given]}
        return {"verdicts": [{"criterion": name, "winner": one} for name, one in given.items()]}


def _texts(value: Any) -> Any:
    """A list of texts, of which objects with one text, such as {"task": "..."}, give that text."""
    said = [
        next((part for part in one.values() if isinstance(part, str)), one)
        if isinstance(one, dict)
        else one
        for one in listed(value)
    ]
    return [one for one in said if not isinstance(one, str) or one.strip()]


Texts = Annotated[list[str], BeforeValidator(_texts)]


class Persona(PromptReply):
    """Somebody who would use a collection, and what for."""

    longest: ClassVar[Bounds] = {"persona": 300, "tasks": 300}
    most: ClassVar[Bounds] = {"tasks": 50}
    other_names: ClassVar[Names] = {
        "persona": ("user", "name", "description", "role"),
        "tasks": ("task",),
    }

    persona: Annotated[str, Field(min_length=1, description="Who, in one sentence.")]
    tasks: Annotated[Texts, Field(min_length=1, description="What for, a sentence each.")]


class Personas(PromptReply):
    """People who would use a collection."""

    most: ClassVar[Bounds] = {"personas": 50}
    other_names: ClassVar[Names] = {"personas": ("users", "people")}

    personas: list[Persona]


class TaskQuestions(PromptReply):
    """The questions of one task."""

    longest: ClassVar[Bounds] = {"task": 20, "questions": 500}
    most: ClassVar[Bounds] = {"questions": 50}

    task: Annotated[str, Field(description="Letter of the task.")]
    questions: Annotated[Texts, Field(min_length=1, description="Questions about the whole.")]


class CollectionQuestions(PromptReply):
    """Questions about a collection as a whole, by task."""

    most: ClassVar[Bounds] = {"tasks": 50}
    most_tokens: ClassVar[int] = 4096

    tasks: list[TaskQuestions]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """Lists of questions by the letters of their tasks are understood."""
        if not isinstance(value, dict):
            return value
        given = value.get("tasks", value)
        if not isinstance(given, dict):
            return value
        return {"tasks": [{"task": name, "questions": one} for name, one in given.items()]}
