"""The documents of passages that were found, read as wholes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from ..algorithms.closeness import closest_first
from ..algorithms.documents import WholeDocument, lifted, nearer_first
from ..algorithms.repeats import PlacedText, without_repeats
from ..context import RetrieverName
from ..language.analyser import terms
from ..models.query_vectors import embed_queries
from ..offline.lines import asked_marks, telling_words
from ..state.places import section_of
from ..state.records import Passage
from .opening import Index
from .sentences import load_graph
from .vector_worth import worth_for
from .vectors import cosines_with

_DEPTH = 50
# Of the passages found, for a walk; else they are titled pages, from name to name of which it led.
_MOST = 0.5
# The nearest of the passages to which a walk led, against 1 for the walk.
_NEAREST_WEIGHT = 0.15


def weighed_by_documents(
    index: Index, question: str, ranked: list[tuple[str, float]], retriever: RetrieverName
) -> list[tuple[str, float]]:
    """``ranked`` passages, of which the first ones are lifted by what their documents say.

    In a long document those change places in which more words of the question stand together. One
    that is gone, or repeats better ones under the same title and date, is left out. Blocks.
    """
    found = {one["id"]: one for one in index.catalogue.passages([id for id, _ in ranked[:_DEPTH]])}
    if any(id not in found for id, _ in ranked[:_DEPTH]):
        stored = {one["id"] for one in index.catalogue.passages([id for id, _ in ranked])}
        there = [one for one in ranked if one[0] in stored]
        return weighed_by_documents(index, question, there, retriever)
    texts = {
        id: PlacedText((one["title"], str(one["metadata"].get("date"))), one["text"])
        for id, one in found.items()
    }
    ranked = _lifted(index, question, ranked, retriever, found)
    if retriever in {"graph", "hybrid"}:
        ranked = closest_first(ranked, found, asked_marks(telling_words(question)))
    return without_repeats(ranked, texts)


def _lifted(
    index: Index,
    question: str,
    ranked: list[tuple[str, float]],
    retriever: RetrieverName,
    found: Mapping[str, Passage],
) -> list[tuple[str, float]]:
    """``ranked``, lifted: the less, the more of the passages found are all that a document says.

    By as much, passages that are near the question go before others to which a walk led: names
    lead from page to page of an encyclopedia, and tell little within a manual.
    """
    first = index.catalogue.beginnings({one["document"] for one in found.values()})
    found = {id: one for id, one in found.items() if one["document"] in first}  # not removed since
    beginnings = dict.fromkeys(id for id, _, _ in first.values())
    several = {one["document"] for id, one in found.items() if id not in beginnings}
    document_of = {id: one["document"] for id, one in found.items()}
    share = sum(document in several for document in document_of.values()) / max(1, len(found))
    walks = retriever == "graph"
    if not several or (walks and share < _MOST):
        return ranked
    is_repeated = not index.embedder.semantic and retriever != "vector"
    near: dict[str, float] = {}
    if retriever != "lexical":
        compared = [*beginnings, *(found if walks or is_repeated else ())]
        near = _near(index, question, [*dict.fromkeys(compared)], retriever)
    told = _told(document_of, near) if is_repeated else {}
    under: dict[str, dict[str, None]] = {document: {} for document in first}
    for one in found.values():
        under[one["document"]].update(dict.fromkeys(_headings(one)))
    documents = {
        document: WholeDocument(
            _terms(title),
            [*_terms(text), *(term for path in under[document] for term in _terms(path))],
            told.get(document, near.get(id, 0.0)),
        )
        for document, (id, title, text) in first.items()
    }
    high = [pair for pair in ranked[:_DEPTH] if pair[0] in document_of]
    worth = worth_for(index, question) if index.embedder.semantic else 1.0
    again = lifted(high, document_of, documents, terms(question), share, worth)
    if walks:
        weight = _NEAREST_WEIGHT * share * worth_for(index, question)
        again = nearer_first(again, near, weight)
    least = again[-1][1]
    return [*again, *((id, min(score, least)) for id, score in ranked[_DEPTH:])]


def _told(document_of: Mapping[str, str], near: Mapping[str, float]) -> dict[str, float]:
    """The sum of the cosines of each document's passages, of which the j-th counts 1/j.

    Beside BM25, cosines that repeat its words tell nothing more of a document's beginning.
    """
    told, seen = dict[str, float](), Counter[str]()
    for id in sorted(document_of, key=lambda id: -near.get(id, 0.0)):
        seen[document := document_of[id]] += 1
        told[document] = told.get(document, 0.0) + near.get(id, 0.0) / seen[document]
    return told


def _near(index: Index, question: str, ids: list[str], by: RetrieverName) -> dict[str, float]:
    """The cosines of the passages ``ids`` with ``question``; a walk has their vectors at hand."""
    import numpy as np

    vector = embed_queries(index.embedder, [question])[0]
    if by != "graph" or (walked := load_graph(index)).is_flat:
        return cosines_with(index, vector, ids)
    places = walked.places_of(ids)
    cosines = np.einsum("pd,d->p", walked.passages[places], vector).tolist()
    return dict(zip(walked.ids[places].tolist(), cosines, strict=True))


def _headings(passage: Passage) -> Iterable[str]:
    yield section_of(passage["title"], passage["metadata"])
    for turn in passage.get("turns", ()):
        yield section_of(passage["title"], turn["metadata"])


@lru_cache(maxsize=10_000)
def _terms(text: str) -> Sequence[str]:
    """The terms of a text that questions meet again and again."""
    return tuple(terms(text))
