"""Choosing the relations that lead on (Think-on-Graph 2.0: relation discovery and prune)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...algorithms.similarity import hybrid_similarity
from ...algorithms.tog2.sources import nearest_options, option_lines
from ...algorithms.tog2.walk import EntityEdge, by_topic, prune_options, relation_options
from ...context import Tog2Context
from ...index.entities import EntityPart, read_entities
from ...index.opening import Index
from ...index.triple_sources import passages_stating, sources_of
from ...index.vectors import cosines_with
from ...language.analyser import keywords
from ...models.query_vectors import embed_queries
from ...prompts.prompt import Excerpt, FencedQuestion, fence_in_line, number
from ...prompts.tog2_replies import SCORE_RELATIONS
from ...state.tog2 import RelationOption, Tog2State
from ..node import node
from ..run import Run, Update
from .walk import nowhere, sought

_MOST_READ = 300
_MOST_SHOWN = 30


class _Shown(NamedTuple):
    """Options of the topics, the texts that show them, and the relations' ids for each number."""

    options: list[RelationOption]
    texts: list[Excerpt]
    numbers: dict[str, list[str]]


@node(reserve=1, late=nowhere)
async def prune_relations(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Discovers the relations of the frontier, and keeps those that may lead on."""
    context = run.context
    shown = await run.in_thread(_shown, state)
    scores = await _score(run, shown, state) if shown.options else {}
    kept = prune_options(shown.options, scores, context.width)
    return {
        "options": kept,
        "relation_scores": {edge: scores[edge] for option in kept for edge in option["edges"]},
    }


def _shown(index: Index, state: Tog2State) -> _Shown:
    """The relations nearest to what is sought, of all topics, for one request."""
    graph = read_entities(index, state["frontier"], relations=True)
    topics = by_topic(relation_options(graph, state["frontier"], state["walked"]))
    edges = {edge.id: edge for topic in state["frontier"] for edge in graph.relations_of(topic)}
    wanted = [edges[id] for topic in topics for option in topic for id in option["edges"]]
    nearness, said = _nearest(index, graph, wanted, f"{state['question']} {sought(state)}".strip())
    most = max(_MOST_SHOWN // max(len(topics), 1), 1)
    kept = [own for topic in topics if (own := nearest_options(topic, nearness, said, most))]
    return _texts(graph, kept, said)


def _nearest(
    index: Index, graph: EntityPart, edges: Sequence[EntityEdge], sought: str
) -> tuple[dict[str, float], dict[str, str]]:
    """How near relations are to what is ``sought``, and the sentences of those that have one.

    A relation's nearness is SIM of ``sought`` and its statement and sentence, with the cosine of
    its passage. Only the relations of the nearest passages are looked at, where there are many.
    """
    if not edges:
        return {}, {}
    vector, words = embed_queries(index.embedder, [sought])[0], keywords(sought)
    read = passages_stating(index, (edge.id for edge in edges))
    ids = sorted({id for passages in read.values() for id in passages})
    cosines = cosines_with(index, vector, ids)
    cosine = {id: max(cosines.get(p, 0.0) for p in passages) for id, passages in read.items()}
    near = sorted(edges, key=lambda edge: (-cosine.get(edge.id, 0.0), edge.id))[:_MOST_READ]
    sources = sources_of(index, near)
    nearness: dict[str, float] = {}
    said = {id: source.text for id, source in sources.items() if source.text}
    for edge in near:
        ends = graph.name_of(edge.source), graph.name_of(edge.target)
        own = keywords(" ".join([said.get(edge.id, ""), edge.relation, *ends]))
        share = len(own & words) / len(words) if words else 0.0
        nearness[edge.id] = hybrid_similarity(share, cosine.get(edge.id, 0.0))
    return nearness, said


def _texts(
    graph: EntityPart, topics: Sequence[Sequence[RelationOption]], said: dict[str, str]
) -> _Shown:
    texts: list[tuple[str, str]] = []
    numbers: dict[str, list[str]] = {}
    for place, options in enumerate(topics, start=1):
        lines, own = option_lines(graph, options, said, place)
        texts.append((graph.name_of(options[0]["topic"]), lines))
        numbers |= own
    return _Shown([option for options in topics for option in options], number(texts), numbers)


async def _score(run: Run[Tog2Context], shown: _Shown, state: Tog2State) -> dict[str, float]:
    """The scores of relations by their ids, in one request; alike where there is no reply."""
    clue = sought(state)
    reply = await run.ask(
        SCORE_RELATIONS,
        otherwise="All relations were followed alike.",
        model=run.context.small_model,
        question=state["question"],
        texts=shown.texts,
        clue=FencedQuestion(clue, fence_in_line(clue)) if clue else "the answer",
    )
    if reply is None:
        return {edge: 1.0 for edges in shown.numbers.values() for edge in edges}
    return {edge: one.score for one in reply.scores for edge in shown.numbers.get(one.id, ())}
