"""The status of an index, and its export as JSON lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from typing_extensions import TypedDict

from ..algorithms.hoprag.graph import HopGraph
from ..index.freshness import behind, told_behind
from ..index.hierarchy import is_begun
from ..index.hops import stored_hops
from ..index.layers import LAYERS, built_layers, read_for, unfinished_layers, wanted_layers
from ..index.opening import Index
from ..index.prompt_words import outdated_readings, outdated_writing
from ..index.recorded import readers_of, unread_places
from ..models.prices import known_prices
from ..models.protocol import OFFLINE
from ..settings import settings
from ..stores.arrays import ENDING
from ..stores.queries import batches
from ..stores.table_sizes import table_sizes
from .entities import with_passages

_BATCH = 1000


class Lack(TypedDict):
    """A sentence on what an index lacks, and the command that mends it."""

    says: str
    mend: str


def describe(index: Index, *, list_documents: bool = False) -> dict[str, Any]:
    """Sizes, settings, layers, failures and lacks of an index.

    Blocks. Raises IndexNotFoundError where nothing was ever indexed.
    """
    catalogue = index.catalogue
    if (embeddings := catalogue.property("embeddings")) is None:
        _ = index.embedder  # which says so, and how to begin
    passages = catalogue.passage_ids()
    vectors = index.vectors.ids("passages")
    described: dict[str, Any] = {
        "index": index.name,
        **({"read_only": True} if index.read_only else {}),
        "documents": catalogue.count_documents(),
        "passages": len(passages),
        "without_vector": len(passages - vectors),
        "format": catalogue.property("format"),
        "embeddings": embeddings,
        "passage_tokens": (catalogue.property("passage_size") or [None])[0],
        "layers": (built := built_layers(index)),
        "unfinished_layers": (unfinished := unfinished_layers(index)),
        **({"behind": late} if (late := behind(index)) else {}),
        "missing_layers": [name for name in LAYERS if name not in (*built, *unfinished)],
        "bytes": _bytes(index),
        "replies": index.replies.count(),
        **_paid(index),
        **(_without_report(index) if "communities" in built else {}),
        "failures": [
            {"path": row["place"], "reason": row["reason"]} for row in catalogue.failures()
        ],
    }
    if read_for(wanted := wanted_layers(index)):
        _add_readings(described, index, wanted)
    for layer in LAYERS.values():
        if (reason := layer.damage(index)) is not None:
            described["failures"].append({"path": str(layer.path(index)), "reason": reason})
    described["lacks"] = list(_lacks(described))
    if "hops" in built and LAYERS["hops"].damage(index) is None:
        described |= _hop_counts(stored_hops(index))
    if "entities" in built:
        described |= index.entities.counts()
    if "communities" in built:
        described["communities"] = index.communities.count()
        described["told_communities"] = index.communities.count_told()
    if list_documents:
        described["document_list"] = [dict(document) for document in catalogue.documents()]
    return described


def _add_readings(described: dict[str, Any], index: Index, wanted: Any) -> None:
    """Adds the reader of the ``wanted`` layers, and how much it has not read, or in other words."""
    reader = described["reader"] = index.catalogue.property("reader")
    readers = readers_of(wanted, reader, index.catalogue.property("extraction"))
    for kind, label in readers.items():
        described[f"unread_{kind}"] = len(index.readings.missing(kind, label))
    outdated = outdated_readings(index, readers, reader)
    is_offline = reader == OFFLINE
    described["read_in_earlier_words"] = 0 if is_offline else outdated
    described["read_by_earlier_version"] = outdated if is_offline else 0
    described["written_in_earlier_words"] = outdated_writing(index)["replies"]
    described["failures"] += unread_places(index, list(readers))


def _hop_counts(graph: HopGraph) -> dict[str, Any]:
    """The edges of HopRAG, how many leave a passage on average and at most."""
    sources = Counter(map(int, graph.edges.source))
    edges = sources.total()
    return {
        "hops": edges,
        "hops_a_passage": round(edges / max(1, len(graph.ids)), 2),
        "most_hops": max(sources.values(), default=0),
    }


def _bytes(index: Index) -> int:
    """The size of the files of an index; in a database, of its tables."""
    if index.location.in_database:
        return sum(table_sizes(index.engine).values())
    return sum(file.stat().st_size for file in index.folder.rglob("*") if file.is_file())


def _paid(index: Index) -> dict[str, Any]:
    """The tokens that the stored replies took, and their cost in US dollars where it is known."""
    tokens = index.replies.tokens()
    if not tokens:
        return {}
    prices = known_prices(settings())
    costs = [prices.cost(model, sent=n, received=m) for model, (n, m) in tokens.items()]
    known = [cost for cost in costs if cost is not None]
    return {
        "reply_tokens": sum(sent + received for sent, received in tokens.values()),
        **({"reply_cost": round(sum(known), 6)} if len(known) == len(costs) else {}),
    }


def _without_report(index: Index) -> dict[str, int]:
    """The numbers of communities without a report, in use and of those to take their place."""
    begun = is_begun(index)
    return {
        **({"new_communities": index.communities.beside.count()} if begun else {}),
        **({"without_report": n} if (n := index.communities.count_unreported()) else {}),
    }


def _lacks(described: dict[str, Any]) -> Iterator[Lack]:
    """Deficiencies of an index, by the numbers in ``described``."""
    command = f"ragraphs index --index {described['index']}"
    if described["without_vector"]:
        yield {
            "says": f"Passages without a vector: {described['without_vector']}.",
            "mend": command,
        }
    if unfinished := described["unfinished_layers"]:
        says = f"Begun and not finished: {', '.join(unfinished)}."
        yield {"says": says, "mend": command}
    if late := told_behind(described.get("behind", {})):
        yield {"says": late, "mend": command}
    if "new_communities" in described:
        says = "Reports on the communities of a change are not finished; those of before answer."
        yield {"says": says, "mend": command}
    elif missing := described.get("without_report"):
        yield {"says": f"Communities without a report: {missing}.", "mend": command}
    for kind in ("questions", "facts"):
        if unread := described.get(f"unread_{kind}"):
            yield {"says": f"Passages not read for their {kind}: {unread}.", "mend": command}
    earlier = ("read_in_earlier_words", "written_in_earlier_words")
    if outdated := sum(described.get(name, 0) for name in earlier):
        says = f"{outdated} replies were given to a prompt's earlier words."
        yield {"says": says, "mend": f"{command} --refresh"}
    if outdated := described.get("read_by_earlier_version"):
        says = f"Passages that an earlier version of the offline reader has read: {outdated}."
        yield {"says": says, "mend": command}
    if any(failure["path"].endswith(ENDING) for failure in described["failures"]):
        yield {"says": "The file of a layer is damaged.", "mend": f"{command} --repair"}


def export_lines(index: Index) -> Iterator[str]:
    """Settings, documents, passages and layers of an index as JSON lines, in a fixed order."""
    return map(partial(json.dumps, ensure_ascii=False), _exported(index))


def _exported(index: Index) -> Iterator[dict[str, Any]]:
    catalogue = index.catalogue
    for name in ("embeddings", "passage_size"):
        yield {"kind": "property", "name": name, "value": catalogue.property(name)}
    yield from ({"kind": "document", **document} for document in catalogue.documents())
    yield from ({"kind": "passage", **passage} for passage in catalogue.all_passages())
    for passage, questions in index.readings.values("questions"):
        yield {"kind": "questions", "passage": passage, **questions}
    layers = built_layers(index)
    if "hops" in layers:
        yield from _hops(stored_hops(index))
    if "entities" in layers:
        yield from _entities(index)
    if "communities" in layers:
        yield from _communities(index)


def _hops(graph: HopGraph) -> Iterator[dict[str, Any]]:
    for edge, similarity in enumerate(graph.edges.similarity):
        yield {
            "kind": "hop",
            "source": graph.ids[graph.edges.source[edge]],
            "target": graph.ids[graph.edges.target[edge]],
            "raised": graph.raised(edge),
            "question": graph.answered(edge),
            "similarity": round(float(similarity), 6),
        }


def _entities(index: Index) -> Iterator[dict[str, Any]]:
    """The facts of each passage, the entities and relations made of them, and corrections."""
    store = index.entities
    for passage, facts in index.readings.values("facts"):
        yield {"kind": "facts", "passage": passage, **facts}
    for entity, aliases, passages in with_passages(index, store.all_entities()):
        yield {"kind": "entity", **entity._asdict(), "aliases": aliases, "passages": passages}
    for relations in batches(store.all_relations(), _BATCH):
        stated = store.relation_passages_of(relation.id for relation in relations)
        for relation in relations:
            weight, passages = round(relation.weight, 6), stated.get(relation.id, [])
            yield {
                "kind": "relation", **relation._asdict(), "weight": weight, "passages": passages
            }  # fmt: skip
    yield from ({"kind": "correction", **each._asdict()} for each in store.corrections())


def _communities(index: Index) -> Iterator[dict[str, Any]]:
    for community in index.communities.all():
        members = index.communities.members_of(community.id)
        yield {"kind": "community", **community._asdict(), "members": members}
