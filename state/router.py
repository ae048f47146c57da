"""States of the router graph, and the records of its decision."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from langchain_core.messages import AnyMessage
from langgraph.channels import EphemeralValue
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from .answering import AnswerOutput, StopReason
from .found import Found

DecidedBy = Literal["user", "classifier"]


class RoutingDecision(TypedDict):
    """The choice of the method that answers first.

    ``kinds`` are the probabilities of what the question may ask for, and ``kind`` is the one that
    it is taken for; ``parts`` counts the facts that it asks for side by side; ``obstacles`` says
    for each method why it is out, or nothing.
    """

    method: str
    decided_by: DecidedBy
    reason: str
    kind: str
    kinds: dict[str, float]
    parts: int
    obstacles: dict[str, str]


class Attempt(TypedDict):
    """A method that was tried, ``why``, and its outcome; ``calls`` are requests to models."""

    method: str
    why: str
    sufficient: bool
    stop_reason: StopReason | None
    calls: int


class RouterInput(TypedDict, total=False):
    """A question, a statement to verify, or a conversation whose last message is a question.

    Nothing of it stays on a thread but the messages.
    """

    question: Annotated[str, EphemeralValue]
    statement: Annotated[str, EphemeralValue]
    messages: Annotated[list[AnyMessage], add_messages]


class RouterOutput(AnswerOutput):
    """The output of the router: the answer of the method that found most, and the way there.

    ``asked`` is the question as it stands alone, or whether the statement is true; the answer is
    then *supported*, *refuted* or *not enough*; ``details`` is what the method returned besides;
    ``path`` has every method that was tried. The answer is a message as well.
    """

    messages: Annotated[list[AnyMessage], add_messages]
    asked: str
    decision: RoutingDecision
    path: list[Attempt]
    details: dict[str, Any]


class RouterState(RouterOutput):
    """The state of the router graph.

    ``trying`` is the method to try next, and ``why``; empty at the end. ``stated`` is the statement
    to verify, if any. ``latest`` is the output of the last method, and ``held`` what all found that
    were not sufficient. ``message`` is the id under which the answer was streamed, or nothing.
    """

    question: Annotated[str, EphemeralValue]
    statement: Annotated[str, EphemeralValue]
    stated: str
    trying: str
    why: str
    latest: dict[str, Any]
    held: Found
    message: str
