"""States of the graphs that answer questions."""

from typing import Annotated, Literal

from typing_extensions import TypedDict

from .found import Found
from .records import Citation, Evidence, Usage
from .usage import add_usage, add_warnings

StopReason = Literal[
    "answered",
    "insufficient",
    "no_model",
    "no_evidence",
    "budget",
    "time",
    "web_unavailable",
    "model_failed",
    "steps",
    "depth",
    "nodes",
]


Verdict = Literal["supported", "refuted", "not enough"]  # on a statement


class QuestionInput(TypedDict):
    """The input of every graph that answers questions."""

    question: str


class AnswerOutput(TypedDict):
    """The output of every graph that answers questions.

    ``missing`` is what the evidence does not say, as questions, or as sentences on claims that no
    citation supports; empty where that is
    nothing, or not known. ``evidence`` is best first; ``sufficient`` says whether it supported the
    answer, and ``stop_reason`` why the run ended (None while it runs). ``warnings`` tell what was
    degraded on the way.
    """

    answer: str
    missing: list[str]
    citations: list[Citation]
    evidence: list[Evidence]
    method: str
    sufficient: bool
    stop_reason: StopReason | None
    usage: Annotated[Usage, add_usage]
    warnings: Annotated[list[str], add_warnings]


class QuestionState(QuestionInput, AnswerOutput):
    """The state of a graph that answers a question from ``evidence``.

    ``held`` is what earlier methods found for the question, and ``ranked`` the score of each
    passage that the retriever ranked for it, by id, best first. ``doubt`` is the reason not to
    believe the answer, where that is what ``missing`` tells, and no question to look up.
    """

    held: Found
    ranked: dict[str, float]
    doubt: str
