"""State of the crag graph."""

from typing import Literal

from typing_extensions import TypedDict

from .answering import AnswerOutput, QuestionState
from .records import Evidence

Verdict = Literal["correct", "incorrect", "ambiguous"]


class Grade(TypedDict):
    """A grader's score for a passage, in [-1, 1]."""

    passage: str
    document: str
    title: str
    score: float


class CragOutput(AnswerOutput):
    """The output of the crag graph: also the verdict, the grades behind it, the queries sent."""

    verdict: Verdict | None
    grades: list[Grade]
    queries: list[str]


class CragState(QuestionState, CragOutput):
    """The state of the crag graph.

    ``retrieved`` is D, ``pages`` the web's texts; ``refined`` and ``web_refined`` are the strips
    kept of each, in document order.
    """

    retrieved: list[Evidence]
    pages: list[Evidence]
    refined: list[Evidence]
    web_refined: list[Evidence]
