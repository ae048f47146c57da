"""What an index holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from ..algorithms.hoprag.graph import HopGraph
from ..index.hops import stored_hops
from ..index.layers import layers_of, read_for
from ..index.opening import Index
from ..index.recorded import readers_of, unread_places
from ..stores.queries import batches

_BATCH = 1000


def describe(index: Index, *, list_documents: bool = False) -> dict[str, Any]:
    """Sizes, settings, layers and failures of an index. Blocks."""
    catalogue = index.catalogue
    passages = catalogue.passage_ids()
    vectors = index.vectors.ids("passages")
    described: dict[str, Any] = {
        "index": str(index.folder),
        "documents": catalogue.count_documents(),
        "passages": len(passages),
        "without_vector": len(passages - vectors),
        "embeddings": catalogue.property("embeddings"),
        "passage_tokens": (catalogue.property("passage_size") or [None])[0],
        "layers": (layers := layers_of(index)),
        "replies": index.replies.count(),
        "failures": [
            {"path": row["place"], "reason": row["reason"]} for row in catalogue.failures()
        ],
    }
    if read_for(layers):
        reader = catalogue.property("reader")
        described["reader"] = reader
        readers = readers_of(layers, reader, catalogue.property("extraction"))
        for kind, wanted in readers.items():
            described[f"unread_{kind}"] = len(index.readings.missing(kind, wanted))
        described["failures"] += unread_places(index, list(readers))
    if "entities" in layers:
        described |= index.entities.counts()
    if "communities" in layers:
        described["communities"] = index.communities.count()
    if list_documents:
        described["document_list"] = [dict(document) for document in catalogue.documents()]
    return described


def export_lines(index: Index) -> Iterator[str]:
    """Settings, documents, passages and layers of an index as JSON lines, in a fixed order."""
    catalogue = index.catalogue
    for name in ("embeddings", "passage_size"):
        yield json.dumps({"kind": "property", "name": name, "value": catalogue.property(name)})
    for document in catalogue.documents():
        yield json.dumps({"kind": "document", **document}, ensure_ascii=False)
    for passage in catalogue.all_passages():
        yield json.dumps({"kind": "passage", **passage}, ensure_ascii=False)
    for id, questions in index.readings.values("questions"):
        yield json.dumps({"kind": "questions", "passage": id, **questions}, ensure_ascii=False)
    layers = layers_of(index)
    if "hops" in layers:
        yield from _hop_lines(stored_hops(index))
    if "entities" in layers:
        yield from map(partial(json.dumps, ensure_ascii=False), _entity_lines(index))
    if "communities" in layers:
        yield from map(partial(json.dumps, ensure_ascii=False), _community_lines(index))


def _entity_lines(index: Index) -> Iterator[dict[str, Any]]:
    """What was found in each passage, the entities and relations made of it, and corrections."""
    store = index.entities
    for passage, facts in index.readings.values("facts"):
        yield {"kind": "facts", "passage": passage, **facts}
    for entities in batches(store.all_entities(), _BATCH):
        ids = [entity.id for entity in entities]
        aliases, passages = store.aliases_of(ids), store.passages_of(ids)
        for entity in entities:
            own = {"aliases": aliases.get(entity.id, []), "passages": passages.get(entity.id, [])}
            yield {"kind": "entity", **entity._asdict(), **own}
    for relations in batches(store.all_relations(), _BATCH):
        passages = store.relation_passages_of(relation.id for relation in relations)
        for relation in relations:
            stated = {"passages": passages.get(relation.id, [])}
            weight = round(relation.weight, 6)
            yield {"kind": "relation", **relation._asdict(), "weight": weight, **stated}
    for correction in store.corrections():
        yield {"kind": "correction", **correction._asdict()}


def _community_lines(index: Index) -> Iterator[dict[str, Any]]:
    for community in index.communities.all():
        members = index.communities.members_of(community.id)
        yield {"kind": "community", **community._asdict(), "members": members}


def _hop_lines(graph: HopGraph) -> Iterator[str]:
    for edge, (source, target) in enumerate(
        zip(graph.edges.source, graph.edges.target, strict=True)
    ):
        hop = {
            "kind": "hop",
            "source": graph.ids[source],
            "target": graph.ids[target],
            "raised": graph.raised(edge),
            "question": graph.answered(edge),
            "similarity": round(float(graph.edges.similarity[edge]), 6),
        }
        yield json.dumps(hop, ensure_ascii=False)
