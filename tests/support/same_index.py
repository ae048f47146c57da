"""Whether two indexes hold the same rows and arrays."""

from __future__ import annotations

import numpy as np
from ragraphs.index import hop_edges, sentences
from ragraphs.index.layers import HOPS, SENTENCES
from ragraphs.index.opening import Index
from ragraphs.stores import tables
from sqlalchemy import Table, select

COMPARED = [
    tables.documents, tables.document_titles, tables.passages, tables.readings,
    tables.sentence_vectors, tables.question_vectors, tables.entities, tables.descriptions,
    tables.aliases, tables.entity_passages, tables.mentions, tables.relations,
    tables.relation_passages, tables.claims, tables.merges, tables.merged_passages,
    tables.said_names, tables.related_names, tables.names, tables.name_forms,
    tables.explained_names, tables.communities,
    tables.community_members, tables.report_sources, tables.communities_beside,
    tables.report_sources_beside,
]  # fmt: skip


def rows_of(index: Index, table: Table) -> list[str]:
    """The rows of a table, in a fixed order."""
    columns = [column for column in table.columns if column.name != "number"]
    with index.engine.connect() as connection:
        return sorted(map(repr, map(tuple, connection.execute(select(*columns)))))


def assert_same(one: Index, fresh: Index) -> None:
    """Asserts that rows, arrays and ids of vectors are the same."""
    for table in COMPARED:
        assert rows_of(one, table) == rows_of(fresh, table), table.name
    for layer, make in ((HOPS, hop_edges.make_hops), (SENTENCES, sentences._link_passages)):
        found, expected = layer.load(one, make), layer.load(fresh, make)
        assert found.keys() == expected.keys()
        for name, array in expected.items():
            if array.dtype.kind == "f":
                np.testing.assert_allclose(found[name], array, atol=1e-6, err_msg=name)
            else:
                np.testing.assert_array_equal(found[name], array, err_msg=name)
    for collection in ("passages", "entities", "reports"):
        assert one.vectors.ids(collection) == fresh.vectors.ids(collection)
