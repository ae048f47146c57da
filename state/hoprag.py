"""States of the hoprag graph."""

from __future__ import annotations

from typing_extensions import TypedDict

from .answering import AnswerOutput, QuestionState


class Hop(TypedDict):
    """An arrival at the passage ``target``.

    ``round`` 0 is the retrieval: from no ``source``, along an edge, or by the retriever (then
    without questions). ``raised`` is what the source asks, ``question`` what the target answers;
    ``label`` says why the edge was followed (``retrieved``, ``necessary``, ``indirect``,
    ``similarity``), and ``similarity`` is SIM(edge, q).
    """

    round: int
    source: str
    target: str
    raised: str
    question: str
    label: str
    similarity: float


class HopragOutput(AnswerOutput):
    """The output of the hoprag graph: also every arrival, in the order of the walk."""

    hops: list[Hop]


class HopragState(QuestionState, HopragOutput):
    """The state of the hoprag graph: counter and queue of the paper, and the round to come.

    ``counts`` are the arrivals at each passage, or their worth; ``frontier`` are the passages to
    hop from in round ``round``, of which there are none when the walk has ended. ``judged`` says of
    every passage that an earlier method read whether it was cited, and of every passage that a hop
    to it was shown to the model whether it was called useful.
    """

    counts: dict[str, float]
    frontier: list[str]
    round: int
    judged: dict[str, bool]
