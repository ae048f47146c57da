"""States of the deeprag graph, and the records of its steps and of its tree (DeepRAG)."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from .answering import AnswerOutput, QuestionState, StopReason
from .records import Citation

StepSource = Literal["retrieve", "earlier", "known"]
NodeStatus = Literal["waiting", "ready", "split", "answered", "not_found", "failed", "blocked"]
NodeDecision = Literal["undecided", "decompose", "retrieve"]


class NarrativeStep(TypedDict):
    """One step of the narrative: a sub-question, its atomic decision and its answer.

    ``number`` is 0 for the question itself, which is tried before any sub-question, and for the
    sub-questions that an earlier method looked up.
    ``source`` is the decision: passages are retrieved, ``earlier`` answers suffice, or the answer
    is ``known`` to the model itself; such an answer has no citations.
    ``passages`` are ids in ``evidence``; ``answer`` is empty where none was ``found``, and
    ``doubted`` then the answer that a model gave and rules refused, if it did.
    """

    number: int
    question: str
    source: StepSource
    reason: str
    passages: list[str]
    answer: str
    doubted: str
    found: bool
    citations: list[Citation]


class ProposedStep(TypedDict):
    """The sub-question that a model proposes to ask next; empty to end."""

    question: str
    source: StepSource
    reason: str


class TreeNode(TypedDict):
    """A question of the tree; ``parent`` is empty for the root, whose ``depth`` is 0.

    ``text`` refers to the answers of its siblings as #1, #2; ``depends_on`` are their ids, and
    ``question`` is ``text`` with these answers filled in. ``evidence`` are ids of passages.
    An ``atomic`` question asks for one fact; ``bound`` kept another one from being split.
    ``answer`` and ``doubted`` are as in a step.
    """

    id: str
    parent: str
    depth: int
    text: str
    question: str
    depends_on: list[str]
    atomic: bool
    bound: Literal["depth", "nodes"] | None
    status: NodeStatus
    decision: NodeDecision
    reason: str
    answer: str
    doubted: str
    evidence: list[str]
    citations: list[Citation]


class DeepragOutput(AnswerOutput):
    """The output of the deeprag graph: also its mode, and the steps or the tree."""

    mode: Literal["narrative", "tree"] | None
    steps: list[NarrativeStep]
    tree: list[TreeNode]


class DeepragState(QuestionState, DeepragOutput):
    """The state of the deeprag graph.

    ``proposed`` is the next step as the last reading proposed it, if it did, and ``final`` the
    answer to the question, if that reading could give it; ``pending`` the step that is being
    taken, if any; ``bound`` the bound that was hit. ``confirmed`` says that a person has seen the
    parts of the tree.
    """

    proposed: list[ProposedStep]
    final: str
    pending: list[NarrativeStep]
    bound: StopReason | None
    confirmed: bool
