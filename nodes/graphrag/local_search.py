"""Answering from what surrounds the entities of a question (GraphRAG's local search, and SS)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from ...algorithms.fusion import reciprocal_rank_fusion
from ...context import GraphragContext
from ...index.communities import load_communities, report_text
from ...index.entities import linked_topics, load_entities
from ...index.opening import Index
from ...index.retrieval import search
from ...index.vectors import owner_of
from ...language.analyser import count_tokens
from ...models.query_vectors import embed_queries
from ...prompts.library import LOCAL_ANSWER
from ...prompts.prompt import Excerpt, number_passages
from ...state.graphrag import ContextText, GraphragState
from ...state.records import Evidence
from ..answer import answered, checked
from ..node import node
from ..run import Run, Update

_SHARES = {"passages": 0.5, "reports": 0.15, "graph": 0.35}
_NEAR = 10
_ENTITIES = 10
_RELATIONS = 60
_FUSED = 4
_ROW_TOKENS = 20
_MOST_TEXTS = 200


class Surroundings(NamedTuple):
    """The texts for local search: passages to quote from, and further knowledge."""

    evidence: list[Evidence]
    knowledge: list[ContextText]
    communities: list[str]


@node()
async def gather_surroundings(state: GraphragState, run: Run[GraphragContext]) -> Update:
    """Collects passages, relations, claims and reports about the entities near the question."""
    found = await run.in_thread(surroundings, state["question"], run.context)
    run.meter.retrievals += 1
    view = await run.in_thread(load_communities)
    return {
        "evidence": found.evidence,
        "knowledge": found.knowledge,
        "communities": [view.reference(id) for id in found.communities],
    }


@node(answers=True)
async def answer_locally(state: GraphragState, run: Run[GraphragContext]) -> Update:
    """Answers the question from its surroundings, or says that it cannot."""
    evidence = state["evidence"]
    if not evidence:
        return {"stop_reason": "no_evidence"}
    reply = await run.ask(
        LOCAL_ANSWER,
        question=state["question"],
        texts=number_passages(evidence),
        knowledge=shown_knowledge(state["knowledge"]),
    )
    return await checked(run, state["question"], answered(reply, evidence), evidence)


@node()
async def fill_context(state: GraphragState, run: Run[GraphragContext]) -> Update:
    """Takes the nearest passages until the context is full (the paper's condition SS)."""
    found = await run.search(state["question"], _MOST_TEXTS)
    return {"evidence": _fitting_passages(found, run.context.context_tokens)}


def surroundings(index: Index, question: str, context: GraphragContext) -> Surroundings:
    """The surroundings of the question's entities, within shares of the budget. Blocks."""
    entities = _near_entities(index, question)
    limits = {name: int(share * context.context_tokens) for name, share in _SHARES.items()}
    lines = [*_entity_lines(index, entities), *_relation_lines(index, entities)]
    graph = "\n".join(_fitting_texts(lines, limits["graph"]))
    view = load_communities(index)
    ids = _near_communities(index, entities, set(view.at(context.level)))
    reports = [report_text(view.report(id)) for id in ids]
    kept = _fitting_texts(reports, limits["reports"])
    knowledge: list[ContextText] = (
        [{"title": "Entities and relations", "text": graph}] if graph else []
    )
    knowledge += [
        {"title": f"Report: {view.report(id)['title']}", "text": text}
        for id, text in zip(ids, kept, strict=False)
    ]
    evidence = _near_passages(index, question, entities, context)
    return Surroundings(
        _fitting_passages(evidence, limits["passages"]), knowledge, ids[: len(kept)]
    )


def shown_knowledge(knowledge: Sequence[ContextText]) -> list[Excerpt]:
    """Further knowledge, marked so that it is not taken for a numbered text."""
    return [{"id": "-", "title": one["title"], "text": one["text"]} for one in knowledge]


def _near_entities(index: Index, question: str) -> list[str]:
    """The entities that the question names, then those whose descriptions are nearest to it."""
    named = [topic["entity"] for topic in linked_topics(index, question)]
    vector = embed_queries(index.embedder, [question])[0]
    graph = load_entities(index)
    near = [owner_of(id) for id, _ in index.vectors.search("entities", vector, _NEAR)]
    found = dict.fromkeys([*named, *near])
    return [entity for entity in found if entity in graph.entities][:_ENTITIES]


def _near_passages(
    index: Index, question: str, entities: Sequence[str], context: GraphragContext
) -> list[Evidence]:
    """The passages of the entities, fused with the retrieved ones; those of several come first."""
    graph = load_entities(index)
    spoken: defaultdict[str, float] = defaultdict(float)
    for rank, entity in enumerate(entities, start=1):
        for passage in graph.passages_of(entity):
            spoken[passage] += 1 / rank
    retrieved = search(index, question, context.retriever, _FUSED * context.top_k)
    order = {passage["id"]: place for place, passage in enumerate(retrieved)}
    linked = sorted(spoken, key=lambda id: (-spoken[id], order.get(id, len(order)), id))
    rankings = [linked[: _FUSED * context.top_k], [passage["id"] for passage in retrieved]]
    fused = dict(reciprocal_rank_fusion(rankings, [1.0, 1.0])[: context.top_k])
    return [
        {
            **passage,
            "score": fused[passage["id"]],
            "found": "entity" if passage["id"] in spoken else "retrieved",
        }
        for passage in index.catalogue.passages(list(fused))
    ]


def _entity_lines(index: Index, entities: Sequence[str]) -> list[str]:
    """The description of each entity, with the claims about it."""
    claims: dict[str, list[str]] = {}
    for claim in index.entities.claims_of(entities):
        claims.setdefault(claim.subject, []).append(claim.claim["description"])
    return [
        line
        for id, entity in index.entities.get(entities).items()
        for line in (f"{entity.name} ({entity.type}): {entity.description}", *claims.get(id, ()))
    ]


def _relation_lines(index: Index, entities: Sequence[str]) -> list[str]:
    """The relations of the entities: those between two of them first, then the heaviest."""
    graph = load_entities(index)
    chosen = set(entities)
    found = [
        relation
        for relation in index.entities.relations_of(entities)
        if relation.source in graph.entities and relation.target in graph.entities
    ]
    found.sort(
        key=lambda one: (-((one.source in chosen) + (one.target in chosen)), -one.weight, one.id)
    )
    return [
        f"{graph.name_of(one.source)} {one.relation} {graph.name_of(one.target)}."
        for one in found[:_RELATIONS]
    ]


def _near_communities(index: Index, entities: Sequence[str], level: set[str]) -> list[str]:
    """The communities of a level that the entities are in, those with most of them first."""
    counts = Counter(
        community
        for community, _ in index.communities.communities_of(entities)
        if community in level
    )
    return sorted(counts, key=lambda id: (-counts[id], id))


def _fitting_texts(texts: Iterable[str], limit: int) -> list[str]:
    """The first texts that are within ``limit`` tokens together."""
    known = list(texts)
    spent = accumulate(count_tokens(text) + 1 for text in known)
    return [text for text, tokens in zip(known, spent, strict=True) if tokens <= limit]


def _fitting_passages(passages: Sequence[Evidence], limit: int) -> list[Evidence]:
    """The first passages that are within ``limit`` tokens together, but at least one."""
    texts = _fitting_texts((f"{one['title']}\n{one['text']}" for one in passages), limit)
    return list(passages[: max(1, len(texts))])
