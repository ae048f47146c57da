"""Semantic bridging: a walk over passages and entities whose steps depend on the question.

After LinearRAG (Zhuang et al. 2026, arXiv 2510.10114): sentences that resemble the question decide
which entities carry the activation on. Here they weigh the edges of one personalised PageRank.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .completing import completed
from .passage_graph import NESTED, Floats, PassageGraph, bm25, sentence_overlap
from .question import QuestionParts
from .sharing import names_of, shared_out, words_of

SETTLED = 6
NO_FLOW = 1e-6


@dataclass(frozen=True)
class BridgingSettings:
    """``damping``: the chance to walk on instead of starting again. ``seed_share``: the largest
    share of the reset that goes to the entities named in the question, the rest to the
    ``reset_passages`` best passages, by their excess over the next one to the power
    ``reset_sharpness``.
    ``edge_sharpness``: the power to which a sentence's relevance weighs its edges.
    ``rest_weight``, ``overlap_weight``: what the question without names and the shared terms count
    in that relevance, against 1 for the question. ``title_weight``: what being the title of a
    passage adds to 1 for being mentioned in it. ``own_title``: the weight of leaving a passage by
    its own title, ``nested``: by a name inside another one. ``common``: entities in a larger share
    of the passages carry nothing.
    ``lexical_weight`` and ``vector_weight``: what BM25 and the cosines count, each in [0, 1].
    ``unled``: the weight of a reset passage to which no name in the question leads, against up to
    1 more for the others; 1 leaves their shares as they are.
    ``named``: the largest share by which the names in the question put a passage's place in the
    walk before its own score.
    ``completes``: whether passages that complete the best ones are raised.
    ``uncertain``: the weight of dates and numbers against 1 for names. ``negligible``: edges with
    a smaller probability are left out, to save time."""

    damping: float = 0.85
    rounds: int = 20
    seed_share: float = 0.7
    reset_passages: int = 10
    reset_sharpness: float = 3.0
    edge_sharpness: float = 4.0
    rest_weight: float = 1.0
    overlap_weight: float = 1.0
    title_weight: float = 3.0
    own_title: float = 0.2
    nested: float = 0.5
    common: float = 0.05
    lexical_weight: float = 1.0
    vector_weight: float = 1.0
    unled: float = 0.03
    named: float = 1.0
    completes: bool = True
    uncertain: float = 0.3
    negligible: float = 0.003


@dataclass(frozen=True)
class Similarities:
    """Cosines of passages (P,) and sentences (S,) with the question.

    ``rest`` (S,) compares the sentences with the question without its names.
    """

    passages: Floats
    sentences: Floats
    rest: Floats


def similarities(
    passage_vectors: Floats, sentence_vectors: Floats, question: Floats, rest: Floats
) -> Similarities:
    """Cosines from unit vectors of shapes (P, d), (S, d), (d,), (d,)."""
    # Not by BLAS, whose threads take several times the processor's time for so few columns.
    both = np.einsum("sd,qd->sq", sentence_vectors, np.stack([question, rest]))
    passages = np.einsum("pd,d->p", passage_vectors, question)
    return Similarities(passages, both[:, 0], both[:, 1])


def rank(
    graph: PassageGraph,
    question: QuestionParts,
    cosines: Similarities,
    settings: BridgingSettings | None = None,
    allowed: NDArray[np.bool_] | None = None,
) -> Floats:
    """The score of each passage, ≥ 0: (i + (1 - i)·t)·x/max x + (1 - i)·direct/max direct, then
    raised where it completes the best ones (``completing.completed``), and shared out among the
    names and words of the question (``sharing.shared_out``), unless no name leads to a page.

    x is its share of the walk from the question, i how much the names in the question tell
    (``named`` · ``informativeness``), and t how much those do that the walk follows
    (``leading_on``). Where the
    names in the question tell little, as the hero's in a novel, the walk must not move a passage
    that all else puts first, least of all where passages hardly tell of names, as in a manual.
    Given ``allowed`` (P,), the others score 0, nothing starts from them, and their sentences lead
    nowhere: the walk goes as if they were not there, but for how rare a name is.
    """
    settings = settings or BridgingSettings()
    if not graph.passages:
        return np.zeros(0, dtype=np.float32)
    start = start_of(graph, question, cosines, settings, allowed)
    walked, _ = walk(graph, start, settings)
    share = 1 - settings.named * informativeness(graph, start.question)
    # Some, for all is alike where nothing was found directly.
    worth = max(NO_FLOW, 1 - share * (1 - leading_on(graph, start, settings)))
    scores = np.float32(worth) * _to_one(walked) + np.float32(share) * _to_one(start.direct)
    if settings.completes:
        carried = _carried(graph, settings)
        scores = completed(graph, question.terms, scores, carried, start.relevance)
    scores = scores if allowed is None else np.where(allowed, scores, np.float32(0))
    words = words_of(graph, question.terms) if settings.unled < 1 else []
    return shared_out(scores, start.led, words)


@dataclass(frozen=True)
class WalkStart:
    """Where a walk begins and which way it goes.

    ``direct`` are the scores without a walk (P,), ``relevance`` the sentences' (S,); ``passages``
    (P,) and ``entities`` (E,) the reset vector, ``leaving`` and ``arriving`` the edges'
    probabilities (``edge_weights``). ``question`` has the seeds that the walk may start from;
    ``led`` has for each of its names that tell a row of shares of a short walk from it (P,), scaled
    to what it tells: none where less than two do, or the settings lead to no page.
    """

    question: QuestionParts
    direct: Floats
    relevance: Floats
    passages: Floats
    entities: Floats
    leaving: Floats
    arriving: Floats
    led: tuple[Floats, ...] = ()


def start_of(
    graph: PassageGraph,
    question: QuestionParts,
    cosines: Similarities,
    settings: BridgingSettings,
    allowed: NDArray[np.bool_] | None = None,
) -> WalkStart:
    """The start of the walk for ``question``, among ``allowed`` passages (P,) if they are given."""
    direct = direct_scores(graph, question, cosines, settings)
    relevance = sentence_relevance(graph, question, cosines, settings)
    if allowed is not None:
        direct = np.where(allowed, direct, np.float32(0))
        relevance = _to_one(np.where(np.repeat(allowed, graph.sentence_counts), relevance, 0))
        question = _spoken_of(graph, question, allowed)
    passages, entities = reset(graph, question, direct, settings)
    start = WalkStart(
        question, direct, relevance, passages, entities, *edge_weights(graph, relevance, settings)
    )
    return _led(graph, start, settings) if settings.unled < 1 and entities.any() else start


def _led(graph: PassageGraph, start: WalkStart, settings: BridgingSettings) -> WalkStart:
    """``start`` from passages by (``unled`` + √(w/max w)) of their share.

    w is their share of a short walk from the names in the question alone.
    """
    nowhere = np.zeros_like(start.passages)
    telling, others = names_of(graph, start.question)
    short = replace(settings, rounds=SETTLED - 1)
    walks = [
        walk(graph, replace(start, passages=nowhere, entities=each), short)[0]
        for each in [*telling, others]
        if each.any()
    ]
    reached: Floats = np.sum(walks, axis=0)
    led = start.passages * (np.float32(settings.unled) + np.sqrt(_to_one(reached)))
    return replace(
        start,
        passages=led * (start.passages.sum() / led.sum()),
        led=tuple(_to_one(x) * name.max() for x, name in zip(walks, telling, strict=False)),
    )


def _spoken_of(
    graph: PassageGraph, question: QuestionParts, allowed: NDArray[np.bool_]
) -> QuestionParts:
    """``question`` with the seeds that an allowed passage speaks of."""
    spoken = np.zeros(graph.entities, dtype=np.bool_)
    spoken[graph.edge_entity[allowed[graph.edge_passage]]] = True
    return replace(question, seeds=tuple(one for one in question.seeds if spoken[one.entity]))


def direct_scores(
    graph: PassageGraph, question: QuestionParts, cosines: Similarities, settings: BridgingSettings
) -> Floats:
    """Score of each passage by its text and vectors, without a walk, ≥ 0, shape (P,).

    BM25, and the mean of three cosines: of the passage, and of its best sentence with the question
    and with its rest. A long passage says many things, and a model may read its beginning only.
    """
    worth = settings.vector_weight
    cosine = _notable(graph, cosines.passages, worth)
    for each in (cosines.sentences, cosines.rest):
        best = np.maximum.reduceat(each, graph.first_sentence)
        cosine = cosine + _notable(graph, best, worth)
    lexical = scaled(bm25(graph, question.terms))
    return worth * cosine / 3 + settings.lexical_weight * lexical


def _notable(graph: PassageGraph, cosines: Floats, worth: float) -> Floats:
    """The ``cosines`` of passages (P,), scaled to [0, 1] from a typical one on.

    All texts are somewhat alike, while most share no word with a question. The less the vectors are
    ``worth``, the nearer is the beginning of the scale to the smallest cosine. What lies below it
    keeps its order.
    """
    least = cosines.min()
    typical = cosines[graph.typical_passages].mean()
    above = scaled(np.maximum(cosines, least + np.float32(worth) * (typical - least)))
    return above + np.float32(1e-6) * scaled(cosines)


def informativeness(graph: PassageGraph, question: QuestionParts) -> float:
    """How much the names in the question tell, in [0, 1]: weight · rarity of the best of them."""
    return max((s.weight * float(graph.rarity[s.entity]) for s in question.seeds), default=0.0)


def leading_on(graph: PassageGraph, start: WalkStart, settings: BridgingSettings) -> float:
    """How much the names tell that lead on from the start of a walk, in [0, 1].

    It is the mean of c(e)·rel(s)^γ over the passages that the walk starts from, of the name e and
    the sentence s for which it is largest, times the mean of the largest c(e) over all sentences: c
    is the rarity of a name, 0 of one that carries nothing.
    """
    leads = np.flatnonzero(graph.edge_own == 0)
    most = np.zeros(graph.sentences, dtype=np.float32)
    carried = _carried(graph, settings).astype(np.float32)[graph.edge_entity[leads]]
    np.maximum.at(most, graph.edge_sentence[leads], carried)
    of_passages = np.maximum.reduceat(
        most * start.relevance**settings.edge_sharpness, graph.first_sentence
    )
    shares = start.passages / np.float32(start.passages.sum())
    return float(of_passages @ shares * _typical(graph, most).mean())


def _carried(graph: PassageGraph, settings: BridgingSettings) -> NDArray[np.floating]:
    """The share that an entity carries between passages (E,): its rarity; 0 if it is common."""
    df_limit = max(5.0, settings.common * graph.total)
    floor = 1 - np.log(df_limit) / np.log(max(graph.total, 2))
    sure = np.where(graph.certain, 1, settings.uncertain)
    return np.where(graph.rarity >= floor - 1e-6, graph.rarity, 0) * sure


def _to_one(values: Floats) -> Floats:
    """``values`` ≥ 0 divided by the largest."""
    return values / np.float32(max(float(values.max()), 1e-20))


def scaled(values: Floats) -> Floats:
    """``values`` min-max scaled to [0, 1]; all zero when they are equal."""
    low, high = float(values.min()), float(values.max())
    return ((values - low) / (high - low if high > low else 1.0)).astype(np.float32)


def sentence_relevance(
    graph: PassageGraph, question: QuestionParts, cosines: Similarities, settings: BridgingSettings
) -> Floats:
    """Relevance of each sentence to the question, in [0, 1] with the best at 1, shape (S,).

    rel(s) ∝ cos⁺(s, q) + a·cos⁺(s, rest of q) + b·idf overlap of s with the terms outside names.
    The less the vectors are worth, the nearer are all cosines to their mean.
    """
    cosine = np.maximum(cosines.sentences, 0) + settings.rest_weight * np.maximum(cosines.rest, 0)
    weight = np.float32(settings.vector_weight)
    relevance = (
        weight * cosine
        + (1 - weight) * _typical(graph, cosine).mean()
        + settings.overlap_weight * sentence_overlap(graph, question.rest_terms)
    )
    scaled_to_best: Floats = relevance / max(float(relevance.max()), 1e-9)
    return scaled_to_best.astype(np.float32)


def _typical(graph: PassageGraph, sentences: NDArray[np.floating]) -> NDArray[np.floating]:
    """The values of the sentences that stand for all."""
    return sentences if graph.typical is None else sentences[graph.typical]


def edge_weights(
    graph: PassageGraph, relevance: Floats, settings: BridgingSettings
) -> tuple[Floats, Floats]:
    """Probabilities of each edge, shape (edges,): from its passage, and from its entity.

    Both are proportional to rarity(e) · rel(s)^γ; leaving a passage by its own title counts
    ``own_title``, and by a name inside another one ``nested``; arriving where e is the title adds
    ``title_weight`` · the passage's best rel.
    Mentions that are away from this part of a graph count as typical ones.
    """
    entity, passage = graph.edge_entity, graph.edge_passage
    carried = _carried(graph, settings)
    sure = np.where(graph.certain, 1, settings.uncertain)
    weight = np.where(graph.edge_title > 0, (graph.rarity * sure)[entity], carried[entity])
    sharp = relevance**settings.edge_sharpness
    spoken = weight * sharp[graph.edge_sentence]
    best = np.maximum.reduceat(relevance, graph.first_sentence)
    titled = weight * graph.edge_title * settings.title_weight * best[passage]
    leaving = spoken * np.where(graph.edge_own > 0, settings.own_title, 1)
    if graph.edge_kind is not None:
        leaving *= np.where(graph.edge_kind == NESTED, settings.nested, 1)
    away: NDArray[np.floating] | float = 0.0
    if graph.away is not None:
        away = carried.astype(np.float64) * graph.away * float(_typical(graph, sharp).mean())
    return (
        _normalised(leaving, passage, graph.passages),
        _normalised(spoken + titled, entity, graph.entities, away),
    )


def _normalised(
    weights: NDArray[np.floating],
    groups: NDArray[np.int32],
    size: int,
    more: NDArray[np.floating] | float = 0.0,
) -> Floats:
    """``weights`` divided by the sum of their group and ``more``; zero where that is zero."""
    sums = np.bincount(groups, weights, size) + more
    return (weights / np.maximum(sums, 1e-20)[groups]).astype(np.float32)


def reset(
    graph: PassageGraph, question: QuestionParts, direct: Floats, settings: BridgingSettings
) -> tuple[Floats, Floats]:
    """The reset vector of the walk: shares of passages (P,) and entities (E,), together 1.

    The entities' share is ``seed_share`` · ``informativeness``.
    """
    count = min(settings.reset_passages, graph.passages - 1)
    limit = np.partition(direct, -count - 1)[-count - 1] if count else np.float32(0)
    passages = (np.maximum(direct - limit, 0) ** settings.reset_sharpness).astype(np.float32)
    entities = np.zeros(graph.entities, dtype=np.float32)
    for seed in question.seeds:
        entities[seed.entity] += seed.weight * graph.rarity[seed.entity]
    share = settings.seed_share * informativeness(graph, question) if entities.any() else 0.0
    if not passages.any():
        passages = np.ones(graph.passages, dtype=np.float32)
    return (
        np.float32(1 - share) * passages / passages.sum(),
        np.float32(share) * entities / np.float32(entities.sum() or 1),
    )


def walk(
    graph: PassageGraph, start: WalkStart, settings: BridgingSettings
) -> tuple[Floats, Floats]:
    """Personalised PageRank x ← (1 - d)·reset + d·Wᵀx on the bipartite graph: (P,) and (E,).

    These are the shares of passages and of entities. After the first rounds only edges with a
    notable flow are followed.
    """
    passages, entities = start.passages, start.entities
    out_passage, out_entity, out_weight = _kept(graph, start.leaving, settings)
    in_passage, in_entity, in_weight = _kept(graph, start.arriving, settings)
    start_p = passages.astype(np.float64) * (1 - settings.damping)
    start_e = entities.astype(np.float64) * (1 - settings.damping)
    at_p, at_e = start_p.copy(), start_e.copy()
    for done in range(settings.rounds):
        if done == SETTLED:
            live = np.flatnonzero(at_p[out_passage] * out_weight > NO_FLOW)
            out_passage, out_entity, out_weight = (
                out_passage[live],
                out_entity[live],
                out_weight[live],
            )
            live = np.flatnonzero(at_e[in_entity] * in_weight > NO_FLOW)
            in_passage, in_entity, in_weight = in_passage[live], in_entity[live], in_weight[live]
        moved = np.bincount(in_passage, at_e[in_entity] * in_weight, len(passages))
        at_e = start_e + np.bincount(out_entity, at_p[out_passage] * out_weight, len(entities))
        at_p = start_p + moved
    return at_p.astype(np.float32), at_e.astype(np.float32)


def _kept(
    graph: PassageGraph, weight: Floats, settings: BridgingSettings
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Passage, entity and damped probability of the edges that matter: most have almost none."""
    kept = np.flatnonzero(weight > settings.negligible)
    damped = weight[kept].astype(np.float64) * settings.damping
    return graph.edge_passage[kept], graph.edge_entity[kept], damped
