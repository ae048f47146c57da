"""What an index holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .opening import Index


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
        "layers": catalogue.property("layers") or [],
        "replies": index.replies.count(),
        "failures": [
            {"path": row["place"], "reason": row["reason"]} for row in catalogue.failures()
        ],
    }
    if list_documents:
        described["document_list"] = [dict(document) for document in catalogue.documents()]
    return described


def export_lines(index: Index) -> Iterator[str]:
    """The settings, documents and passages of an index as JSON lines, in a fixed order."""
    catalogue = index.catalogue
    for name in ("embeddings", "passage_size"):
        yield json.dumps({"kind": "property", "name": name, "value": catalogue.property(name)})
    for document in catalogue.documents():
        yield json.dumps({"kind": "document", **document}, ensure_ascii=False)
    for passage in catalogue.all_passages():
        yield json.dumps({"kind": "passage", **passage}, ensure_ascii=False)
