"""The graph that a question walks over, with the vectors that it is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..half_vectors import half_products
from ..spans import spans
from .passage_graph import WholeGraph
from .walk import Similarities

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class LoadedGraph:
    """The graph of an index with its vectors; rows in the order of ``ids``.

    Where ``is_flat``, the vectors lie in mapped files, of half the precision, and a question is to
    be compared with those alone that it touches. ``lacked_at`` is the moment of a run at which some
    vectors were not there.
    """

    ids: NDArray[np.str_]
    id_order: NDArray[np.int64]
    graph: WholeGraph
    passages: NDArray[Any]
    sentences: NDArray[Any]
    is_flat: bool = False
    lacked_at: list[Any] | None = None

    def places_of(self, ids: Sequence[str]) -> NDArray[np.int32]:
        """The rows of the passages ``ids`` in the graph, each once; others are left out."""
        wanted = np.array(ids, dtype=self.ids.dtype)
        at = np.searchsorted(self.ids, wanted, sorter=self.id_order).clip(max=len(self.ids) - 1)
        places = self.id_order[at]
        return np.unique(places[self.ids[places] == wanted]).astype(np.int32)

    def compared(
        self, places: NDArray[np.int32], question: NDArray[np.float32], rest: NDArray[np.float32]
    ) -> Similarities:
        """The cosines of the passages ``places`` and their sentences, where it ``is_flat``."""
        rows = spans(self.graph.first_sentence[places], self.graph.sentence_counts[places])
        both = half_products(self.sentences[rows], np.stack([question, rest]))
        passages = half_products(self.passages[places], question[None])
        return Similarities(passages[:, 0], both[:, 0], both[:, 1])
