"""Walking over entities along relations to the evidence (Think-on-Graph 2.0)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...algorithms.fusion import UNJUDGED_WALK, reciprocal_rank_fusion
from ...algorithms.tog2.relevance import (
    ReadPassage,
    context_relevance,
    entity_scores,
    prune_entities,
    rank_context,
)
from ...algorithms.tog2.walk import (
    by_topic,
    discover,
    extend_paths,
    prune_options,
    relation_options,
    step_sentence,
    walked_edges,
)
from ...context import Tog2Context
from ...index.entities import LoadedEntities, linked_topics, load_entities
from ...index.opening import Index
from ...index.progress import progress_of
from ...index.vectors import passage_keywords
from ...language.analyser import keywords
from ...language.mentions import normalised
from ...models.protocol import OFFLINE
from ...models.query_vectors import embed_queries
from ...prompts.library import JUDGE_EVIDENCE, KEEP_TOPICS, SCORE_RELATIONS
from ...prompts.prompt import fence_in_line, number
from ...state.records import Evidence
from ...state.tog2 import (
    CandidateEntity,
    RelationOption,
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
_MOST_OPTIONS = 40
_MOST_OTHERS = 20
_MOST_NAMES = 4
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
    texts = number([(each.name, f"{each.type}. {each.description}") for each in shown])
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


@node(reserve=1)
async def judge(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Asks whether what was found suffices; if not, for a clue to what is missing."""
    sentences = [triple["sentence"] for path in state["paths"] for triple in path["triples"]]
    texts = [("Paths", "\n".join(dict.fromkeys(sentences)) or "No relation was walked yet.")]
    texts += [(passage["title"], passage["text"]) for passage in state["evidence"]]
    reply = await run.ask(
        JUDGE_EVIDENCE,
        otherwise="The walk went on without a clue.",
        question=state["question"],
        texts=number(texts),
        clues=fence_in_line("; ".join(state["clues"])) if state["clues"] else "nothing yet",
    )
    if reply is None:
        return {}
    if reply.sufficient or reply.clue in state["clues"]:  # what was looked for is not there
        return {"frontier": []}
    clues = [*state["clues"], reply.clue] if reply.clue else state["clues"]
    return {"clues": list(dict.fromkeys(clues))}


@node(reserve=1)
async def prune_relations(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Discovers the relations of the frontier, and keeps those that may lead on."""
    context, graph = run.context, await run.in_thread(load_entities)
    options = _shortened(relation_options(graph, state["frontier"], state["walked"]))
    groups = [options] if context.combined else by_topic(options)
    scored = await asyncio.gather(*(_score(run, graph, group, state) for group in groups))
    scores = {id: score for group in scored for id, score in group.items()}
    kept = prune_options(options, scores, context.relation_cut, context.width)
    return {
        "options": kept,
        "relation_scores": {option["id"]: scores[option["id"]] for option in kept},
    }


@node()
async def retrieve_context(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Discovers the entities that the relations lead to, and ranks the passages of all of them."""
    graph = await run.in_thread(load_entities)
    return await run.in_thread(_rank, graph, discover(state["options"]), state, run.context)


@node()
async def prune_reached(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Keeps the entities with the best passages, and extends the paths to them."""
    context, graph = run.context, await run.in_thread(load_entities)
    kept = prune_entities(entity_scores(state["context"], context.alpha), context.width)
    trail = extend_paths(state["trail"], state["candidates"], kept)
    left = state["rounds_left"] - 1
    finished = context.depth - left
    progress_of("walk")(finished, context.depth)
    return {
        "frontier": kept,
        "trail": trail,
        "walked": [*state["walked"], *walked_edges(state["candidates"], kept)],
        "paths": [
            *state["paths"],
            *(_walked(graph, finished, path["entity"], path["steps"]) for path in trail),
        ],
        "rounds_left": left,
    }


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
    own = _read(index, _places(graph, candidates), vector)
    scores = state["relation_scores"]
    led = {edge: scores[each["id"]] for each in state["options"] for edge in each["edges"]}
    relevance = context_relevance(graph, candidates, own, words, led)
    best = dict(state["relevance"])
    for _, id, relevant in relevance:
        best[id] = max(relevant, best.get(id, 0.0))
    return {
        "candidates": list(candidates),
        "context": rank_context(relevance, context.top_k),
        "relevance": best,
        "evidence": _evidence(index, state, best, context.top_k, context.model == OFFLINE),
    }


def _places(graph: LoadedEntities, candidates: Iterable[CandidateEntity]) -> list[str]:
    """The passages of the candidates, each once, at most so many."""
    found = (id for candidate in candidates for id in graph.passages_of(candidate["entity"]))
    return list(dict.fromkeys(found))[:_MOST_PASSAGES]


def _read(index: Index, ids: Sequence[str], vector: NDArray[np.float32]) -> dict[str, ReadPassage]:
    passages = index.catalogue.passages(ids)
    if not passages:
        return {}
    cosines = index.vectors.get("passages", [passage["id"] for passage in passages]) @ vector
    return {
        passage["id"]: ReadPassage(
            normalised(passage["title"]), passage_keywords(passage), float(cosine)
        )
        for passage, cosine in zip(passages, cosines, strict=True)
    }


def _evidence(
    index: Index, state: Tog2State, relevance: dict[str, float], most: int, unjudged: bool
) -> list[Evidence]:
    """The best of the passages by s, fused with what the retriever found."""
    walked = sorted(relevance, key=lambda id: (-relevance[id], id))[: _FUSED * most]
    weights = [UNJUDGED_WALK if unjudged else 1.0, 1.0]
    fused = dict(reciprocal_rank_fusion([walked, state["retrieved"]], weights)[:most])
    found = {passage["id"]: passage["found"] for passage in state["evidence"]}
    new = "path" if state["options"] else "topic"

    def how(id: str) -> str:
        known = found.get(id, "retrieved")
        return new if known == "retrieved" and id in relevance else known

    return [
        {**passage, "score": round(fused[passage["id"]], 6), "found": how(passage["id"])}
        for passage in index.catalogue.passages(list(fused))
    ]


def _shortened(options: Iterable[RelationOption]) -> list[RelationOption]:
    """At most so many options for each topic, and others for each option, heaviest first."""
    return [
        {**each, "edges": each["edges"][:_MOST_OTHERS], "others": each["others"][:_MOST_OTHERS]}
        for group in by_topic(options)
        for each in group[:_MOST_OPTIONS]
    ]


async def _score(
    run: Run[Tog2Context],
    graph: LoadedEntities,
    options: Sequence[RelationOption],
    state: Tog2State,
) -> dict[str, float]:
    """The scores of options by their ids, all in one request; alike where there is no reply."""
    texts: list[tuple[str, str]] = []
    numbers: dict[str, str] = {}
    for place, group in enumerate(by_topic(options), start=1):
        lines = []
        for line, option in enumerate(group, start=1):
            numbers[f"{place}.{line}"] = option["id"]
            names = "; ".join(graph.name_of(other) for other in option["others"][:_MOST_NAMES])
            arrow = "→" if option["direction"] == "out" else "←"
            lines.append(f"{place}.{line} {option['phrase']} {arrow} {names}")
        texts.append((graph.name_of(group[0]["topic"]), "\n".join(lines)))
    if not texts:
        return {}
    clue = state["clues"][-1] if state["clues"] else "the answer"
    reply = await run.ask(
        SCORE_RELATIONS,
        otherwise="All relations were followed alike.",
        model=run.context.small_model,
        question=state["question"],
        texts=number(texts),
        clue=clue,
    )
    if reply is None:
        return {option["id"]: 1.0 for option in options}
    given = {numbers[each.id]: each.score for each in reply.scores if each.id in numbers}
    return {option["id"]: given.get(option["id"], 0.0) for option in options}


def _walked(
    graph: LoadedEntities, finished: int, entity: str, steps: Sequence[Triple]
) -> WalkedPath:
    triples: list[WalkedTriple] = [
        {
            "source": step["source"],
            "source_name": graph.name_of(step["source"]),
            "relation": step["phrase"],
            "target": step["target"],
            "target_name": graph.name_of(step["target"]),
            "sentence": step_sentence(graph, step),
        }
        for step in steps
    ]
    name = graph.name_of(entity)
    return {"round": finished, "entity": entity, "name": name, "triples": triples}
