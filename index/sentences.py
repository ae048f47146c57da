"""The sentences layer of the index: what the graph retriever walks over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ..algorithms.graphrag.report_context import pack
from ..algorithms.linear_rag.building import linked
from ..algorithms.linear_rag.loaded_graph import LoadedGraph
from ..algorithms.linear_rag.passage_graph import WholeGraph, graph_from_arrays, graph_to_arrays
from ..algorithms.linear_rag.passage_records import (
    NamedSpan,
    PassageRecord,
    passage_record,
    sentence_texts,
    with_entities,
)
from ..algorithms.packed_texts import code_of
from ..algorithms.spans import spans
from ..context import Context
from ..models.meter import current_meter
from ..state.errors import IncompleteIndexError
from ..state.records import Passage
from ..stores import large
from ..stores.arrays import Scratch
from ..stores.moved_rows import followed
from ..stores.passage_order import PassageOrder
from ..stores.queries import batches
from ..stores.vector_tables import Empty, SentenceVectors
from .freshness import is_within_run, moment_of
from .known_sentences import CUT, CUTTING
from .layers import ENTITIES, PURGING, SENTENCES, Arrays, built_layers
from .opening import CachedValue, Index
from .progress import progress_of
from .recorded import place_of
from .vectors import in_batches, passage_vectors, release, texts_at_once

if TYPE_CHECKING:
    from numpy.typing import NDArray

_READ = 512  # passages of which the vectors are read at once
_PASSAGES, _SENTENCES = "passage_vectors", "sentence_vectors"
_UNREAD = 2  # in the place of a hash, which is never even


async def embed_sentences(index: Index, context: Context) -> None:
    """Gives the sentences of every passage their vectors.

    An interrupted run loses at most one batch of passages for each worker.
    """
    await asyncio.to_thread(_forget_other_cuts, index)
    counts = await asyncio.to_thread(_unembedded, index)
    missing, packed = list(counts), pack(list(counts.values()), texts_at_once(index))
    groups = [[missing[place] for place in places] for places in packed]
    report = progress_of("embed_sentences")
    await in_batches(index, context, groups, _embed, report)


def _unembedded(index: Index) -> dict[str, int]:
    """The passages whose sentences lack vectors, each with the number of these.

    A passage is not cut again where the graph of before has as many of it as have vectors. Where
    the graph, of a large index, has the vectors too, only what was noted since is looked for.
    """
    before, counts = SENTENCES.before(index), dict[str, int]()
    noted = SENTENCES.noted(index, before) if _SENTENCES in before else None
    likely = dict.fromkeys(index.catalogue.passage_ids() if noted is None else noted, 0)
    if before:
        known = np.append(graph_from_arrays(before).sentence_counts, 0)
        likely = dict(zip(likely, known[_order_of(before).places(likely)].tolist(), strict=True))
    for some in batches(sorted(index.sentences.missing(likely))):
        counts |= {id: len(texts) for id, texts in _sentences(index.catalogue.passages(some))}
    return {id: counts[id] for id in index.sentences.missing(counts)}


def _order_of(before: Arrays) -> PassageOrder:
    return PassageOrder(before["ids"], before["id_order"]) if before else PassageOrder.of(())


def _forget_other_cuts(index: Index) -> None:
    """Removes the vectors of sentences that another version of the package has cut."""
    if index.catalogue.property(CUT) != CUTTING:
        index.sentences.clear()
        index.catalogue.set_property(CUT, CUTTING)


def _sentences(passages: Iterable[Passage]) -> Iterator[tuple[str, list[str]]]:
    for passage in passages:
        yield passage["id"], _texts(passage)


def _texts(passage: Passage) -> list[str]:
    """The sentences of a passage; where they cannot be told, which is named, the whole."""
    try:
        return sentence_texts(passage["title"], passage["text"])
    except Exception as error:
        _warn_of(passage, error)
        return [f"{passage['title']}: {passage['text']}"]


def _record(passage: Passage, named: Sequence[NamedSpan]) -> PassageRecord | None:
    """A passage as the graph reads it; None where that fails, which is named."""
    try:
        record = passage_record(passage["title"], passage["text"])
        return with_entities(record, passage["text"], named) if named else record
    except Exception as error:
        _warn_of(passage, error)
        return None


def _warn_of(passage: Passage, error: Exception) -> None:
    current_meter().warn(
        f"The layer sentences cannot read {place_of(passage)} ({type(error).__name__}: {error}); "
        "the passage is searched as a whole."
    )


def _embed(index: Index, ids: Sequence[str]) -> None:
    texts = dict(_sentences(index.catalogue.passages(ids)))
    parts = batches(chain.from_iterable(texts.values()), texts_at_once(index))
    vectors = np.concatenate([index.embedder.embed(part) for part in parts])
    ends = list(accumulate(map(len, texts.values())))
    index.sentences.put(list(map(SentenceVectors, texts, np.split(vectors, ends[:-1]))))


def link_passages(index: Index) -> None:
    """Joins passages by the names that they mention, and by the entities where that layer is.

    The graph is made anew, if passages, sentences or entities have changed since. Blocks.
    """
    now = _passages_now(index)
    named = ENTITIES.stamp(index) if "entities" in built_layers(index) else None
    is_flat = len(now.counts) >= large.FLAT_FROM
    counts = [None if count < 0 else count for count in now.counts.tolist()]
    numbers = list(zip(now.order.ids.tolist(), counts, strict=True))
    SENTENCES.renew(index, partial(_link_passages, now=now), numbers, named, CUTTING, is_flat)
    SENTENCES.note_made(index)


class _PassagesNow(NamedTuple):
    """The passages by document and place, with the number of sentences of each that have vectors.

    It is −1 where none have. ``places`` are in the graph of ``before``, −1 of a new passage;
    ``changed`` tells which may be others than there.
    """

    before: Arrays
    order: PassageOrder
    places: NDArray[np.int64]
    changed: NDArray[np.bool_]
    counts: NDArray[np.int64]


def _passages_now(index: Index) -> _PassagesNow:
    before = SENTENCES.before(index)
    if "named" not in before:  # of an earlier version
        before = {}
    noted = SENTENCES.noted(index, before)
    order_before = _order_of(before)
    followed = None if noted is None else order_before.followed(index.engine, noted)
    if followed is None:
        order = PassageOrder.of(list(index.catalogue.passage_numbers()))
        followed = order, order_before.places(order.ids.tolist())
    order, places = followed
    changed, counts = np.append(places < 0, False), np.full(len(places), -1)
    changed[slice(None) if noted is None else order.places(noted)] = True
    if before:
        counts = np.append(graph_from_arrays(before).sentence_counts, -1)[places]
    ids = order.ids[changed[:-1]].tolist()
    found = index.sentences.counts(None if noted is None else ids)
    counts[changed[:-1]] = [found.get(id, -1) for id in ids]
    return _PassagesNow(before, order, places, changed[:-1], counts)


def _link_passages(index: Index, scratch: Scratch, now: _PassagesNow | None = None) -> Arrays:
    """The graph; from so many passages on that questions are flat, with all vectors.

    Only passages that are new, or name entities otherwise than before, are read. ``now`` are the
    stored ones.
    """
    now = _passages_now(index) if now is None else now
    before, (names, by_id), places = now[:3]
    codes = _named(index, now)
    kept = _kept_places(before, places, codes, now.counts)
    records = list[PassageRecord]()
    for new in batches(np.flatnonzero(kept < 0).tolist()):
        passages = index.catalogue.passages(names[new].tolist())
        spans = _entity_spans(index, passages) if codes.any() else {}
        for place, passage in zip(new, passages, strict=True):
            record = _record(passage, spans.get(passage["id"], ()))
            if record is None:  # its sentences alone, until the next time
                record = PassageRecord((), (), ((),) * len(_texts(passage)), ())
                codes[place] = _UNREAD
            records.append(record)
    graph = linked(graph_from_arrays(before) if before else None, kept, records)
    arrays = {**graph_to_arrays(graph), "ids": names, "id_order": by_id, "named": codes}
    if not len(names) or len(names) < large.FLAT_FROM:
        return arrays
    half = partial(scratch.empty, dtype=np.float16)
    if _PASSAGES not in before:
        ids = names.tolist()
        cut = dict(zip(ids, graph.sentence_counts.tolist(), strict=True))
        vectors = _passage_vectors(index, ids, partial(half, _PASSAGES))
        of_sentences = index.sentences.load(cut, partial(half, _SENTENCES))
        return arrays | {_PASSAGES: vectors, _SENTENCES: of_sentences}
    return arrays | _moved_vectors(index, before, kept, names, graph, half)


def _named(index: Index, now: _PassagesNow) -> NDArray[np.uint64]:
    """A hash, which is not 0, of the entities that each passage names and where it does.

    The ones in the graph of before that were not noted as named otherwise are not read.
    """
    codes = np.zeros(len(now.places), dtype=np.uint64)
    if "entities" not in built_layers(index):
        return codes
    again, before = np.ones(len(codes), dtype=np.bool_), now.before
    if before and (before["named"] & 1).any():  # else there were no entities perhaps
        codes = np.append(before["named"], np.uint64(_UNREAD))[now.places]
        again = (codes == _UNREAD) | now.changed
        codes[again] = 0
    numbers = np.flatnonzero(again)
    wanted = dict(zip(now.order.ids[numbers].tolist(), numbers.tolist(), strict=True))
    for id, names in index.entities.naming(None if again.all() else wanted):
        if id in wanted:
            codes[wanted[id]] = code_of(names) | 1
    return codes


def _kept_places(
    before: Arrays, places: NDArray[np.int64], codes: NDArray[np.uint64], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The place of each passage in the graph of ``before``; −1 of a new one.

    So is one that names other entities now, or has another number of sentences with vectors.
    """
    if not before:
        return places
    sentences = np.append(graph_from_arrays(before).sentence_counts, np.int32(0))
    same = np.append(before["named"], np.uint64(0))[places] == codes
    return np.where(same & (sentences[places] == counts), places, -1)


def _entity_spans(index: Index, passages: Sequence[Passage]) -> dict[str, list[NamedSpan]]:
    spans: dict[str, list[NamedSpan]] = {}
    for passage, start, end, name in index.entities.spans_in(one["id"] for one in passages):
        spans.setdefault(passage, []).append(NamedSpan(start, end, name))
    return spans


def _passage_vectors(index: Index, ids: Sequence[str], empty: Empty) -> NDArray[Any]:
    vectors: NDArray[Any] | None = None
    for start, part in zip(range(0, len(ids), _READ), batches(ids, _READ), strict=True):
        found = index.vectors.get("passages", part)
        if vectors is None:
            vectors = empty((len(ids), found.shape[1]))
        vectors[start : start + len(part)] = found
    release(index)
    assert vectors is not None
    return vectors


def _moved_vectors(
    index: Index,
    before: Arrays,
    kept: NDArray[np.int64],
    names: NDArray[np.str_],
    graph: WholeGraph,
    empty: Callable[[str, tuple[int, ...]], NDArray[Any]],
) -> Arrays:
    """The vectors of passages and their sentences, of which those ``kept`` are moved.

    Only the others are written, where these are few.
    """
    new, former = np.flatnonzero(kept < 0), graph_from_arrays(before).first_sentence
    counts = dict(zip(names[new].tolist(), graph.sentence_counts[new].tolist(), strict=True))
    added = passage_vectors(index, list(counts)) if counts else before[_PASSAGES][:0]
    of_added = index.sentences.load(counts) if counts else before[_SENTENCES][:0]
    release(index)
    if not index.catalogue.property(PURGING):
        rows = spans(former[kept], graph.sentence_counts)
        rows[np.repeat(kept < 0, graph.sentence_counts)] = -1
        moved = (
            followed(before[_PASSAGES], kept, added),
            followed(before[_SENTENCES], rows, of_added),
        )
        if all(moved):
            return dict(zip((_PASSAGES, _SENTENCES), cast(Any, moved), strict=True))
    passages = empty(_PASSAGES, (len(names), before[_PASSAGES].shape[1]))
    sentences = empty(_SENTENCES, (int(graph.sentence_counts.sum()), passages.shape[1]))
    ends = np.append(graph.first_sentence, len(sentences))
    breaks = np.flatnonzero((np.diff(kept) != 1) | (kept[:-1] < 0)) + 1
    for start, end in pairwise([0, *breaks.tolist(), len(names)]):  # what stays together is a run
        if (at := int(kept[start])) >= 0:
            passages[start:end] = before[_PASSAGES][at : at + end - start]
            rows = before[_SENTENCES][former[at] :][: ends[end] - ends[start]]
            sentences[ends[start] : ends[end]] = rows
    passages[new] = added
    sentences[spans(graph.first_sentence[new], graph.sentence_counts[new])] = of_added
    return {_PASSAGES: passages, _SENTENCES: sentences}


def stored_graph(index: Index) -> tuple[WholeGraph, list[str]]:
    """The graph of an index and the ids of its passages. Blocks.

    Raises RagraphsError where the index has no sentences layer.
    """
    arrays = SENTENCES.load(index, _link_passages)
    return graph_from_arrays(arrays), arrays["ids"].tolist()


def load_graph(index: Index) -> LoadedGraph:
    """The graph of ``index``, kept for all threads. Blocks; raises RagraphsError without one."""
    loaded = _kept.of(index)
    if loaded.lacked_at and loaded.lacked_at != moment_of(index):
        index.kept.pop(_kept, None)
        loaded = _kept.of(index)
    return loaded


def allowed_places(index: Index) -> NDArray[np.bool_] | None:
    """Which rows of the graph meet the filter of ``index``, shape (P,); None without one. Blocks.

    Kept for each of the last filters.
    """
    return None if index.allowed is None else _places.of(index)


def _load(index: Index) -> LoadedGraph:
    while True:
        moment = moment_of(index)
        try:
            return _loaded(index, moment)
        except IncompleteIndexError:  # a run that goes on or ends meanwhile has brought others
            if moment_of(index) == moment:
                raise


def _loaded(index: Index, moment: list[Any]) -> LoadedGraph:
    """The graph. While a run is not at its end, zeros stand for vectors that are not there.

    It may have removed passages, or stored some whose vectors are made beside, or not yet. Else
    raises IncompleteIndexError where one is missing.
    """
    arrays = SENTENCES.load(index, _link_passages)
    graph = graph_from_arrays(arrays)
    places = arrays["ids"], arrays["id_order"]
    if _SENTENCES in arrays and graph.passages >= large.FLAT_FROM:
        vectors = arrays[_PASSAGES], arrays[_SENTENCES]
        return LoadedGraph(*places, graph, *vectors, is_flat=True)
    ids = arrays["ids"].tolist()
    counts = dict(zip(ids, graph.sentence_counts.tolist(), strict=True))
    try:
        return LoadedGraph(*places, graph, *_vectors(index, counts))
    except IncompleteIndexError:
        embedded, cut = index.vectors.ids("passages"), index.sentences.counts()
        kept = {id: n for id, n in counts.items() if id in embedded and cut.get(id) == n}
        if not is_within_run(index):
            raise
    are_kept = np.array([id in kept for id in counts])
    passages, sentences = _vectors(index, kept)
    passages = _among_zeros(passages, are_kept)
    sentences = _among_zeros(sentences, are_kept.repeat(list(counts.values())))
    return LoadedGraph(*places, graph, passages, sentences, lacked_at=moment)


def _vectors(index: Index, counts: Mapping[str, int]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The vectors of passages and their sentences, of which ``counts`` says the number."""
    return passage_vectors(index, list(counts)), index.sentences.load(counts)


def _among_zeros(vectors: NDArray[Any], places: NDArray[np.bool_]) -> NDArray[Any]:
    found = np.zeros((len(places), vectors.shape[1]), dtype=vectors.dtype)
    found[places] = vectors
    return found


def _load_places(index: Index) -> NDArray[np.bool_]:
    loaded = load_graph(index)
    places = np.zeros(len(loaded.ids), dtype=np.bool_)
    if index.allowed and len(places):
        places[loaded.places_of(list(index.allowed))] = True
    return places


_kept = CachedValue(SENTENCES.stamp, _load)
_places = CachedValue(SENTENCES.stamp, _load_places, by_filter=True)
