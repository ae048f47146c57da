"""Finding the passages of an index that are nearest to a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from ..algorithms.fusion import reciprocal_rank_fusion, score_fusion
from ..context import RetrieverName
from ..models.query_vectors import embed_queries
from ..state.filters import matches
from ..state.records import Evidence, Metadata
from .dating import of_time, time_wanted
from .documents import weighed_by_documents
from .layers import SENTENCES
from .narrowed_vectors import nearest_allowed
from .narrowing import narrowed
from .opening import Index
from .vector_worth import worth_for

_DEPTH = 100
_NEAR = 60
# What is measured of 64 sentences may be chance: three of them are worth 0.14.
_LEAST_WORTH = 0.15
_NEXT_TO_NOTHING = 0.001  # vectors that repeat the words only order what these leave equal


def search(
    index: Index,
    question: str,
    retriever: Literal["auto", RetrieverName],
    most: int,
    where: Mapping[str, Any] | None = None,
) -> list[Evidence]:
    """At most ``most`` passages for ``question``, best first. Blocks; raises RagraphsError.

    ``auto`` is the best retriever that the index has the layers for. Given ``where``, only passages
    whose metadata meets this filter are found. Where the question names a time, documents of this
    date go before others.
    """
    index = narrowed(index, where)
    return read_ranked(index, ranking(index, question, retriever, most), question)


def ranking(
    index: Index, question: str, retriever: Literal["auto", RetrieverName], most: int
) -> dict[str, float]:
    """The scores of at most ``most`` passages for ``question`` by id, best first. Blocks.

    For a caller that reads a few of them; else as ``search``.
    """
    retriever = best_retriever(index, retriever)
    wanted = time_wanted(index, question)
    ranked = _ranked(index, question, retriever, max(most, _DEPTH))
    if wanted is not None:
        part = of_time(index, wanted)
        dated = _ranked(part, question, retriever, max(most, _DEPTH))
        # A question in another language than the documents shares no word with them.
        dated = dated or [(id, 0.0) for id in sorted(part.catalogue.passage_ids())[:_DEPTH]]
        lists = [[id for id, _ in ids] for ids in (dated, ranked)]
        ranked = reciprocal_rank_fusion(lists, [wanted.weight, 1.0])
    return dict(ranked[:most])


def _ranked(
    index: Index, question: str, retriever: RetrieverName, most: int
) -> list[tuple[str, float]]:
    if retriever == "hybrid" and worth_for(index, question) < _LEAST_WORTH:
        words = dict(_ranked(index, question, "lexical", most))
        near = _ranked(index, question, "vector", most)
        return [*words.items(), *((id, 0.0) for id, _ in near if id not in words)][:most]
    found = _by_passages(index, question, retriever, most)
    ranked = weighed_by_documents(index, question, found, retriever)
    is_lost = retriever == "graph" and not ranked  # a run changes all that can be walked over
    return _ranked(index, question, "hybrid", most) if is_lost else ranked


def _by_passages(
    index: Index, question: str, retriever: RetrieverName, most: int
) -> list[tuple[str, float]]:
    if retriever == "vector":
        return _nearest(index, question, most)
    if retriever == "graph":
        return walk_from(index, question, most)
    if retriever == "lexical":
        return index.catalogue.search_terms(question, most)
    worth = worth_for(index, question) if index.embedder.semantic else _NEXT_TO_NOTHING
    words, near = index.catalogue.search_terms(question, most), _nearest(index, question, most)
    # Texts are somewhat alike, while most share no word with a question.
    above = [(id, score - near[-1][1]) for id, score in near]
    return score_fusion([words, above], [1.0, worth])


def read_ranked(index: Index, scores: Mapping[str, float], question: str) -> list[Evidence]:
    """The passages whose ``scores`` are given by id, in the same order. Blocks.

    They are found by ``date`` where it is the one that ``question`` names.
    """
    wanted = time_wanted(index, question)

    def how(metadata: Metadata) -> str:
        return "date" if wanted and matches(metadata, wanted.where) else "retrieved"

    return [
        {**passage, "score": scores[passage["id"]], "found": how(passage["metadata"])}
        for passage in index.catalogue.passages(list(scores))
    ]


def best_retriever(index: Index, retriever: Literal["auto", RetrieverName]) -> RetrieverName:
    """``retriever``, or for ``auto`` the best one that ``index`` has the layers for."""
    if retriever == "auto":
        return "graph" if SENTENCES.is_built(index) else "hybrid"
    return retriever


def _nearest(index: Index, question: str, most: int) -> list[tuple[str, float]]:
    vector = embed_queries(index.embedder, [question])[0]
    return nearest_allowed(index, vector[None], most)[0]


def walk_from(index: Index, question: str, most: int) -> list[tuple[str, float]]:
    """The ids of at most ``most`` passages with their scores, best first. Blocks.

    Where a filter narrows the index, the walk stays among its passages. In a large index it goes
    over the part that the question touches. Raises RagraphsError where the index has no sentences
    layer.
    """
    from ..algorithms.linear_rag.neighbourhood import rank_near
    from ..algorithms.linear_rag.question import read_question
    from ..algorithms.linear_rag.walk import BridgingSettings, rank, similarities
    from .sentences import allowed_places, load_graph

    loaded = load_graph(index)
    graph = loaded.graph
    if not loaded.sentences.shape[1]:  # there is no passage, or the vectors of none are there yet
        return []
    parts = read_question(graph, question)
    asked = embed_queries(index.embedder, [question, parts.rest or question])
    worth = worth_for(index, question)
    # Words repeat a part of the meaning where the vectors tell it.
    words = 1 - 0.6 * worth if index.embedder.semantic else 1.0
    settings = BridgingSettings(lexical_weight=words, vector_weight=worth)
    if not graph.has_titled_pages:  # a part of a long text is not what its title names
        settings = replace(settings, unled=1.0, named=0.5)
    allowed = allowed_places(index)
    if loaded.is_flat:
        found = nearest_allowed(index, asked, max(_NEAR, most))
        near = loaded.places_of([id for each in found for id, _ in each])
        compare = partial(loaded.compared, question=asked[0], rest=asked[1])
        places, scores = rank_near(graph, parts, near, compare, settings, allowed)
    else:
        cosines = similarities(loaded.passages, loaded.sentences, asked[0], asked[1])
        of_all = rank(graph, parts, cosines, settings, allowed)
        places = (-of_all).argsort(kind="stable").astype("int32")
        if allowed is not None:
            places = places[allowed[places]]
        scores = of_all[places]
    best = zip(places[:most].tolist(), scores[:most].tolist(), strict=True)
    return [(str(loaded.ids[place]), score) for place, score in best]
