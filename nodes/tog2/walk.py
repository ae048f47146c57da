"""Walking over entities along relations to the evidence (Think-on-Graph 2.0)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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
from ...algorithms.tog2.triple_sentences import CO_OCCURRENCE
from ...algorithms.tog2.walk import EntityEdge, discover, extend_paths, step_sentence, walked_edges
from ...context import Tog2Context
from ...index.entities import EntityPart, linked_topics, read_entities
from ...index.opening import Index
from ...index.progress import progress_of
from ...index.retrieval import best_retriever
from ...index.triple_sources import SourceSentence, sources_of
from ...index.vectors import cosines_with, passage_keywords
from ...language.analyser import keywords
from ...language.mentions import normalised
from ...models.query_vectors import embed_queries
from ...prompts.prompt import number
from ...prompts.tog2_replies import KEEP_TOPICS
from ...state.found import TRIPLE, Found, cited_evidence
from ...state.records import Citation, Evidence
from ...state.tog2 import CandidateEntity, Tog2State, Triple, WalkedPath, WalkedTriple
from ..node import node
from ..retrieve import nearest, ranking
from ..run import Run, Update
from .printed import printed_evidence, printed_relevance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FUSED = 4
_FEW_TOPICS = 2
_MOST_PASSAGES = 300


def nowhere(state: Tog2State) -> Update:
    """The update that ends the walk of ``state``, for which no time is left."""
    return {"frontier": [], "options": []}


@node()
async def link(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Finds the entities that the question names: exactly, by an alias, or by a near name.

    Where an earlier method read texts, the walk starts from the entities nearest to what it missed:
    first the entities in a missing question, then in the cited sentences, then in the question.
    """
    held, context = state["held"], run.context
    topics = await run.in_thread(linked_topics, state["question"])
    named = [topic["entity"] for topic in topics]
    update = {"topics": topics, "rounds_left": context.depth}
    if not held["evidence"]:
        return {**update, "frontier": list(dict.fromkeys(named))}
    first = await run.in_thread(_entities_at_hand, held)
    return {
        **update,
        "frontier": list(dict.fromkeys([*first, *named]))[: context.width],
        "clues": held["missing"],
        "judged": [text_key(text) for text in held["evidence"]],
    }


def _entities_at_hand(index: Index, held: Found) -> list[str]:
    """The entities that the missing questions name, then the others of the cited sentences."""
    missing = [topic for question in held["missing"] for topic in linked_topics(index, question)]
    spans: dict[str, list[Citation]] = {}
    for citation in held["citations"]:
        spans.setdefault(citation["passage"], []).append(citation)
    starts = {passage["id"]: passage["start"] for passage in index.catalogue.passages(list(spans))}
    cited = [
        mention.entity
        for mention in index.entities.mentions_of(starts)
        for citation in spans[mention.passage]
        if citation["start"] <= starts[mention.passage] + mention.start
        and starts[mention.passage] + mention.end <= citation["end"]
    ]
    return list(dict.fromkeys([*(topic["entity"] for topic in missing), *cited]))


def text_key(text: Evidence) -> str:
    """The passage and the place of a text, which may be a part of it."""
    return f"{text['id']} {text['start']}"


def sought(state: Tog2State) -> str:
    """The clue of the last judgement; before it, what an earlier method missed; else nothing."""
    missing = state["held"]["missing"]
    judged = state["clues"][len(missing) :]
    return judged[-1] if judged else " ".join(missing)


@node(reserve=2)
async def prune_topics(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Has the model keep the topics that the walk should start from, where there are many.

    Topics from the findings of an earlier method are few, and chosen by what it missed.
    """
    frontier = state["frontier"]
    if len(frontier) <= _FEW_TOPICS or run.context.depth == 1 or state["held"]["evidence"]:
        return {}
    shown = list((await run.in_thread(read_entities, frontier)).entities.values())
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
    places = dict(zip((text["id"] for text in texts), (one.id for one in shown), strict=True))
    kept = [places[id] for id in dict.fromkeys(reply.keep) if id in places]
    return {"frontier": kept or frontier}


@node()
async def read_topics(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Ranks the passages that speak of the topics.

    Beyond the paper, what the retriever finds is evidence as well: a text that calls its entities
    by other names is not reached over the graph.
    """
    found = [] if run.context.as_printed else await nearest(run, state, _FUSED * run.context.top_k)
    ranked = ranking(found)
    topics: list[CandidateEntity] = [
        {"entity": entity, "steps": []} for entity in state["frontier"]
    ]
    began: Tog2State = {**state, "ranked": ranked}
    context = await run.in_thread(_rank, topics, began, run.context)
    return {**context, "ranked": ranked}


@node(late=nowhere)
async def retrieve_context(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Discovers the entities that the relations lead to, and ranks the passages of all of them."""
    return await run.in_thread(_rank, discover(state["options"]), state, run.context)


@node(late=nowhere)
async def prune_reached(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Keeps the entities with the best passages, and extends the paths to them."""
    return await run.in_thread(_extended, state, run.context)


def _extended(index: Index, state: Tog2State, context: Tog2Context) -> Update:
    kept = prune_entities(entity_scores(state["context"], context.alpha), context.width)
    trail = extend_paths(state["trail"], state["candidates"], kept)
    left = state["rounds_left"] - 1
    finished = context.depth - left
    progress_of("walk")(finished, context.depth)
    steps = {step["edge"]: step for path in trail for step in path["steps"]}
    sources = sources_of(index, map(_edge, steps.values()))
    graph = read_entities(index, [*_ends(steps.values()), *(path["entity"] for path in trail)])
    trail = [path for path in trail if _is_there(graph, path["entity"], path["steps"])]
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
    """``evidence``, and behind it the walked triples that it does not state.

    Such a triple is the sentence that states it, or, where there is none, a statement of its own
    that stands for no characters of the document that it was read in.
    """
    whole = [passage for passage in evidence if passage["found"] != "triple"]
    held = {passage["id"] for passage in whole}
    triples = [triple for path in paths for triple in path["triples"] if _tells(triple, held)]
    found = {one["id"]: one for one in index.catalogue.passages([t["passage"] for t in triples])}
    told: dict[str, Evidence] = {}
    for triple in triples:
        if (passage := found.get(triple["passage"])) is None:
            continue
        own = Evidence(**passage, score=0.0, found="triple")
        begin, text = passage["start"], triple["quote"]
        if text:
            begin += passage["text"].find(text)
            told[f"{begin} {text}"] = {
                **own,
                "text": text,
                "start": begin,
                "end": begin + len(text),
            }
        else:
            id, metadata = f"triple:{triple['sentence']}", passage["metadata"] | TRIPLE
            own |= {"id": id, "text": triple["sentence"], "end": begin, "metadata": metadata}
            told[id] = own
    return [*whole, *told.values()]


def _tells(triple: WalkedTriple, held: Collection[str]) -> bool:
    """Whether ``triple`` says something beside the passages that are ``held``."""
    if triple["quote"]:
        return triple["passage"] not in held
    return triple["relation"] not in CO_OCCURRENCE


def _rank(
    index: Index, candidates: Sequence[CandidateEntity], state: Tog2State, context: Tog2Context
) -> Update:
    """The passages of all candidates by s, and the best of all rounds as evidence.

    The fact that is ``sought`` belongs to q.
    """
    wanted = f"{state['question']} {sought(state)}".strip()
    vector, words = embed_queries(index.embedder, [wanted])[0], keywords(wanted)
    steps = (step for candidate in candidates for step in candidate["steps"][:1])
    ids = [*(candidate["entity"] for candidate in candidates), *_ends(steps)]
    graph = read_entities(index, ids, passages_near=state["ranked"])
    candidates = [one for one in candidates if _is_there(graph, one["entity"], one["steps"][:1])]
    own = _read(index, graph, candidates, vector)
    scores = state["relation_scores"]
    led = {edge: scores[edge] for each in state["options"] for edge in each["edges"]}
    relevance = (
        printed_relevance(index, graph, candidates, own, vector)
        if context.as_printed
        else context_relevance(graph, candidates, own, words, led)
    )
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
        "evidence": printed_evidence(index, ranked, bool(state["options"])) or state["evidence"]
        if context.as_printed
        else _evidence(index, began, context),
    }


def _read(
    index: Index,
    graph: EntityPart,
    candidates: Iterable[CandidateEntity],
    vector: NDArray[np.float32],
) -> dict[str, ReadPassage]:
    """The passages of the candidates; of very many the nearest to the question."""
    every = (id for candidate in candidates for id in graph.passages_of(candidate["entity"]))
    cosines = cosines_with(index, vector, list(dict.fromkeys(every)))
    nearest = sorted(cosines, key=lambda id: (-cosines[id], id))[:_MOST_PASSAGES]
    return {
        passage["id"]: ReadPassage(
            normalised(passage["title"]), passage_keywords(passage), cosines[passage["id"]]
        )
        for passage in index.catalogue.passages(nearest)
    }


def _evidence(index: Index, state: Tog2State, context: Tog2Context) -> list[Evidence]:
    """The ``top_k`` best passages: those that the retriever found, fused with the walk's.

    The best passage of the entities that this round reached is there in any case. The texts that an
    earlier method cited go before all; since it has read what the retriever puts first, the
    passages that the walk reached then weigh as much.
    """
    most, held = context.top_k, state["held"]
    cited = cited_evidence(held)[:most]
    at_hand = {text["id"] for text in cited}
    retrieved = list(state["ranked"])[: _FUSED * most]
    if best_retriever(index, context.retriever) == "graph" and not held["evidence"]:
        ranked = fuse_behind_lead(retrieved, _best(state["reached"]))
    else:
        walked = _best(state["reached"] if held["evidence"] else state["relevance"])
        rankings = [walked[: _FUSED * most], retrieved]
        ranked = [id for id, _ in reciprocal_rank_fusion(rankings, [1.0, 1.0])]
    newest = [one["passage"] for one in state["context"][:1] if state["options"]]
    best = [id for id in ranked if id not in at_hand][: most - len(cited)]
    kept = [id for id in dict.fromkeys([*best, *newest]) if id not in at_hand]
    found = {passage["id"]: passage["found"] for passage in state["evidence"]}
    new = "path" if state["options"] else "topic"

    def how(id: str) -> str:
        known = found.get(id, "retrieved")
        return new if known == "retrieved" and id in state["relevance"] else known

    passages = index.catalogue.passages(kept)
    rest = [Evidence(**one, score=0.0, found=how(one["id"])) for one in passages]
    texts = enumerate([*cited, *rest], start=1)
    return [{**text, "score": round(1 / place, 6)} for place, text in texts]


def _best(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda id: (-scores[id], id))


def _ends(steps: Iterable[Triple]) -> list[str]:
    return [end for step in steps for end in (step["source"], step["target"])]


def _is_there(graph: EntityPart, entity: str, steps: Sequence[Triple]) -> bool:
    """Whether no run has removed an entity of a path since it was walked."""
    return graph.entities.keys() >= {entity, *_ends(steps)}


def _edge(step: Triple) -> EntityEdge:
    return EntityEdge(step["edge"], step["source"], step["phrase"], step["target"])


def _walked(
    graph: EntityPart,
    finished: int,
    entity: str,
    steps: Sequence[Triple],
    sources: Mapping[str, SourceSentence],
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
        for source in [sources.get(step["edge"], SourceSentence("", ""))]
    ]
    name = graph.name_of(entity)
    return {"round": finished, "entity": entity, "name": name, "triples": triples}
