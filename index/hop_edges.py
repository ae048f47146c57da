"""Making the hops layer: the vectors of questions, and the edges between passages (HopRAG)."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algorithms.hoprag.candidates import AskedOften, Candidates
from ..algorithms.hoprag.carried import (
    Carried,
    ReadPassages,
    carried,
    carried_to_arrays,
    keywords_of_edges,
    new_questions,
    read_anew,
)
from ..algorithms.hoprag.edge_index import EdgeIndex
from ..algorithms.hoprag.edges import Edges, Pairs, joined
from ..algorithms.hoprag.following import followed_candidates, followed_pairs
from ..algorithms.hoprag.graph import (
    AskedPassage,
    Questioned,
    exact_pairs,
    graph_of,
    hops_to_arrays,
    questioned,
)
from ..algorithms.hoprag.keyword_index import Ints, KeywordIndex
from ..algorithms.hoprag.neighbours import MeaningNeighbours, Neighbours, WordNeighbours
from ..algorithms.hoprag.sketches import Sketches
from ..context import Context
from ..models.embeddings import identity
from ..stores.arrays import Scratch
from ..stores.moved_rows import MovedRows, followed
from ..stores.queries import batches
from .layers import HOPS, PURGING, Arrays
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
    """Gives every distinct question its vector.

    Where all of before are there, only new questions are looked for.
    """
    texts, ids = await asyncio.to_thread(_without_vectors, index)
    await keep_vectors(
        index,
        context,
        frozenset(texts),
        lambda: ids,
        index.questions.remove,
        lambda ids: [(id, texts[id]) for id in ids],
        _embed_batch,
        progress_of("embed_questions"),
    )


def _without_vectors(index: Index) -> tuple[dict[str, str], set[str]]:
    """The questions by their ids that may lack a vector, and the ids of the vectors there are.

    Vectors that were asked for before go only when the edges are made.
    """
    before, stored = HOPS.before(index), index.questions
    read = _read(index, before)
    new = new_questions(before, read, partial(_passages_by_id, index))
    if new is not None and stored.count() == len(before["questions_ends"]) - 1:
        texts = {question_id(text): text for text in new}
        return texts, stored.among(texts)
    found = _asked(index, before, read)
    stored.remove_damaged()
    wanted = {question_id(text): text for text in found.asked.questions}
    return wanted, stored.ids() - {question_id(text) for text in found.gone}


def _embed_batch(index: Index, questions: Sequence[tuple[str, str]]) -> None:
    ids = [id for id, _ in questions]
    index.questions.add(ids, index.embedder.embed([text for _, text in questions]))


def merge_edges(index: Index) -> None:
    """Joins each passage to those that answer what it asks (HopRAG, edge merging). Blocks.

    This is done if any passage's questions have changed since, or the embeddings. A question whose
    best answer is still there is compared with new ones alone; of a large index any other with its
    nearest neighbours.
    """
    before = HOPS.before(index)
    read = _read(index, before)
    parts = read.stamp(), identity(index.embedder.name), is_large(index)
    gone = list[str]()
    HOPS.renew(index, partial(_make, before=before, read=read, gone=gone), *parts)
    index.questions.remove(list(map(question_id, gone)))
    HOPS.note_made(index)


def make_hops(index: Index, scratch: Scratch) -> Arrays:
    """The arrays of the layer. Blocks; raises IncompleteIndexError where a vector is missing."""
    before = HOPS.before(index)
    return _make(index, scratch, before, _read(index, before), [])


def _make(
    index: Index, scratch: Scratch, before: Arrays, read: ReadPassages, gone: list[str]
) -> Arrays:
    found = _asked(index, before, read)
    gone += found.gone
    made = (_flat if is_large(index) else _exact)(index, found, before, scratch)
    graph, edges = graph_of(found.asked, made.edges), made.edges
    words = keywords_of_edges(before, found, graph.edges)
    listed = EdgeIndex(edges.source, edges.target, made.rows, made.vectors, words)
    taken_over = {**carried_to_arrays(found, read.codes, made.pairs), **made.sketches.to_arrays()}
    return {**hops_to_arrays(graph), **listed.to_arrays(), **taken_over}


def _asked(index: Index, before: Arrays, read: ReadPassages) -> Carried:
    """The passages that were ``read`` and their questions, of ``before`` if they may be."""
    found = carried(before, read, partial(_passages_by_id, index))
    return found or read_anew(questioned(_passages(index, list(read.members))))


def _read(index: Index, before: Arrays) -> ReadPassages:
    """The passages that were read; by the arrays of ``before`` but for those that have changed."""
    noted = HOPS.noted(index, before)
    read = index.readings.codes("questions", noted)
    return (
        ReadPassages.of(read, before)
        if noted is None
        else ReadPassages.changed(read, before, noted)
    )


def _passages_by_id(index: Index, ids: Sequence[str]) -> dict[str, AskedPassage]:
    return {one.id: one for one in _passages(index, ids)}


def _passages(index: Index, ids: Sequence[str]) -> Iterator[AskedPassage]:
    """Passages that were read, with their questions."""
    for some in batches(ids):
        values = index.readings.values_of("questions", some)
        for each in index.catalogue.passages(some):
            value = values[each["id"]]
            told = each["id"], each["title"], each["text"]
            yield AskedPassage(*told, value["incoming"], value["outgoing"])


class _Made(NamedTuple):
    """The edges, the row of each in ``vectors``, the pairs behind them, sketches of all texts."""

    edges: Edges
    rows: Ints
    vectors: NDArray[np.float32] | MovedRows | Neighbours
    pairs: Pairs
    sketches: Sketches


def _exact(index: Index, found: Carried, before: Arrays, scratch: Scratch) -> _Made:
    asked, stored = found.asked, partial(_vectors, index, found.asked)
    known = Sketches.none() if found.new is None else Sketches.from_arrays(before)
    if not len(known):
        vectors = stored(range(len(asked.questions)))
        sketches, pairs = Sketches.of(vectors), exact_pairs(asked, vectors, found.words)
    else:
        sketches, vectors = _sketches(found, known, stored), None
        pairs = followed_pairs(found, sketches, stored)
    edges = joined(pairs, asked.outgoing.passages, asked.incoming.passages, len(asked.ids))
    used, rows = np.unique(asked.incoming.texts[edges.incoming], return_inverse=True)
    chosen = vectors[used] if vectors is not None else _followed(index, found, before, used, stored)
    return _Made(edges, rows, chosen, pairs, sketches)


def _sketches(found: Carried, known: Sketches, stored: Callable[[Ints], Any]) -> Sketches:
    """The sketches of all texts; the ``known`` ones are of the texts before."""
    new = np.flatnonzero(found.sources < 0)
    return known.followed(found.sources, stored(new) if len(new) else known.rows(new))


def _followed(
    index: Index, found: Carried, before: Arrays, used: Ints, stored: Callable[[Ints], Any]
) -> NDArray[np.float32] | MovedRows:
    """The vectors of the texts ``used``; the ones of before from its arrays."""
    known = before.get("vectors", np.empty((0, 0), np.float32))
    row = np.full(len(before["questions_ends"]), -1, dtype=np.int64)
    if len(known):
        row[before["incoming"]] = before["rows"]
    rows = np.where(found.sources[used] < 0, -1, row[found.sources[used]])
    missing = np.flatnonzero(rows < 0)
    read = stored(used[missing]) if len(missing) else known[:0]
    if not index.catalogue.property(PURGING) and (moved := followed(known, rows, read)):
        return moved
    rows[missing] = len(known) + np.arange(len(missing))
    whole: NDArray[np.float32] = np.concatenate([known, read] if len(known) else [read])
    return whole[rows]


def _flat(index: Index, found: Carried, before: Arrays, scratch: Scratch) -> _Made:
    asked, words, stored = found.asked, found.words, partial(_vectors, index, found.asked)
    incoming, texts = _distinct(asked.incoming)
    rows_before = _rows_before(index, found, before, texts)
    vectors = _neighbours(index, found, before, texts, rows_before, scratch)

    def best_of(rows: Ints) -> Pairs:
        own = AskedOften(asked.outgoing.passages[rows], asked.outgoing.texts[rows], 0)
        outgoing, asking = _distinct(own)
        asked_words = words.take(asking).codes
        listed = KeywordIndex.of(words.take(texts, asked_words), asked_words)
        candidates = Candidates(incoming, listed, vectors)
        parts = _parts(asking, _COMPARED)
        pairs = candidates.best(outgoing, ((stored(part), words.take(part)) for part in parts))
        return Pairs(rows[pairs.outgoing], pairs.incoming, pairs.similarity)

    if rows_before is None:
        pairs = best_of(np.arange(len(asked.outgoing.texts)))
    else:
        pairs = followed_candidates(found, best_of, stored)
    edges = joined(pairs, asked.outgoing.passages, incoming.passages, len(asked.ids))
    none = Sketches.none()  # they would be larger than all other arrays
    return _Made(edges, incoming.texts[edges.incoming], vectors, pairs, none)


def _rows_before(index: Index, found: Carried, before: Arrays, texts: Ints) -> Ints | None:
    """The place that each of the in-coming ``texts`` had in ``before``; −1 of a new one.

    None where nothing is taken over.
    """
    kept = "near_graph" if index.embedder.semantic else "near_lists"
    if found.new is None or kept not in before:
        return None
    listed = np.zeros(len(before["questions_ends"]), dtype=np.bool_)
    listed[before["answered_text"]] = True
    places = np.where(listed, np.cumsum(listed) - 1, -1)  # the last one, which −1 takes, is none
    return places[found.sources[texts]]


def _neighbours(
    index: Index, found: Carried, before: Arrays, texts: Ints, rows: Ints | None, scratch: Scratch
) -> Neighbours:
    """The in-coming ``texts``; those with ``rows`` in the arrays of ``before`` are not read."""
    stored, codes = partial(_vectors, index, found.asked), found.asked.questions.codes()[texts]
    if not index.embedder.semantic:
        if rows is None:
            return WordNeighbours.of(map(stored, _parts(texts, _READ)), codes)
        new = stored(texts[rows < 0])
        return WordNeighbours(before).followed(rows, new, codes)
    known = None if rows is None else MeaningNeighbours(before)

    def read(places: Ints) -> NDArray[np.float32]:
        if known is None or rows is None or (rows[places] < 0).all():
            return stored(texts[places])
        vectors, new = known.vectors(rows[places]), np.flatnonzero(rows[places] < 0)
        if len(new):
            vectors[new] = stored(texts[places[new]])
        return vectors

    parts = _parts(np.arange(len(texts)), _READ)
    return MeaningNeighbours.of(map(read, parts), len(texts), scratch.empty)


def _parts(texts: Ints, size: int) -> Iterator[Ints]:
    """``texts`` in parts of at most ``size``."""
    return (texts[start : start + size] for start in range(0, len(texts), size))


def _distinct(asked: AskedOften) -> tuple[AskedOften, Ints]:
    """``asked`` with the texts of its own direction alone, and the numbers of these."""
    texts, own = np.unique(asked.texts, return_inverse=True)
    return AskedOften(asked.passages, own, len(texts)), texts


def _vectors(index: Index, asked: Questioned, texts: Iterable[int]) -> NDArray[np.float32]:
    """Their vectors, of length 1 again, which vectors of half precision have about."""
    found = index.questions.get([question_id(asked.questions[int(text)]) for text in texts])
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    found /= np.maximum(lengths, np.float32(1e-9))
    return found
