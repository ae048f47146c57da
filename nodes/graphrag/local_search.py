"""Answering from what surrounds the entities of a question (GraphRAG's local search, and SS)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from ...algorithms.fusion import reciprocal_rank_fusion
from ...context import GraphragContext
from ...index.communities import CommunityView, load_communities
from ...index.entities import EntityPart, linked_topics, near_entities, read_entities
from ...index.opening import Index
from ...index.retrieval import search
from ...index.triple_sources import described
from ...language.analyser import count_tokens, keywords, one_line, sentences
from ...language.claims import told_claim
from ...language.support import CitablePassage, cite_point
from ...models.query_vectors import embed_queries
from ...prompts.graphrag_replies import LOCAL_ANSWER
from ...prompts.prompt import Excerpt, number_passages
from ...state.graphrag import CommunityReference, GraphragState
from ...state.records import Evidence
from ..answer import checked
from ..citing import answered
from ..node import node
from ..retrieve import nearest, ranking
from ..run import Run, Update
from .searching import in_form

_NEAR = 10
_NEAR_OF_ALL = 100  # where a filter may leave out the nearest
_ENTITIES = 10
_COMMUNITIES = 5
_STATEMENTS = 10
_CONSIDERED = 100
_FUSED = 4
_MOST_TEXTS = 200


class EntityStatement(NamedTuple):
    """A statement about an entity, and the community whose report makes it, if one does."""

    text: str
    community: str = ""
    doubtful: bool = False  # a claim that is refuted or suspected: its words alone say otherwise


class Surroundings(NamedTuple):
    """The texts for local search: passages to quote from, and statements from elsewhere.

    ``communities`` are those whose reports make statements.
    """

    evidence: list[Evidence]
    statements: list[EntityStatement]
    communities: list[CommunityReference]


@node()
async def gather_surroundings(state: GraphragState, run: Run[GraphragContext]) -> Update:
    """Collects passages about the entities near the question, and statements from elsewhere."""
    near = await nearest(run, state, _FUSED * run.context.top_k)
    found = await run.in_thread(_surroundings, state["question"], near, run.context)
    return {
        "evidence": found.evidence,
        "ranked": ranking(near),
        "knowledge": [one.text for one in found.statements],
        "communities": found.communities,
    }


@node(answers=True)
async def answer_locally(state: GraphragState, run: Run[GraphragContext]) -> Update:
    """Answers the question from its surroundings, or says that it cannot."""
    evidence = state["evidence"]
    if not evidence:
        return {"stop_reason": "no_evidence"}
    reply = await run.ask(
        LOCAL_ANSWER,
        question=in_form(state["question"], run.context),
        texts=number_passages(evidence),
        knowledge=shown_knowledge(state["knowledge"]),
    )
    return await checked(run, state["question"], answered(reply, evidence), evidence)


@node()
async def fill_context(state: GraphragState, run: Run[GraphragContext]) -> Update:
    """Takes the nearest passages by vectors until the context is full (the paper's SS)."""
    found = await run.in_thread(search, state["question"], "vector", _MOST_TEXTS)
    run.meter.retrievals += 1
    return {"evidence": _fitting_passages(found, run.context.context_tokens)}


def surroundings(index: Index, question: str, context: GraphragContext) -> Surroundings:
    """The surroundings of the question's entities, within the budget. Blocks."""
    retrieved = search(index, question, context.retriever, _FUSED * context.top_k)
    return _surroundings(index, question, retrieved, context)


def _surroundings(
    index: Index, question: str, retrieved: Sequence[Evidence], context: GraphragContext
) -> Surroundings:
    named = linked_topics(index, question)
    subjects = keywords(" ".join(question[one["start"] : one["end"]] for one in named))
    entities = _near_entities(index, question, [one["entity"] for one in named])
    retrieved = retrieved[: _FUSED * context.top_k]
    ids = [passage["id"] for passage in retrieved]
    graph = read_entities(index, entities, relations=True, passages_near=ids)
    near = _near_passages(index, retrieved, entities, graph, context)
    limit = context.context_tokens // 2  # the paper's share of passages
    evidence = _fitting_passages(near, limit)
    # Of an index that a filter narrows no reports are read, for they tell of all documents.
    view = None if index.where else load_communities(index)
    known = [*_described(index, entities, graph), *_related(index, entities, graph)]
    known += _reported(index, entities, view, context.level) if view else []
    asked = keywords(question)
    about = [one for one in known if keywords(one.text) & (subjects or asked)]
    about.sort(key=lambda one: -len(keywords(one.text) & asked))
    unsaid = _unsaid(dict.fromkeys(about[:_CONSIDERED]), evidence)
    fitting = unsaid[: len(_fitting_texts([one.text for one in unsaid], limit))]
    told = dict.fromkeys(one.community for one in fitting if one.community)
    return Surroundings(evidence, fitting, [view.reference(id) for id in told] if view else [])


def shown_knowledge(statements: Sequence[str]) -> str | list[Excerpt]:
    """Statements as one text, marked so that it is not taken for a numbered text."""
    said = "\n".join(f"- {one_line(one)}" for one in statements)
    return [{"id": "-", "title": "Statements", "text": said}] if said else "(none)"


def _unsaid(
    statements: Iterable[EntityStatement], evidence: Sequence[Evidence]
) -> list[EntityStatement]:
    """The first statements that neither the evidence nor one before them makes.

    A doubtful claim is always among them: a text with the same words may tell it as a fact.
    """
    said = [CitablePassage(one["id"], one["title"], one["text"]) for one in evidence]
    kept: list[EntityStatement] = []
    for statement in statements:
        if statement.doubtful or not any(cite_point(statement.text, [one]) for one in said):
            kept.append(statement)
            said.append(CitablePassage("", "", statement.text))
        if len(kept) == _STATEMENTS:
            break
    return kept


def _near_entities(index: Index, question: str, named: Sequence[str]) -> list[str]:
    """The entities that the question names, then those whose descriptions are nearest to it."""
    vector = embed_queries(index.embedder, [question])[0]
    most = _NEAR_OF_ALL if index.where else _NEAR
    near = [id for id, _ in near_entities(index, vector, most)]
    found = dict.fromkeys([*named, *near])
    return list(read_entities(index, found).entities)[:_ENTITIES]


def _near_passages(
    index: Index,
    retrieved: Sequence[Evidence],
    entities: Sequence[str],
    graph: EntityPart,
    context: GraphragContext,
) -> list[Evidence]:
    """The passages of ``entities``, fused with ``retrieved``; passages of several come first."""
    spoken: defaultdict[str, float] = defaultdict(float)
    for rank, entity in enumerate(entities, start=1):
        for passage in graph.passages_of(entity):
            spoken[passage] += 1 / rank
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


def _described(index: Index, entities: Sequence[str], graph: EntityPart) -> list[EntityStatement]:
    """Each sentence of the descriptions of the entities, and the claims about them."""
    claims = [
        EntityStatement(told_claim(one.claim), doubtful=one.claim["status"] != "true")
        for one in index.entities.claims_of(entities)
    ]
    told = [
        one.text if keywords(entity.name) & keywords(one.text) else f"{entity.name}: {one.text}"
        for entity in (graph.entities[id] for id in entities if id in graph.entities)
        for one in sentences(entity.description)
    ]
    return [one for one in (*map(EntityStatement, told), *claims) if one.text]


def _related(index: Index, entities: Sequence[str], graph: EntityPart) -> list[EntityStatement]:
    """The relations of the entities: those between two of them first, then the heaviest."""
    chosen = set(entities)
    found = sorted(
        {edge for entity in entities for edge in graph.relations_of(entity)},
        key=lambda one: (-((one.source in chosen) + (one.target in chosen)), -one.weight, one.id),
    )
    return [*map(EntityStatement, described(index, graph, found[:_CONSIDERED]).values())]


def _reported(
    index: Index, entities: Sequence[str], view: CommunityView, level: int
) -> list[EntityStatement]:
    """The findings of the reports on the communities of the entities, the first entities' first."""
    weights: defaultdict[str, float] = defaultdict(float)
    for community, entity in index.communities.communities_of(entities):
        if view.is_at(community, level):
            weights[community] += 1 / (1 + entities.index(entity))
    nearest = sorted(weights, key=lambda id: (-weights[id], id))[:_COMMUNITIES]
    return [
        EntityStatement(finding["statement"], id)
        for id, one in index.communities.get(nearest).items()  # a run may have replaced some
        if one.report
        for finding in one.report["findings"]
    ]


def _fitting_texts(texts: Iterable[str], limit: int) -> list[str]:
    """The first texts that are within ``limit`` tokens together."""
    known = list(texts)
    spent = accumulate(count_tokens(text) + 1 for text in known)
    return [text for text, tokens in zip(known, spent, strict=True) if tokens <= limit]


def _fitting_passages(passages: Sequence[Evidence], limit: int) -> list[Evidence]:
    """The first passages that are within ``limit`` tokens together, but at least one."""
    texts = _fitting_texts((f"{one['title']}\n{one['text']}" for one in passages), limit)
    return list(passages[: max(1, len(texts))])
