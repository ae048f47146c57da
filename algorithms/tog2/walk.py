"""Think-on-Graph 2.0: from entity to entity along relations that lead to the evidence.

Ma et al. 2024, arXiv 2407.10805, with the paper's symbols: W relations and entities are kept in
each of D rounds, K passages are read, α is the decay by rank. The walk's state is plain data; the
graph is read through ``KnowledgeGraph``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ...language.triple_sentences import triple_sentence
from ...state.tog2 import Candidate, Path, RankedPassage, RelationOption, Step

if TYPE_CHECKING:
    pass

WIDTH = 3
DEPTH = 3
TOP_K = 10
ALPHA = 0.8
RELATION_CUT = 0.2


class Edge(NamedTuple):
    """A directed relation between two entities by their ids; ``relation`` is its phrase."""

    id: str
    source: str
    relation: str
    target: str


class KnowledgeGraph(Protocol):
    """The entity layer as a walk reads it."""

    def name_of(self, entity: str) -> str:
        """The name of an entity."""

    def relations_of(self, entity: str) -> Sequence[Edge]:
        """All relations that leave or reach an entity, in a fixed order."""

    def passages_of(self, entity: str) -> Sequence[str]:
        """The ids of the passages that mention an entity, in a fixed order."""


def relation_options(
    graph: KnowledgeGraph, topics: Iterable[str], walked: Collection[str] = ()
) -> list[RelationOption]:
    """Relation discovery: what leads on from ``topics`` in both directions.

    Relations whose ids are in ``walked`` are left out.
    """
    done = set(walked)
    options: dict[str, RelationOption] = {}
    for topic in dict.fromkeys(topics):
        for edge in graph.relations_of(topic):
            if edge.id in done or edge.source == edge.target:
                continue
            out = edge.source == topic
            option = options.setdefault(
                _option_id(topic, edge.relation, out),
                {
                    "id": _option_id(topic, edge.relation, out),
                    "topic": topic,
                    "phrase": edge.relation,
                    "direction": "out" if out else "in",
                    "edges": [],
                    "others": [],
                },
            )
            option["edges"].append(edge.id)
            option["others"].append(edge.target if out else edge.source)
    return list(options.values())


def _option_id(topic: str, phrase: str, out: bool) -> str:
    return f"{topic} {'→' if out else '←'} {phrase.casefold()}"


def prune_relations(
    scores: Mapping[str, float], cut: float = RELATION_CUT, width: int = WIDTH
) -> list[str]:
    """Relation prune for one entity: the ``width`` best of its options with at least ``cut``.

    ``scores`` are in [0, 1] by option id; best first, ties by id.
    """
    kept = [id for id, score in scores.items() if score >= cut]
    return sorted(kept, key=lambda id: (-scores[id], id))[:width]


def prune_options(
    options: Iterable[RelationOption],
    scores: Mapping[str, float],
    cut: float = RELATION_CUT,
    width: int = WIDTH,
) -> list[RelationOption]:
    """``prune_relations`` for every topic entity, best first within each; no score counts 0."""
    by_topic: dict[str, dict[str, RelationOption]] = {}
    for option in options:
        by_topic.setdefault(option["topic"], {})[option["id"]] = option
    return [
        own[id]
        for own in by_topic.values()
        for id in prune_relations({id: scores.get(id, 0.0) for id in own}, cut, width)
    ]


def discover(options: Iterable[RelationOption]) -> list[Candidate]:
    """Entity discovery: the other ends of ``options``, in their order."""
    found: dict[str, Candidate] = {}
    for option in options:
        for edge, other in zip(option["edges"], option["others"], strict=True):
            out = option["direction"] == "out"
            step: Step = {
                "edge": edge,
                "source": option["topic"] if out else other,
                "phrase": option["phrase"],
                "target": other if out else option["topic"],
            }
            found.setdefault(other, {"entity": other, "steps": []})["steps"].append(step)
    return list(found.values())


def rank_context(
    relevance: Iterable[tuple[str, str, float]], top_k: int = TOP_K
) -> list[RankedPassage]:
    """Context retrieval: the ``top_k`` passages of all candidates, best first, ties by id.

    ``relevance`` are (candidate, passage, s). A passage of several candidates counts once, by its
    best s, and belongs to all of them.
    """
    ranked: dict[str, RankedPassage] = {}
    for entity, passage, score in sorted(relevance, key=lambda item: (-item[2], item[1], item[0])):
        found = ranked.setdefault(passage, {"passage": passage, "score": score, "entities": []})
        if entity not in found["entities"]:
            found["entities"].append(entity)
    return list(ranked.values())[:top_k]


def decay(rank: int, alpha: float = ALPHA) -> float:
    """e^(−α·k) of the ``rank`` k = 1, 2, ...: .449, .202, .091, .041 with α = 0.8."""
    return math.exp(-alpha * rank)


def entity_scores(context: Sequence[RankedPassage], alpha: float = ALPHA) -> dict[str, float]:
    """score(c) = Σ_{k=1..K} s_k · e^(−α·k) · 1[k-th passage belongs to c], K = len(context).

    Candidates with no passage in ``context`` have no score.
    """
    scores: dict[str, float] = {}
    for rank, passage in enumerate(context, 1):
        for entity in passage["entities"]:
            gain = passage["score"] * decay(rank, alpha)
            scores[entity] = scores.get(entity, 0.0) + gain
    return scores


def prune_entities(scores: Mapping[str, float], width: int = WIDTH) -> list[str]:
    """Entity prune: the ``width`` candidates with the best score, best first, ties by id."""
    return sorted(scores, key=lambda entity: (-scores[entity], entity))[:width]


def extend_paths(
    paths: Sequence[Path], candidates: Iterable[Candidate], kept: Iterable[str]
) -> list[Path]:
    """The paths to the ``kept`` candidates, in their order.

    Each path to a topic entity is continued by the first triple from there, which is that of the
    best relation; a topic of the question has an empty path of its own.
    """
    by_end: dict[str, list[Path]] = {}
    for path in paths:
        by_end.setdefault(path["entity"], []).append(path)
    known = {candidate["entity"]: candidate for candidate in candidates}
    longer: list[Path] = []
    for entity in kept:
        seen = set[str]()
        for step in known[entity]["steps"]:
            topic = step["source"] if step["target"] == entity else step["target"]
            if topic not in seen:
                seen.add(topic)
                before = by_end.get(topic) or [{"entity": topic, "steps": []}]
                longer += [{"entity": entity, "steps": [*p["steps"], step]} for p in before]
    return longer


def walked_edges(candidates: Iterable[Candidate], kept: Collection[str]) -> list[str]:
    """The ids of the relations that led to the ``kept`` candidates."""
    steps = [s for c in candidates if c["entity"] in set(kept) for s in c["steps"]]
    return list(dict.fromkeys(step["edge"] for step in steps))


def step_sentence(graph: KnowledgeGraph, step: Step) -> str:
    """``triple_sentence`` of a walked triple."""
    names = graph.name_of(step["source"]), graph.name_of(step["target"])
    return triple_sentence(names[0], step["phrase"], names[1])
