"""The edges of an index, compared with questions by SIM (HopRAG eq. 1)."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..similarity import hybrid_similarity
from ..spans import order_of
from .keyword_index import Floats, Ints, KeywordIndex, ranges
from .neighbours import Neighbours, neighbours_from_arrays

_BUDGET = 8192  # entries of keyword lists that are read for a question
_SAME = 64  # edges of one in-coming question that are compared


@runtime_checkable
class VectorRows(Protocol):
    """Vectors that need not stand in one array."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Ints) -> Floats: ...

    def __matmul__(self, vector: Floats) -> Floats: ...


class EdgeIndex:
    """The edges of an index, by number, with what questions are compared with.

    ``source`` and ``target`` (e,) are vertex numbers, the edges sorted by source; ``rows`` (e,)
    says which of the in-coming questions made each edge, and ``keywords`` (e) are the edges'
    k⁻ ∪ k⁺. ``vectors`` are the v⁻: rows (m⁻, d) where a question is compared with every edge,
    else neighbours, and only the edges that these and the rarest keywords lead to are compared.

    >>> edges = EdgeIndex(source, target, rows, vectors, KeywordIndex.of(keywords))
    >>> numbers, similarities = edges.compared({"kite", "maker"}, vector)
    >>> best = ranked(numbers, similarities)[:20]
    """

    def __init__(
        self,
        source: Ints,
        target: Ints,
        rows: Ints,
        vectors: VectorRows | Neighbours,
        keywords: KeywordIndex,
    ) -> None:
        self.source = source
        self.target = target
        self._rows = rows
        self._vectors = vectors
        self._keywords = keywords
        self._of_rows: tuple[Ints, Ints] | None = None

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> EdgeIndex:
        """The index that ``to_arrays`` wrote, beside the source and target of its edges."""
        vectors = arrays["vectors"] if "vectors" in arrays else neighbours_from_arrays(arrays)
        ends = arrays["source"], arrays["target"], arrays["rows"]
        made = cls(*ends, vectors, KeywordIndex.from_arrays(arrays))
        if "row_edges" in arrays:
            made._of_rows = arrays["row_edges"], arrays["row_ends"]
        return made

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of all but the source and target of the edges."""
        arrays: dict[str, Any] = {"rows": self._rows.astype(np.int32)}
        arrays |= self._keywords.to_arrays()
        if isinstance(self._vectors, VectorRows):
            return {**arrays, "vectors": self._vectors}
        order, ends = self._edges_of_rows()
        own = {"row_edges": order.astype(np.int32), "row_ends": ends.astype(np.int32)}
        return {**arrays, **own, **self._vectors.to_arrays()}

    def __len__(self) -> int:
        return len(self.source)

    def compared(self, keywords: AbstractSet[str], vector: Floats) -> tuple[Ints, Floats]:
        """The edges that are compared with a question q, ascending, and their SIM in [−0.5, 1]."""
        if not isinstance(self._vectors, VectorRows):
            edges = self._near(keywords, vector, self._vectors)
            return edges, self.similarity(keywords, vector, edges)
        overlaps = np.zeros(len(self), dtype=np.float32)
        if not len(self):  # without edges nobody knows how long a vector is
            return np.arange(0), overlaps
        _, sharing, shares = self._keywords.overlaps([keywords])
        overlaps[sharing] = shares
        cosines = np.clip((self._vectors @ vector)[self._rows], -1, 1)
        return np.arange(len(self)), hybrid_similarity(overlaps, cosines)

    def similarity(self, keywords: AbstractSet[str], vector: Floats, edges: Ints) -> Floats:
        """SIM(edge, q) in [−0.5, 1] of ``edges`` to a question q (HopRAG eq. 1).

        ``keywords`` and ``vector`` (d,) are k_q and v_q, compared with each edge's k⁻ ∪ k⁺ and v⁻.
        """
        first = np.zeros(len(edges), dtype=np.int64)
        overlaps = self._keywords.jaccards([keywords], first, edges)
        rows = self._rows[edges]
        if isinstance(self._vectors, VectorRows):
            cosines = self._vectors[rows] @ vector
        else:
            cosines = self._vectors.cosines(vector[None], first, rows)
        similarities: Floats = hybrid_similarity(overlaps, np.clip(cosines, -1, 1))
        return similarities

    def out_edges(self, vertex: int) -> range:
        """The numbers of the edges that leave ``vertex``."""
        wanted = self.source.dtype.type(vertex)  # of another type, all would be converted
        first = np.searchsorted(self.source, wanted, side="left")
        last = np.searchsorted(self.source, wanted, side="right")
        return range(int(first), int(last))

    def _near(self, keywords: AbstractSet[str], vector: Floats, vectors: Neighbours) -> Ints:
        """The edges whose keywords or vectors are near a question's."""
        _, sharing, _ = self._keywords.overlaps([keywords], _BUDGET)
        _, rows = vectors.nearest(vector[None])
        order, ends = self._edges_of_rows()
        lengths = np.minimum(ends[rows + 1] - ends[rows], _SAME).astype(np.int64)
        near = order[ranges(ends[rows].astype(np.int64), lengths)]
        return np.union1d(sharing, near.astype(np.int64))

    def _edges_of_rows(self) -> tuple[Ints, Ints]:
        """The edges that each in-coming question made, one after another, and where each ends."""
        if self._of_rows is None:
            counts = np.bincount(self._rows, minlength=len(self._vectors))
            self._of_rows = order_of(self._rows), np.append(0, np.cumsum(counts))
        return self._of_rows


def ranked(edges: Ints, similarities: Floats) -> Ints:
    """``edges``, which ascend, by SIM: the highest first, ties by number."""
    return edges[np.argsort(-similarities, kind="stable")]
