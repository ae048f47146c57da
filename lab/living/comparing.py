"""Two indexes compared: rows, arrays, vectors, and the edges of HopRAG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, get_args

import numpy as np
from ragraphs.index import hop_edges, sentences
from ragraphs.index.hops import stored_hops
from ragraphs.index.layers import HOPS, SENTENCES, Arrays, Layer, Make
from ragraphs.index.opening import Index
from ragraphs.stores import tables
from ragraphs.stores.vectors import Collection
from sqlalchemy import Table, select

ROWS = [
    tables.documents, tables.document_titles, tables.passages, tables.readings,
    tables.reading_codes,
    tables.sentence_vectors, tables.question_vectors, tables.entities, tables.descriptions,
    tables.aliases, tables.entity_passages, tables.mentions, tables.relations,
    tables.relation_passages, tables.claims, tables.merges,
    tables.merged_passages, tables.said_names, tables.related_names, tables.names,
    tables.name_forms, tables.explained_names,
]  # fmt: skip
# Communities start from the hierarchy before.
OF_COMMUNITIES = [
    tables.communities, tables.community_members, tables.report_sources,
    tables.communities_beside, tables.report_sources_beside,
]  # fmt: skip
_ALIKE = 1e-6  # of numbers that were added up in another order
_SHOWN = 200  # characters of a row that differs


class Differences(NamedTuple):
    """The parts in which two indexes differ, each in a sentence; HopRAG's edges are apart.

    ``edges`` counts the second index's, ``other_edges`` the ones that only one of the two has.
    """

    sentences: list[str]
    edges: int
    other_edges: int

    @property
    def share(self) -> float:
        """The share of HopRAG's edges that differ."""
        return self.other_edges / max(1, self.edges)


def compare(one: Index, fresh: Index, *, with_communities: bool = True) -> Differences:
    """The differences of an index from a ``fresh`` one. Blocks.

    The arrays of the layer hops are compared where the edges are the same.
    """
    compared = [*ROWS, *(OF_COMMUNITIES if with_communities else ())]
    found = [*_of_rows(one, fresh, compared), *_of_vectors(one, fresh, with_communities)]
    edges, fresh_edges = Counter(_edges(one)), Counter(_edges(fresh))
    other = ((edges - fresh_edges) + (fresh_edges - edges)).total()
    layers: list[tuple[Layer, Make]] = [(SENTENCES, sentences._link_passages)]
    layers += [] if other else [(HOPS, hop_edges.make_hops)]
    for layer, make in layers:
        built = layer.is_built(one), layer.is_built(fresh)
        if all(built):
            found += _of_arrays(layer.name, layer.load(one, make), layer.load(fresh, make))
        elif any(built):
            found.append(f"one has no layer {layer.name}")
    return Differences(found, fresh_edges.total(), other)


def rows_of(index: Index, table: Table) -> list[str]:
    """The rows of a table, in a fixed order."""
    columns = [column for column in table.columns if column.name != "number"]
    with index.engine.connect() as connection:
        return sorted(map(repr, map(tuple, connection.execute(select(*columns)))))


def _of_rows(one: Index, fresh: Index, compared: Iterable[Table]) -> Iterator[str]:
    for table in compared:
        found, expected = Counter(rows_of(one, table)), Counter(rows_of(fresh, table))
        if found != expected:
            more, fewer = found - expected, expected - found
            some = min(more or fewer)[:_SHOWN]
            yield f"{table.name}: {more.total()} rows more and {fewer.total()} fewer: {some}"


def _of_vectors(one: Index, fresh: Index, with_communities: bool) -> Iterator[str]:
    for collection in get_args(Collection):
        if collection == "reports" and not with_communities:
            continue
        found, expected = one.vectors.ids(collection), fresh.vectors.ids(collection)
        if found != expected:
            yield f"vectors of {collection}: {len(found ^ expected)} ids differ"


def _of_arrays(layer: str, found: Arrays, expected: Arrays) -> Iterator[str]:
    if found.keys() != expected.keys():
        yield f"arrays of {layer}: {', '.join(sorted(found.keys() ^ expected.keys()))}"
        return
    for name, array in expected.items():
        is_alike = np.allclose if array.dtype.kind == "f" else np.array_equal
        bounds: Any = {"atol": _ALIKE} if array.dtype.kind == "f" else {}
        if found[name].shape != array.shape or not is_alike(found[name], array, **bounds):
            yield f"arrays of {layer}: {name}"


def _edges(index: Index) -> Iterator[tuple[str, str, str]]:
    """Passages asking and answering, and the question that is answered, of every edge."""
    if not HOPS.is_built(index):
        return
    graph = stored_hops(index)
    for number in range(len(graph.edges.source)):
        source, target = graph.edges.source[number], graph.edges.target[number]
        yield graph.ids[source], graph.ids[target], graph.answered(number)
