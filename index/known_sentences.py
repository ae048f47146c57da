"""The vectors of sentences that an index holds already."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..stores.catalogue import Catalogue
    from ..stores.vector_tables import SentenceStore

CUTTING = 5  # to be raised when sentences are cut or compared otherwise
CUT = "sentences_cut"  # property: the cutting of the sentences that have vectors


def known_sentences(
    catalogue: Catalogue, sentences: SentenceStore, passages: Collection[str]
) -> dict[tuple[str, str], NDArray[np.float32]]:
    """The vectors of the sentences of ``passages``, by passage and sentence. Blocks.

    Passages lack where the sentences layer is not there, or not yet.
    """
    from ..algorithms.linear_rag.passage_records import split

    if not passages or catalogue.property(CUT) != CUTTING:
        return {}
    texts = {
        passage["id"]: split(passage["text"]) for passage in catalogue.passages(list(passages))
    }
    return {
        (found.passage, sentence): vector
        for found in sentences.of(texts)
        if len(found.vectors) == len(texts[found.passage])
        for sentence, vector in zip(texts[found.passage], found.vectors, strict=True)
    }
