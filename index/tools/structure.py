"""Tools that read the structure of the texts: entities, questions to hop along, reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import Field

from ...language.analyser import one_line
from ...language.mentions import normalised
from ...language.support import CitablePassage, cite_point
from ...models.query_vectors import embed_queries
from ...state.errors import RagraphsError
from ...stores.entities import StoredEntity
from ..communities import CommunityView, load_communities
from ..entities import EntityPart, linked_topics, read_entities
from ..hops import load_hops
from ..layers import ENTITIES
from ..narrowing import narrowed
from ..opening import Index
from ..report_material import passages_of
from ..triple_sources import described, sources_of
from ..vectors import owner_of
from .tool import (
    MOST_TOKENS,
    Name,
    Tokens,
    ToolPart,
    ToolResult,
    TopK,
    Where,
    Words,
    excerpt,
    fitted,
    known_passage,
    of_passage,
    reading_tool,
)

_NAMESAKES = 3
_SENTENCE = 80  # tokens of a passage that only mentions an entity
_NEAR = 50


@reading_tool("Look up an entity", needs="entities")
def look_up(
    index: Index,
    query: Annotated[Words, Field(description="Name or id of a person, place or other thing.")],
    top_k: TopK = 10,
    where: Where = None,
    tokens: Tokens = MOST_TOKENS,
) -> ToolResult:
    """Looks up an entity: what it is, its relations with the sentences that state them, passages.

    Relations come heaviest first. Needs the layer entities.
    """
    part = narrowed(index, where)
    ENTITIES.stamp(part)
    found = _named(part, query)
    near = read_entities(part, found, relations=True, passages_near=())
    parts = [one for id in found for one in _told_of(part, near, near.entities[id], top_k)]
    left = "" if parts else "No entity has that name; search_words finds it in the texts."
    return fitted(parts, tokens, left)


@reading_tool("Walk on from a passage", needs="hops")
def walk(
    index: Index,
    passage: Annotated[Name, Field(min_length=1, description="Id of the passage to start from.")],
    query: Annotated[
        Name, Field(description="Question that decides what comes first; empty: the best hops.")
    ] = "",
    top_k: TopK = 8,
    where: Where = None,
    tokens: Tokens = MOST_TOKENS,
) -> ToolResult:
    """Walks from a passage along the questions that it raises, to passages that answer them.

    Each hop has the question raised, the question answered, and the id of the passage there. Needs
    the layer hops.
    """
    part = narrowed(index, where)
    hops = load_hops(part)
    known_passage(part, passage)
    edges = list(hops.out_edges(passage))
    if query:
        promised = dict(zip(edges, hops.ask(query).promises(edges).tolist(), strict=True))
        edges.sort(key=lambda edge: -promised[edge])
    targets = {edge: hops.target(edge) for edge in edges}
    known = {one["id"]: one for one in part.catalogue.passages(list(targets.values()))}
    parts = [
        of_passage(
            known[targets[edge]],
            f"raised: {hops.graph.raised(edge)}\nanswered: {hops.graph.answered(edge)}",
        )
        for edge in edges
        if targets[edge] in known
    ]
    rest = len(parts) - top_k
    left = f"More hops: {rest}; a higher top_k shows them." if rest > 0 else ""
    return fitted(parts[:top_k], tokens, left if parts else "No hop leaves this passage.")


@reading_tool("Read reports", needs="communities")
def report(
    index: Index,
    query: Annotated[
        Name, Field(description="Question that reports are looked for by; empty: the largest.")
    ] = "",
    community: Annotated[Name, Field(description="Or the id of one community, to read it.")] = "",
    top_k: TopK = 3,
    where: Where = None,
    tokens: Tokens = MOST_TOKENS,
) -> ToolResult:
    """Reads reports on communities of entities, each of which sums up a part of the documents.

    By a question the nearest ones; by id one, with its findings, their passages, and the
    communities within it. Use it for themes and overviews. Needs the layer communities.
    """
    if where or index.whole is not None:
        raise RagraphsError(
            "Reports are written from all documents; leave the filter out, or use search_meaning."
        )
    view = load_communities(index)
    if community:
        if community not in view.communities:
            raise RagraphsError(
                f"There is no community {community!r:.80}; search for reports first."
            )
        return fitted(_findings(index, view, community), tokens)
    if query:
        vector = embed_queries(index.embedder, [query])[0]
        near = (owner_of(id) for id, _ in index.vectors.search("reports", vector, _NEAR))
        ids = [id for id in dict.fromkeys(near) if id in view.communities]
    else:
        ids = sorted(view.at(0), key=lambda id: -view.communities[id].size)
    parts = [_summary(view, id, told["summary"]) for id, told in view.reports(ids[:top_k])]
    left = f"Communities in all: {len(view.communities)}; report with an id shows one in full."
    return fitted(parts, tokens, left)


def _named(index: Index, query: str) -> list[str]:
    """The entities called ``query``, by id or name, else those nearest to it, at most three."""
    store, name = index.entities, normalised(query) or query
    exact = [*store.get([query]), *store.named([name]).get(name, [])]
    within = [entity.id for entity, _ in store.largest(_NAMESAKES, name)] if not exact else []
    found = exact or within or [one["entity"] for one in linked_topics(index, query)]
    return list(store.get(dict.fromkeys(found)))[:_NAMESAKES]


def _told_of(index: Index, near: EntityPart, entity: StoredEntity, most: int) -> Iterable[ToolPart]:
    edges = near.relations_of(entity.id)
    spoken = index.entities.passages_of([entity.id], most + 1).get(entity.id, [])
    names = [one for one in index.entities.aliases_of([entity.id]).get(entity.id, ())]
    also = [one for one in names if one != entity.name][:5]
    more = " or more" * (len(spoken) > most)
    counted = f"Relations: {len(edges)}; passages: {len(spoken)}{more}."
    yield {
        "id": entity.id,
        "kind": "entity",
        "place": f"{entity.name} ({entity.type})" if entity.type else entity.name,
        "text": " ".join(
            filter(None, [entity.description, f"Also: {', '.join(also)}." if also else "", counted])
        ),
    }
    told, sources = described(index, near, edges[:most]), sources_of(index, edges[:most])
    stating = {source.passage for source in sources.values()}
    shown = [*stating, *(id for id in spoken[:most] if id not in stating)]
    passages = {one["id"]: one for one in index.catalogue.passages(shown)}
    for edge in edges[:most]:
        if edge.id in told and sources[edge.id].passage in passages:
            yield of_passage(passages[sources[edge.id].passage], told[edge.id])
    for id in spoken[:most]:
        if id in passages and id not in stating:
            text = excerpt(passages[id]["text"], entity.name, _SENTENCE)
            yield of_passage(passages[id], text)


def _summary(view: CommunityView, id: str, text: str) -> ToolPart:
    one = view.communities[id]
    place = f"{one.title} (level {one.level}, {one.size} entities)"
    return {"id": id, "kind": "community", "place": place, "text": text}


def _findings(index: Index, view: CommunityView, id: str) -> Sequence[ToolPart]:
    """The report on a community, each finding at the passage that states it, and what is within."""
    told = view.report(id)
    passages = {one["id"]: one for one in index.catalogue.passages(list(passages_of(told)))}
    parts = [_summary(view, id, one_line(told["summary"]))]
    for finding in told["findings"]:
        rests_on = [passages[one] for one in finding["passages"] if one in passages]
        texts = [CitablePassage(one["id"], one["title"], one["text"]) for one in rests_on]
        said = cite_point(finding["statement"], texts, most=1) if texts else []
        stating = passages[said[0].passage] if said else next(iter(rests_on), None)
        if stating is not None:
            parts.append(of_passage(stating, finding["statement"]))
        else:
            parts.append({**parts[0], "text": finding["statement"]})
    within = sorted(view.children.get(id, ()), key=lambda one: -view.communities[one].size)
    return [*parts, *(_summary(view, one, "") for one in within)]
