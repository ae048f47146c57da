"""Walking over entities along relations to the evidence (Think-on-Graph 2.0)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...algorithms.fusion import reciprocal_rank_fusion
from ...algorithms.tog2.relevance import (
    ReadPassage,
    context_relevance,
    entity_scores,
    fuse_behind_lead,
    prune_entities,
    rank_context,
)
from ...algorithms.tog2.walk import Edge, discover, extend_paths, step_sentence, walked_edges
from ...context import Tog2Context
from ...index.entities import LoadedEntities, linked_topics, load_entities
from ...index.opening import Index
from ...index.progress import progress_of
from ...index.retrieval import best_retriever
from ...index.triple_sources import Source, sources_of
from ...index.vectors import passage_keywords
from ...language.analyser import keywords
from ...language.mentions import normalised
from ...models.query_vectors import embed_queries
from ...prompts.library import KEEP_TOPICS
from ...prompts.prompt import number
from ...state.records import Evidence
from ...state.tog2 import (
    CandidateEntity,
    Tog2State,
    Triple,
    WalkedPath,
    WalkedTriple,
)
from ..node import node
from ..run import Run, Update

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FUSED = 4
_FEW_TOPICS = 2
_MOST_PASSAGES = 300


@node()
async def link(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Finds the entities that the question names: exactly, by an alias, or by a near name."""
    topics = await run.in_thread(linked_topics, state["question"])
    frontier = list(dict.fromkeys(topic["entity"] for topic in topics))
    return {"topics": topics, "frontier": frontier, "rounds_left": run.context.depth}


@node(reserve=2)
async def prune_topics(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Has the model keep the topics that the walk should start from, where there are many."""
    frontier = state["frontier"]
    if len(frontier) <= _FEW_TOPICS or run.context.depth == 1:
        return {}
    graph = await run.in_thread(load_entities)
    shown = [graph.entities[entity] for entity in frontier]
    texts = number([(one.name, f"{one.type}. {one.description}".strip(". ")) for one in shown])
    reply = await run.ask(
        KEEP_TOPICS,
        otherwise="The walk starts from all entities of the question.",
        model=run.context.small_model,
        question=state["question"],
        texts=texts,
    )
    if reply is None:
        return {}
    places = dict(zip((text["id"] for text in texts), frontier, strict=True))
    kept = [places[id] for id in dict.fromkeys(reply.keep) if id in places]
    return {"frontier": kept or frontier}


@node()
async def read_topics(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Ranks the passages that speak of the topics.

    Beyond the paper, what the retriever finds is evidence as well: a text that calls its entities
    by other names is not reached over the graph.
    """
    graph = await run.in_thread(load_entities)
    found = await run.search(state["question"], _FUSED * run.context.top_k)
    retrieved = [passage["id"] for passage in found]
    topics: list[CandidateEntity] = [
        {"entity": entity, "steps": []} for entity in state["frontier"]
    ]
    began: Tog2State = {**state, "retrieved": retrieved}
    ranked = await run.in_thread(_rank, graph, topics, began, run.context)
    return {**ranked, "retrieved": retrieved}


@node()
async def retrieve_context(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Discovers the entities that the relations lead to, and ranks the passages of all of them."""
    graph = await run.in_thread(load_entities)
    return await run.in_thread(_rank, graph, discover(state["options"]), state, run.context)


@node()
async def prune_reached(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Keeps the entities with the best passages, and extends the paths to them."""
    return await run.in_thread(_extended, state, run.context)


def _extended(index: Index, state: Tog2State, context: Tog2Context) -> Update:
    graph = load_entities(index)
    kept = prune_entities(entity_scores(state["context"], context.alpha), context.width)
    trail = extend_paths(state["trail"], state["candidates"], kept)
    left = state["rounds_left"] - 1
    finished = context.depth - left
    progress_of("walk")(finished, context.depth)
    steps = {step["edge"]: step for path in trail for step in path["steps"]}
    sources = sources_of(index, map(_edge, steps.values()))
    longer = [_walked(graph, finished, p["entity"], p["steps"], sources) for p in trail]
    paths = [*state["paths"], *longer]
    return {
        "frontier": kept,
        "trail": trail,
        "walked": [*state["walked"], *walked_edges(state["candidates"], kept)],
        "paths": paths,
        "evidence": with_sources(index, state["evidence"], paths),
        "rounds_left": left,
    }


def with_sources(
    index: Index, evidence: Sequence[Evidence], paths: Sequence[WalkedPath]
) -> list[Evidence]:
    """``evidence``, and behind it the sentences of walked triples that it does not hold."""
    whole = [passage for passage in evidence if passage["found"] != "triple"]
    held = {passage["id"] for passage in whole}
    quotes = dict.fromkeys(
        (triple["passage"], triple["quote"])
        for path in paths
        for triple in path["triples"]
        if triple["quote"] and triple["passage"] not in held
    )
    found = {one["id"]: one for one in index.catalogue.passages([id for id, _ in quotes])}
    sentences: list[Evidence] = []
    for id, quote in quotes:
        if id in found and (start := found[id]["text"].find(quote)) >= 0:
            begin = found[id]["start"] + start
            cut = Evidence(**found[id], score=0.0, found="triple")
            sentences.append({**cut, "text": quote, "start": begin, "end": begin + len(quote)})
    return [*whole, *sentences]


def _rank(
    index: Index,
    graph: LoadedEntities,
    candidates: Sequence[CandidateEntity],
    state: Tog2State,
    context: Tog2Context,
) -> Update:
    """The passages of all candidates by s, and the best of all rounds as evidence.

    The clue found last belongs to q.
    """
    wanted = " ".join([state["question"], *state["clues"][-1:]])
    vector, words = embed_queries(index.embedder, [wanted])[0], keywords(wanted)
    own = _read(index, graph, candidates, vector)
    scores = state["relation_scores"]
    led = {edge: scores[each["id"]] for each in state["options"] for edge in each["edges"]}
    relevance = context_relevance(graph, candidates, own, words, led)
    best, reached = dict(state["relevance"]), dict(state["reached"])
    for _, id, relevant in relevance:
        best[id] = max(relevant, best.get(id, 0.0))
        if state["options"]:
            reached[id] = max(relevant, reached.get(id, 0.0))
    ranked = rank_context(relevance, context.top_k)
    began: Tog2State = {**state, "context": ranked, "relevance": best, "reached": reached}
    return {
        "candidates": list(candidates),
        "context": ranked,
        "relevance": best,
        "reached": reached,
        "evidence": _evidence(index, began, context),
    }


def _read(
    index: Index,
    graph: LoadedEntities,
    candidates: Iterable[CandidateEntity],
    vector: NDArray[np.float32],
) -> dict[str, ReadPassage]:
    """The passages of the candidates; of very many the nearest to the question."""
    every = (id for candidate in candidates for id in graph.passages_of(candidate["entity"]))
    ids = list(dict.fromkeys(every))
    if not ids:
        return {}
    cosines = dict(zip(ids, map(float, index.vectors.get("passages", ids) @ vector), strict=True))
    nearest = sorted(ids, key=lambda id: (-cosines[id], id))[:_MOST_PASSAGES]
    return {
        passage["id"]: ReadPassage(
            normalised(passage["title"]), passage_keywords(passage), cosines[passage["id"]]
        )
        for passage in index.catalogue.passages(nearest)
    }


def _evidence(index: Index, state: Tog2State, context: Tog2Context) -> list[Evidence]:
    """The ``top_k`` best passages: those that the retriever found, fused with the walk's.

    The best passage of the entities that this round reached is there in any case.
    """
    most, retrieved = context.top_k, state["retrieved"]
    if best_retriever(index, context.retriever) == "graph":
        ranked = fuse_behind_lead(retrieved, _best(state["reached"]))
    else:
        walked = _best(state["relevance"])[: _FUSED * most]
        ranked = [id for id, _ in reciprocal_rank_fusion([walked, retrieved], [1.0, 1.0])]
    newest = [one["passage"] for one in state["context"][:1] if state["options"]]
    kept = dict.fromkeys([*ranked[:most], *newest])
    places = {id: place for place, id in enumerate(kept, start=1)}
    found = {passage["id"]: passage["found"] for passage in state["evidence"]}
    new = "path" if state["options"] else "topic"

    def how(id: str) -> str:
        known = found.get(id, "retrieved")
        return new if known == "retrieved" and id in state["relevance"] else known

    return [
        {**passage, "score": round(1 / places[passage["id"]], 6), "found": how(passage["id"])}
        for passage in index.catalogue.passages(list(places))
    ]


def _best(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda id: (-scores[id], id))


def _edge(step: Triple) -> Edge:
    return Edge(step["edge"], step["source"], step["phrase"], step["target"])


def _walked(
    graph: LoadedEntities,
    finished: int,
    entity: str,
    steps: Sequence[Triple],
    sources: Mapping[str, Source],
) -> WalkedPath:
    triples: list[WalkedTriple] = [
        {
            "source": step["source"],
            "source_name": graph.name_of(step["source"]),
            "relation": step["phrase"],
            "target": step["target"],
            "target_name": graph.name_of(step["target"]),
            "sentence": step_sentence(graph, step),
            "passage": source.passage,
            "quote": source.text,
        }
        for step in steps
        for source in [sources.get(step["edge"], Source("", ""))]
    ]
    name = graph.name_of(entity)
    return {"round": finished, "entity": entity, "name": name, "triples": triples}
