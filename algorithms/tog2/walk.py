"""From entity to entity along relations that lead to the evidence (ToG-2: the walk).

Ma et al. 2024, arXiv 2407.10805: relation discovery, relation prune and entity discovery. The
walk's state is plain data; the graph is read through ``KnowledgeGraph``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from ...state.tog2 import CandidateEntity, RelationOption, Triple
from .triple_sentences import triple_sentence

_CUT = 0.2


class EntityEdge(NamedTuple):
    """A directed relation between two entities by their ids; ``relation`` is its phrase."""

    id: str
    source: str
    relation: str
    target: str
    weight: float = 1.0


class KnowledgeGraph(Protocol):
    """The entity layer as a walk reads it."""

    def name_of(self, entity: str) -> str:
        """The name of an entity."""

    def relations_of(self, entity: str) -> Sequence[EntityEdge]:
        """All relations that leave or reach an entity, in a fixed order."""

    def passages_of(self, entity: str) -> Sequence[str]:
        """The ids of the passages that mention an entity, in a fixed order."""


def relation_options(
    graph: KnowledgeGraph, topics: Iterable[str], walked: Collection[str] = ()
) -> list[RelationOption]:
    """Relation discovery: what leads on from ``topics`` in both directions.

    Relations whose ids are in ``walked`` are left out; one between two topics is the first one's.
    """
    done = set(walked)
    options: dict[str, RelationOption] = {}
    for topic in dict.fromkeys(topics):
        for edge in graph.relations_of(topic):
            if edge.id in done or edge.source == edge.target:
                continue
            done.add(edge.id)
            out = edge.source == topic
            id = f"{topic} {'→' if out else '←'} {edge.relation.casefold()}"
            new: RelationOption = {
                "id": id,
                "topic": topic,
                "phrase": edge.relation,
                "direction": "out" if out else "in",
                "edges": [],
                "others": [],
            }
            option = options.setdefault(id, new)
            option["edges"].append(edge.id)
            option["others"].append(edge.target if out else edge.source)
    return list(options.values())


def by_topic(options: Iterable[RelationOption]) -> list[list[RelationOption]]:
    """``options`` in groups, one for each topic, in the order in which they come."""
    groups: dict[str, list[RelationOption]] = {}
    for option in options:
        groups.setdefault(option["topic"], []).append(option)
    return list(groups.values())


def prune_options(
    options: Iterable[RelationOption], scores: Mapping[str, float], width: int
) -> list[RelationOption]:
    """Relation prune: for each topic the W = ``width`` best of ``options``.

    ``scores`` of relations are in [0, 1] by id, 0 where there is none. An option keeps the
    relations that reach 0.2, and is as good as the best of them; the best of a topic come first,
    ties in the order of ``options``.
    """

    def score(option: RelationOption) -> float:
        return max(scores[edge] for edge in option["edges"])

    found = [option for option in (_reaching(one, scores) for one in options) if option["edges"]]
    return [
        option
        for own in by_topic(found)
        for option in sorted(own, key=lambda one: -score(one))[:width]
    ]


def _reaching(option: RelationOption, scores: Mapping[str, float]) -> RelationOption:
    """``option`` with the relations that reach the cut."""
    pairs = zip(option["edges"], option["others"], strict=True)
    kept = [(edge, other) for edge, other in pairs if scores.get(edge, 0.0) >= _CUT]
    return {**option, "edges": [edge for edge, _ in kept], "others": [other for _, other in kept]}


def discover(options: Iterable[RelationOption]) -> list[CandidateEntity]:
    """Entity discovery: the other ends of ``options``, in their order."""
    found: dict[str, CandidateEntity] = {}
    for option in options:
        for edge, other in zip(option["edges"], option["others"], strict=True):
            out = option["direction"] == "out"
            step: Triple = {
                "edge": edge,
                "source": option["topic"] if out else other,
                "phrase": option["phrase"],
                "target": other if out else option["topic"],
            }
            found.setdefault(other, {"entity": other, "steps": []})["steps"].append(step)
    return list(found.values())


def extend_paths(
    paths: Sequence[CandidateEntity], candidates: Iterable[CandidateEntity], kept: Iterable[str]
) -> list[CandidateEntity]:
    """The paths to the ``kept`` candidates, in their order.

    Each path to a topic entity is continued by the first triple from there, which belongs to the
    best relation. A topic of the question has an empty path of its own.
    """
    by_end: dict[str, list[CandidateEntity]] = {}
    for path in paths:
        by_end.setdefault(path["entity"], []).append(path)
    known = {candidate["entity"]: candidate for candidate in candidates}
    longer: list[CandidateEntity] = []
    for entity in kept:
        seen = set[str]()
        for step in known[entity]["steps"]:
            topic = step["source"] if step["target"] == entity else step["target"]
            if topic not in seen:
                seen.add(topic)
                before = by_end.get(topic) or [{"entity": topic, "steps": []}]
                longer += [{"entity": entity, "steps": [*p["steps"], step]} for p in before]
    return longer


def walked_edges(candidates: Iterable[CandidateEntity], kept: Collection[str]) -> list[str]:
    """The ids of the relations that led to the ``kept`` candidates."""
    steps = [s for c in candidates if c["entity"] in set(kept) for s in c["steps"]]
    return list(dict.fromkeys(step["edge"] for step in steps))


def step_sentence(graph: KnowledgeGraph, step: Triple) -> str:
    """A walked triple as a short sentence, with the names of its entities."""
    source, target = graph.name_of(step["source"]), graph.name_of(step["target"])
    return triple_sentence(source, step["phrase"], target)
