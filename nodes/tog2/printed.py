"""Context retrieval as the paper prints it (Think-on-Graph 2.0), for ``as_printed``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ...algorithms.tog2.walk import step_sentence
from ...index.entities import EntityPart
from ...index.opening import Index
from ...state.records import Evidence
from ...state.tog2 import CandidateEntity, RankedPassage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def printed_relevance(
    index: Index,
    graph: EntityPart,
    candidates: Sequence[CandidateEntity],
    own: Collection[str],
    vector: NDArray[np.float32],
) -> list[tuple[str, str, float]]:
    """(candidate, passage, s) for each passage of ``own`` that mentions a candidate. Blocks.

    s is the cosine of the question's ``vector`` with the embedded text [triple : passage].
    """
    texts = {
        one["id"]: f"{one['title']}\n{one['text']}" for one in index.catalogue.passages(list(own))
    }
    pairs = [
        (one["entity"], id, f"{step_sentence(graph, steps[0]) if steps else ''} {texts[id]}")
        for one in candidates
        for steps in [one["steps"]]
        for id in graph.passages_of(one["entity"])
        if id in texts
    ]
    shown = list(dict.fromkeys(text.strip() for *_, text in pairs))
    if not shown:
        return []
    cosines = dict(zip(shown, (index.embedder.embed(shown) @ vector).tolist(), strict=True))
    return [(entity, id, cosines[text.strip()]) for entity, id, text in pairs]


def printed_evidence(
    index: Index, ranked: Sequence[RankedPassage], on_a_path: bool
) -> list[Evidence]:
    """The ranked passages of the round, and nothing else. Blocks."""
    scores = {one["passage"]: round(one["score"], 6) for one in ranked}
    found = "path" if on_a_path else "topic"
    return [
        Evidence(**passage, score=scores[passage["id"]], found=found)
        for passage in index.catalogue.passages(list(scores))
    ]
