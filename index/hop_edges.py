"""Making the hops layer: the vectors of questions, and the edges between passages (HopRAG)."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algorithms.hoprag.candidates import AskedOften, Candidates
from ..algorithms.hoprag.carried import (
    carried_keywords,
    carried_pairs,
    keywords_to_arrays,
    pairs_to_arrays,
)
from ..algorithms.hoprag.edge_index import EdgeIndex
from ..algorithms.hoprag.edges import Edges, joined
from ..algorithms.hoprag.graph import (
    AskedPassage,
    Questioned,
    exact_pairs,
    graph_of,
    hops_to_arrays,
    questioned,
)
from ..algorithms.hoprag.keyword_index import Ints, KeywordIndex, KeywordSets
from ..algorithms.hoprag.neighbours import MeaningNeighbours, Neighbours, WordNeighbours
from ..context import Context
from ..models.embeddings import identity
from ..stores.arrays import Scratch
from ..stores.queries import batches
from .layers import HOPS, Arrays
from .opening import Index
from .progress import progress_of
from .size import is_large
from .vectors import keep_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

_READ = 1024  # vectors at a time
_COMPARED = 128  # questions at a time


def question_id(question: str) -> str:
    """The id of a question among the vectors: the same text has the same one."""
    return hashlib.blake2b(question.encode(), digest_size=12).hexdigest()


async def embed_questions(index: Index, context: Context) -> None:
    """Gives every distinct question its vector, and takes away those that nobody asks any more."""
    texts = await asyncio.to_thread(_questions, index)
    await asyncio.to_thread(index.questions.remove_damaged)
    await keep_vectors(
        index,
        context,
        sorted(texts),
        index.questions.ids,
        index.questions.remove,
        lambda ids: [(id, texts[id]) for id in ids],
        _embed_batch,
        progress_of("embed_questions"),
    )


def _embed_batch(index: Index, questions: Sequence[tuple[str, str]]) -> None:
    ids = [id for id, _ in questions]
    index.questions.add(ids, index.embedder.embed([text for _, text in questions]))


def _questions(index: Index) -> dict[str, str]:
    """Every distinct question by its id."""
    return {
        question_id(question): question
        for _, value in index.readings.values("questions")
        for question in (*value["incoming"], *value["outgoing"])
    }


def merge_edges(index: Index) -> None:
    """Joins each passage to those that answer what it asks (HopRAG, edge merging). Blocks.

    This is done if any passage's questions have changed since, or the embeddings. A question whose
    best answer is still there is compared with new ones alone. Of a large index, all are compared,
    each with its nearest neighbours.
    """
    parts = index.readings.stamp("questions"), identity(index.embedder.name), is_large(index)
    HOPS.renew(index, make_hops, *parts)


def make_hops(index: Index, scratch: Scratch) -> Arrays:
    """The arrays of the layer. Blocks; raises IncompleteIndexError where a vector is missing."""
    asked, before = questioned(_asked_passages(index)), HOPS.before(index)
    words = carried_keywords(before, asked.questions)
    if is_large(index):
        made = _flat(index, asked, words, scratch)
    else:
        made = _exact(index, asked, words, before)
    graph = graph_of(asked, made.edges)
    both = words.unions(graph.edges.incoming, graph.edges.outgoing)
    edges = made.edges
    found = EdgeIndex(edges.source, edges.target, made.rows, made.vectors, KeywordIndex.of(both))
    carried = {**keywords_to_arrays(words), **made.carried}
    return {**hops_to_arrays(graph), **found.to_arrays(), **carried}


class _Made(NamedTuple):
    """The edges, with the row of each in ``vectors``; what the next change takes over."""

    edges: Edges
    rows: Ints
    vectors: NDArray[np.float32] | Neighbours
    carried: Arrays


def _asked_passages(index: Index) -> Iterator[AskedPassage]:
    """The passages that were read, in the order of their ids."""
    for read in batches(index.readings.values("questions")):
        passages = {each["id"]: each for each in index.catalogue.passages([id for id, _ in read])}
        for id, value in read:
            if passage := passages.get(id):
                told = passage["title"], passage["text"]
                yield AskedPassage(id, *told, value["incoming"], value["outgoing"])


def _exact(index: Index, asked: Questioned, words: KeywordSets, before: Arrays) -> _Made:
    vectors = _vectors(index, asked, range(len(asked.questions)))
    pairs = exact_pairs(asked, vectors, words, *carried_pairs(before, asked))
    edges = joined(pairs, asked.outgoing.passages, asked.incoming.passages, len(asked.ids))
    used, rows = np.unique(asked.incoming.texts[edges.incoming], return_inverse=True)
    return _Made(edges, rows, vectors[used], pairs_to_arrays(asked, pairs))


def _flat(index: Index, asked: Questioned, words: KeywordSets, scratch: Scratch) -> _Made:
    incoming, in_texts = _distinct(asked.incoming)
    outgoing, out_texts = _distinct(asked.outgoing)
    read = (_vectors(index, asked, texts) for texts in batches(in_texts, _READ))
    vectors: Neighbours
    if index.embedder.semantic:
        vectors = MeaningNeighbours.of(read, len(in_texts), scratch.empty)
    else:
        vectors = WordNeighbours.of(read)
    listed = KeywordIndex.of(words.take(np.array(in_texts, dtype=np.int64)))
    pairs = Candidates(incoming, listed, vectors).best(
        outgoing,
        (
            (_vectors(index, asked, texts), words.take(np.array(texts, dtype=np.int64)))
            for texts in batches(out_texts, _COMPARED)
        ),
    )
    edges = joined(pairs, outgoing.passages, incoming.passages, len(asked.ids))
    return _Made(edges, incoming.texts[edges.incoming], vectors, {})


def _distinct(asked: AskedOften) -> tuple[AskedOften, list[int]]:
    """``asked`` with the texts of its own direction alone, and the numbers of these."""
    texts, own = np.unique(asked.texts, return_inverse=True)
    return AskedOften(asked.passages, own, len(texts)), texts.tolist()


def _vectors(index: Index, asked: Questioned, texts: Sequence[int]) -> Any:
    return index.questions.get([question_id(asked.questions[text]) for text in texts])
