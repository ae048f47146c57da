"""What an index holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..algorithms.hop_graph import HopGraph
from .hops_layer import stored_hops
from .opening import Index
from .read_passages import unread_places
from .scan import READ_LAYERS


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
        "layers": (layers := catalogue.property("layers") or []),
        "replies": index.replies.count(),
        "failures": [
            {"path": row["place"], "reason": row["reason"]} for row in catalogue.failures()
        ],
    }
    if READ_LAYERS.intersection(layers):
        reader = catalogue.property("reader")
        described["reader"] = reader
        described["unread"] = len(index.readings.missing("questions", reader))
        described["failures"] += unread_places(index)
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
    if "hops" in (catalogue.property("layers") or []):
        yield from _hop_lines(stored_hops(index))


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
