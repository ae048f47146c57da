"""The relevance of passages and the scores of entities (ToG-2: context retrieval, entity prune).

Ma et al. 2024, arXiv 2407.10805. The top K passages of all candidate entities are ranked by s; the
W entities with the best scores are kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from ...language.analyser import keywords
from ...language.mentions import normalised
from ...state.tog2 import CandidateEntity, RankedPassage
from ..fusion import WALK_WEIGHT, fuse_behind
from ..similarity import hybrid_similarity, jaccard
from .walk import KnowledgeGraph, step_sentence

TITLED = 0.2
# Places that a walk leaves to a retriever which has walked over the graph itself.
LEAD = 4


class ReadPassage(NamedTuple):
    """A passage as it is compared with the question q.

    ``title`` is normalised, ``keywords`` are k of title and text, and ``cosine`` is cos(v, v_q).
    """

    title: str
    keywords: frozenset[str]
    cosine: float


def relevance(
    passage: ReadPassage,
    k_q: AbstractSet[str],
    k_triple: AbstractSet[str],
    relation: float,
    name: str,
) -> float:
    """s(q, [triple : passage]) = (SIM + r) / 2 + ``TITLED`` · 1[``name`` is the title].

    SIM (HopRAG eq. 1) compares ``k_q`` with the passage's keywords and ``k_triple``, the keywords
    of the walked triple, which the paper prepends to the passage. r in [0, 1] is the score of the
    ``relation`` that led to the entity called ``name``; 1 for a topic of the question. The paper
    takes the score of a retrieval model for s; r and the bonus of 0.2 for a passage about the
    entity itself are ours.
    """
    similarity = hybrid_similarity(jaccard(passage.keywords | k_triple, k_q), passage.cosine)
    return (similarity + relation) / 2 + TITLED * (passage.title == name)


def context_relevance(
    graph: KnowledgeGraph,
    candidates: Iterable[CandidateEntity],
    passages: Mapping[str, ReadPassage],
    k_q: AbstractSet[str],
    relations: Mapping[str, float],
) -> list[tuple[str, str, float]]:
    """(candidate, passage, s) for each of ``passages`` that mentions one of ``candidates``.

    ``relations`` are the scores of the walked relations by their ids; the best of those that lead
    to a candidate counts.
    """
    found: list[tuple[str, str, float]] = []
    for candidate in candidates:
        entity, steps = candidate["entity"], candidate["steps"]
        k_triple = keywords(step_sentence(graph, steps[0])) if steps else frozenset[str]()
        relation = max((relations[step["edge"]] for step in steps), default=1.0)
        name = normalised(graph.name_of(entity))
        for id in graph.passages_of(entity):
            if id in passages:
                s = relevance(passages[id], k_q, k_triple, relation, name)
                found.append((entity, id, s))
    return found


def rank_context(relevance: Iterable[tuple[str, str, float]], top_k: int) -> list[RankedPassage]:
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


def entity_scores(context: Sequence[RankedPassage], alpha: float) -> dict[str, float]:
    """score(c) = Σ_{k=1..K} s_k · e^(−α·k) · 1[k-th passage belongs to c], K = len(``context``).

    Candidates with no passage in ``context`` have no score. With α = 0.8 (the paper's) the ranks
    1, 2, 3, 4 weigh .449, .202, .091, .041.
    """
    scores: dict[str, float] = {}
    for rank, passage in enumerate(context, 1):
        for entity in passage["entities"]:
            gain = passage["score"] * math.exp(-alpha * rank)
            scores[entity] = scores.get(entity, 0.0) + gain
    return scores


def prune_entities(scores: Mapping[str, float], width: int) -> list[str]:
    """Entity prune: the W = ``width`` candidates with the best score, best first, ties by id."""
    return sorted(scores, key=lambda entity: (-scores[entity], entity))[:width]


def fuse_behind_lead(retrieved: Sequence[str], reached: Sequence[str]) -> list[str]:
    """``retrieved`` with the best passage that the walk ``reached`` moved up, behind the lead.

    The first ``LEAD`` passages of the graph retriever stay: it has walked to them itself, by all
    names at once. The others are fused by reciprocal rank with the first of ``reached``.
    """
    return fuse_behind(retrieved[:LEAD], [reached[:1], retrieved], [WALK_WEIGHT, 1.0])
