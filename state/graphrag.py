"""States of the graphrag graph, and the records of its searches (GraphRAG)."""

from __future__ import annotations

import operator
from typing import Annotated

from typing_extensions import TypedDict

from .answering import AnswerOutput, QuestionState, StopReason
from .records import Citation, Usage


class Point(TypedDict):
    """One point towards the answer; ``score`` from 0 to 100.

    It comes from the reports on ``communities``, or from ``passages``; ``citations`` are the
    sentences of documents that state it. An answer with a point that has none is not sufficient.
    """

    text: str
    score: float
    communities: list[str]
    passages: list[str]
    citations: list[Citation]


class CommunityReference(TypedDict):
    """A community whose report is behind the answer."""

    id: str
    level: int
    title: str


class Question(TypedDict):
    """A question to look up, and how much its answer is needed, from 0 to 100."""

    question: str
    score: float


class LookUp(Question):
    """A follow-up question that was looked up (DRIFT)."""

    answer: str
    sufficient: bool
    passages: list[str]


class GraphragOutput(AnswerOutput):
    """The output of the graphrag graph: also the points, and where they come from.

    ``points`` are all that scored, best first.
    """

    search: str
    points: Annotated[list[Point], operator.add]
    communities: list[CommunityReference]
    look_ups: Annotated[list[LookUp], operator.add]


class GraphragState(QuestionState, GraphragOutput):
    """The state of the graphrag graph.

    ``batches`` are the ids of communities or passages that one request reads together;
    ``knowledge`` are statements shown beside the passages; ``follow_ups`` were proposed,
    ``pending`` are those not looked up yet, best first. ``unread`` says why parts of the corpus
    were not read.
    """

    batches: list[list[str]]
    knowledge: list[str]
    follow_ups: Annotated[list[Question], operator.add]
    pending: list[Question]
    rounds_left: int
    unread: Annotated[list[StopReason], operator.add]


class MapTask(TypedDict):
    """One request of the map step; ``reserved`` requests are left to the others."""

    question: str
    search: str
    batch: list[str]
    usage: Usage
    reserved: int


class LookUpTask(TypedDict):
    """One follow-up question; ``reserved`` requests are left to the others."""

    question: str
    follow_up: Question
    usage: Usage
    reserved: int
