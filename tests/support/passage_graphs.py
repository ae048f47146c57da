"""Passage graphs of given passages."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from ragraphs.algorithms.linear_rag.building import linked
from ragraphs.algorithms.linear_rag.passage_graph import WholeGraph
from ragraphs.algorithms.linear_rag.passage_records import PassageRecord


def build_graph(records: Iterable[PassageRecord]) -> WholeGraph:
    """The graph of ``records``; the passages keep their order. Linear in their mentions."""
    records = list(records)
    return linked(None, np.full(len(records), -1), records)
