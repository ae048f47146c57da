"""The record of what one method found, which another one starts from."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import TypedDict

from .records import Citation, Evidence, Metadata, Passage

TRIPLE: Metadata = {"kind": "triple"}
BEGINNING = "beginning"  # how a passage was found that only shows how its document begins


class LookedUp(TypedDict):
    """A sub-question that was looked up; ``answer`` is empty where the texts do not tell."""

    question: str
    answer: str
    citations: list[Citation]


class Found(TypedDict):
    """Findings of earlier methods for the same question, which were not sufficient.

    ``ranked`` is the score of each passage that the retriever ranked for the question, by id, best
    first. ``evidence`` are the texts that a model read for it, cited ones first. ``answers`` are
    the sub-questions looked up, ``answer`` is the best-supported answer, with its ``citations``,
    and ``missing`` are the questions that the evidence does not answer. ``doubted`` is whether a
    model called a short answer sufficient that was refused then.
    """

    ranked: dict[str, float]
    evidence: list[Evidence]
    citations: list[Citation]
    answers: list[LookedUp]
    answer: str
    missing: list[str]
    doubted: bool


NOTHING: Found = {
    "ranked": {},
    "evidence": [],
    "citations": [],
    "answers": [],
    "answer": "",
    "missing": [],
    "doubted": False,
}


def cited_evidence(found: Found) -> list[Evidence]:
    """The texts of ``found`` that its answer or its sub-answers cite, in the order of evidence."""
    answers = [citation for one in found["answers"] for citation in one["citations"]]
    cited = {citation["passage"] for citation in [*found["citations"], *answers]}
    return [text for text in found["evidence"] if text["id"] in cited]


def states_triples(passage: Passage) -> bool:
    """Whether ``passage`` holds relations of the graph as statements, which no text states."""
    return passage["metadata"].get("kind") == TRIPLE["kind"]


def is_new(found: Found, evidence: Sequence[Evidence]) -> bool:
    """Whether ``evidence`` has a passage that was not read before."""
    known = {text["id"] for text in found["evidence"]}
    return any(text["id"] not in known for text in evidence)


def unchanged(found: Found) -> dict[str, Any]:
    """The output of a method that found nothing new: the earlier answer, still insufficient."""
    return {
        "answer": found["answer"],
        "missing": found["missing"],
        "citations": found["citations"],
        "sufficient": False,
        "stop_reason": "insufficient",
    }
