"""States of the tog2 graph, and the records of its walk (Think-on-Graph 2.0)."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from .answering import AnswerOutput, QuestionState


class RelationOption(TypedDict):
    """A way on from the entity ``topic``: its relations of one phrase in one direction.

    ``id`` tells options apart; ``edges`` and ``others`` are the relations' ids and other ends, in
    the same order.
    """

    id: str
    topic: str
    phrase: str
    direction: Literal["out", "in"]
    edges: list[str]
    others: list[str]


class Triple(TypedDict):
    """A walked triple: the relation ``edge`` from ``source`` to ``target``, entities by id."""

    edge: str
    source: str
    phrase: str
    target: str


class CandidateEntity(TypedDict):
    """An entity, with the triples that lead there: of kept relations, or from a topic entity."""

    entity: str
    steps: list[Triple]


class RankedPassage(TypedDict):
    """A passage, its relevance s and the candidates it belongs to."""

    passage: str
    score: float
    entities: list[str]


class TopicEntity(TypedDict):
    """Characters ``[start, end)`` of a question that name ``entity``; ``score`` is in (0, 1].

    ``name`` is the entity's in the graph.
    """

    entity: str
    start: int
    end: int
    how: Literal["exact", "alias", "embedding"]
    score: float
    name: str


class WalkedTriple(TypedDict):
    """A relation that was walked: ids and names of its ends, its phrase, and as a sentence.

    ``passage`` is one that it was read in; ``quote`` is the sentence there that names both ends,
    empty where none does.
    """

    source: str
    source_name: str
    relation: str
    target: str
    target_name: str
    sentence: str
    passage: str
    quote: str


class WalkedPath(TypedDict):
    """The triples from a topic of the question to ``entity``, reached in round ``round``."""

    round: int
    entity: str
    name: str
    triples: list[WalkedTriple]


class Tog2Output(AnswerOutput):
    """The output of the tog2 graph: also topics, walked paths, and clues to what was missing."""

    topics: list[TopicEntity]
    paths: list[WalkedPath]
    clues: list[str]


class Tog2State(QuestionState, Tog2Output):
    """The state of the tog2 graph.

    ``frontier`` are the entities that the next round starts from, none when the walk is over, and
    ``trail`` the paths there. ``options`` are the relations kept with their ``relation_scores``,
    ``candidates`` the entities that they lead to, ``context`` the passages ranked in this round,
    ``walked`` the relations followed so far, ``relevance`` the best s of every passage so far, and
    ``reached`` the best s of the passages of entities which the model chose. ``judged`` are the
    texts and triples that the last judgement saw, at first the passages that an earlier method
    answered from; ``sufficed`` says that it found the evidence sufficient.
    """

    frontier: list[str]
    trail: list[CandidateEntity]
    options: list[RelationOption]
    relation_scores: dict[str, float]
    candidates: list[CandidateEntity]
    context: list[RankedPassage]
    walked: list[str]
    relevance: dict[str, float]
    reached: dict[str, float]
    judged: list[str]
    sufficed: bool
    rounds_left: int
