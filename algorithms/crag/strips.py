"""Corrective RAG (Yan et al. 2024, arXiv 2401.15884): verdict and knowledge refinement."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ...language.analyser import sentences
from ...state.crag import Verdict
from ...state.records import Evidence

_WHOLE = 2


def verdict(scores: Sequence[float], upper: float, lower: float) -> Verdict:
    """The verdict on a retrieval, from the grades in [−1, 1] of its passages (CRAG §4.3).

    Any score ≥ ``upper``: correct; all scores < ``lower``, or none at all: incorrect; otherwise
    ambiguous.
    """
    if any(score >= upper for score in scores):
        return "correct"
    return "incorrect" if all(score < lower for score in scores) else "ambiguous"


def decompose(passage: Evidence, size: int) -> list[Evidence]:
    """The strips of a passage: itself if it has one or two sentences, else ``size`` at a time.

    Each strip keeps the passage's id; its ``start`` and ``end`` are characters of the document.
    A heading goes with the sentences below it, other text that is no sentence with those before.
    """
    text = passage["text"]
    spans = sentences(text)
    if len(spans) <= _WHOLE:
        return [passage]
    cuts = zip(spans[size - 1 :: size], spans[size::size], strict=False)
    headings = ((text.find("\n#", a.end, b.start) + 1, b.start) for a, b in cuts)
    starts = [0, *(heading or start for heading, start in headings), len(text)]
    strips: list[Evidence] = []
    for start, stop in pairwise(starts):
        end = start + len(text[start:stop].rstrip())
        strips.append(
            {
                **passage,
                "text": text[start:end],
                "start": passage["start"] + start,
                "end": passage["start"] + end,
            }
        )
    return strips


def recompose(
    strips: Sequence[Evidence], scores: Sequence[float], cut: float, most: int
) -> list[Evidence]:
    """The ``most`` best strips that score above ``cut``, in document order.

    Documents stay in the order in which they came.
    """
    kept = [place for place, score in enumerate(scores) if score > cut]
    best = sorted(kept, key=lambda place: (-scores[place], place))[:most]
    documents = list(dict.fromkeys(strip["document"] for strip in strips))
    best.sort(
        key=lambda place: (documents.index(strips[place]["document"]), strips[place]["start"])
    )
    return [{**strips[place], "score": scores[place]} for place in best]
