"""Building the passage graph: from the records of passages, and from the graph of before."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...language.mentions import short_key
from ..packed_texts import DistinctTexts, PackedTexts
from ..spans import appearing, order_of, spans
from ..spliced import taken
from .passage_graph import CERTAIN, NESTED, Ints, WholeGraph
from .passage_records import PassageRecord
from .term_lists import Longs, listed, term_lists

SHORTENED_TITLE = 0.5

Mask = NDArray[np.bool_]


def linked(before: WholeGraph | None, kept: Longs, records: Sequence[PassageRecord]) -> WholeGraph:
    """The graph of passages whose numbers in the graph of ``before`` are ``kept`` (P,).

    Where that is −1, the next of the ``records`` is read. It is the same as without ``before``.

        graph = linked(None, np.array([-1]), [passage_record("Oslo", "Oslo is a city.")])
    """
    before = before if (kept >= 0).any() else None
    known = before.keys if before else DistinctTexts.of([])
    columns, new = _numbered(records, known)
    if before:
        columns = _joined(_columns_of(before), columns)
    first_new = before.passages if before else 0
    places = np.where(kept < 0, first_new + np.cumsum(kept < 0) - 1, kept)
    columns = columns.take(places)
    named = np.concatenate([columns.key, columns.title])  # in order of mentions, then of titles
    order, places_of_keys = appearing(named, len(known) + len(new))
    numbered = places_of_keys.astype(np.int32)
    keys = known.followed(PackedTexts.of(new), order)
    first = np.zeros(len(places), dtype=np.int32)
    np.cumsum(columns.counts[:-1], out=first[1:])
    mentions, titles = columns.mentions(numbered, first), columns.titles(numbered)
    titled, sure = np.zeros((2, len(keys)), dtype=np.bool_)
    titled[titles[1][titles[2] == 1]] = True
    sure[mentions[1][columns.certain]] = True
    again, *inside = _inside(before, numbered, new, keys, titled)
    if before:
        known_edges = _edges_of(before, numbered)
        is_new = (kept < 0) | _otherwise_nested(columns, numbered, again)
        is_new |= known_edges.passages_with_gone()[kept]
        edges = _edges(columns.take(np.flatnonzero(is_new)), numbered, *inside)
        edges = edges.among(known_edges, np.where(is_new, -1, kept))
    else:
        edges = _edges(columns, numbered, *inside)
    return WholeGraph(
        keys=keys,
        titled=titled,
        first_sentence=first,
        certain=sure | titled,
        total=len(places),
        inside_ends=np.append(0, np.cumsum(inside[0])),
        inside=inside[1],
        **edges.to_arrays(first, len(keys)),
        **_words(before, numbered, new),
        **term_lists(before, kept, records, columns.counts, first),
    )


def _numbered(records: Sequence[PassageRecord], known: DistinctTexts) -> tuple[_Columns, list[str]]:
    """The columns of ``records``, and the keys beyond the ``known`` ones, by their numbers."""
    new, numbers = list[str](), dict[str, int]()

    def number(key: str) -> int:
        found = numbers.get(key)
        if found is None:
            found = known.get(key)
            if found is None:
                found = len(known) + len(new)
                new.append(key)
            numbers[key] = found
        return found

    return _read(records, number), new


class _Columns(NamedTuple):
    """Mentions and titles of passages one after another, with numbers in the place of keys.

    A passage has ``counts`` sentences, ``mentioned`` mentions and ``named`` titles.
    """

    counts: Ints
    mentioned: Ints
    sentence: Ints
    key: Ints
    certain: Mask
    named: Ints
    title: Ints
    weight: NDArray[np.float32]

    def take(self, places: Longs) -> _Columns:
        """The columns of these passages."""
        mentions = spans(_starts(self.mentioned)[places], self.mentioned[places])
        titles = spans(_starts(self.named)[places], self.named[places])
        return _Columns(
            self.counts[places],
            self.mentioned[places],
            self.sentence[mentions],
            self.key[mentions],
            self.certain[mentions],
            self.named[places],
            self.title[titles],
            self.weight[titles],
        )

    def mentions(self, numbered: Ints, first: Ints) -> tuple[Ints, Ints]:
        """The sentence and the key of each mention, by the numbers of the whole graph."""
        return np.repeat(first, self.mentioned) + self.sentence, numbered[self.key]

    def titles(self, numbered: Ints) -> tuple[Ints, Ints, Any]:
        """The passage, the key and the weight of each title."""
        passages = np.repeat(np.arange(len(self.named), dtype=np.int32), self.named)
        return passages, numbered[self.title], self.weight


def _read(records: Iterable[PassageRecord], number: Callable[[str], int]) -> _Columns:
    counts, mentioned, named = array("i"), array("i"), array("i")
    sentence, key_of, certain = array("i"), array("i"), bytearray()
    title, weight = array("i"), array("f")
    for record in records:
        sure: dict[tuple[int, int], bool] = {}
        for place, key, is_certain in record.mentions:
            pair = place, number(key)
            sure[pair] = sure.get(pair, False) or is_certain
        for pair, is_certain in sure.items():
            sentence.append(pair[0])
            key_of.append(pair[1])
            certain.append(is_certain)
        titles = {number(key): 1.0 if at < 2 else SHORTENED_TITLE
                  for at, key in enumerate(record.titles)}  # fmt: skip
        title.extend(titles)
        weight.extend(titles.values())
        counts.append(len(record.terms))
        mentioned.append(len(sure))
        named.append(len(titles))
    return _Columns(
        _integers(counts),
        _integers(mentioned),
        _integers(sentence),
        _integers(key_of),
        np.array(certain, dtype=np.bool_),
        _integers(named),
        _integers(title),
        np.array(weight, dtype=np.float32),
    )


def _columns_of(graph: WholeGraph) -> _Columns:
    """The columns that ``graph`` was made of."""
    assert graph.edge_kind is not None
    titles = graph.edge_title > 0
    mentions = ~titles & (graph.edge_kind != NESTED)
    passage, entity = graph.edge_passage, graph.edge_entity
    sentence = graph.edge_sentence - graph.first_sentence[passage]
    return _Columns(
        graph.sentence_counts,
        np.bincount(passage[mentions], minlength=graph.passages).astype(np.int32),
        sentence[mentions],
        entity[mentions],
        graph.edge_kind[mentions] == CERTAIN,
        np.bincount(passage[titles], minlength=graph.passages).astype(np.int32),
        entity[titles],
        graph.edge_title[titles],
    )


def _joined(first: _Columns, then: _Columns) -> _Columns:
    return _Columns(*(np.concatenate(pair) for pair in zip(first, then, strict=True)))


def _integers(numbers: array[int]) -> Ints:
    return np.array(numbers, dtype=np.int32)


def _starts(counts: NDArray[np.integer[Any]]) -> Longs:
    return np.append(0, np.cumsum(counts, dtype=np.int64))


def _inside(
    before: WholeGraph | None, numbered: Ints, new: Sequence[str], keys: DistinctTexts, titled: Mask
) -> tuple[Ints, Ints, Ints]:
    """The keys that were looked at again, how many keys are inside each key, and these.

    Of the graph of ``before`` they are taken over but for the keys around names that came, or are
    a title now, or no more.
    """
    counts = np.zeros(len(keys), dtype=np.int32)
    if before is None:
        texts = list(keys)
        numbers = {key: number for number, key in enumerate(texts)}
        find: Callable[[str], int | None] = numbers.get
        again, owner, value = np.arange(len(keys)), _NONE, _NONE
    else:
        assert before.inside is not None and before.inside_ends is not None
        find = keys.get
        size = len(before.keys)
        there = np.flatnonzero(numbered[:size] >= 0)
        turned = there[before.titled[there] != titled[numbered[there]]]
        around = [_bearing_all(before, text) for text in new]
        around += [_bearing_all(before, before.keys[int(one)]) for one in turned]
        again = np.union1d(numbered[size:], numbered[np.concatenate([_NONE, *around])])
        again = again[again >= 0]
        owner = numbered[np.repeat(np.arange(size), np.diff(before.inside_ends))]
        value = numbered[before.inside]
        stays = (owner >= 0) & (value >= 0) & ~np.isin(owner, again)
        owner, value = owner[stays], value[stays]
    flat = array("i")
    for each in again.tolist():
        found = _keys_inside(keys[each], find, titled)
        counts[each] = len(found)
        flat.extend(found)
    owner = np.concatenate([owner, np.repeat(again, counts[again])])
    value = np.concatenate([value, _integers(flat)])
    counts = np.bincount(owner, minlength=len(keys)).astype(np.int32)
    return again.astype(np.int32), counts, value[np.argsort(owner, kind="stable")].astype(np.int32)


_NONE = np.zeros(0, dtype=np.int32)


def _bearing_all(graph: WholeGraph, key: str) -> Ints:
    """Keys among which are all that have the words of ``key``: those with the rarest of them."""
    return min((graph.bearing(word) for word in key.split()), key=len, default=_NONE)


def _keys_inside(key: str, find: Callable[[str], int | None], titled: Mask) -> list[int]:
    """Keys that are a run of words of ``key``, or it without middle initials.

    Single words count only where they are a whole title.
    """
    words = key.split()
    runs = (
        " ".join(words[start : start + length])
        for length in range(1, len(words))
        for start in range(len(words) - length + 1)
    )
    found = [
        number
        for run in runs
        if (number := find(run)) is not None and (" " in run or titled[number])
    ]
    short = short_key(key)
    if short != key and (number := find(short)) is not None and number not in found:
        found.append(number)
    return found


def _with_nested(
    mentions: tuple[Ints, Ints], certain: Mask, counts: Ints, flat: Ints
) -> tuple[tuple[Ints, Ints], NDArray[np.int8]]:
    """Sentence and key of all mentions, and of the keys inside these, each pair once; its kind."""
    sentence, key_of = mentions
    repeats = counts[key_of]
    inner = flat[spans(_starts(counts)[key_of], repeats)]
    size = max(len(counts), 1)
    pairs = np.concatenate([sentence, np.repeat(sentence, repeats)]).astype(np.int64) * size
    pairs += np.concatenate([key_of, inner])
    _, first = np.unique(pairs, return_index=True)
    first.sort(kind="stable")  # almost in order
    kinds = np.full(len(pairs), NESTED, dtype=np.int8)
    kinds[: len(certain)] = certain
    pairs = pairs[first]
    return ((pairs // size).astype(np.int32), (pairs % size).astype(np.int32)), kinds[first]


def _otherwise_nested(columns: _Columns, numbered: Ints, again: Ints) -> Mask:
    """Which passages mention one of the keys ``again``, by their new numbers."""
    is_again = np.isin(numbered, again)
    passages = np.repeat(np.arange(len(columns.mentioned)), columns.mentioned)
    found = np.zeros(len(columns.mentioned), dtype=np.bool_)
    found[passages[is_again[columns.key]]] = True
    return found


class _PassageEdges(NamedTuple):
    """Edges of passages one after another, mentions before titles, ``counts`` (P,) of each.

    Sentences are numbered within their passage.
    """

    counts: Longs
    entity: Ints
    sentence: Ints
    title: NDArray[np.float32]
    own: NDArray[np.float32]
    kind: NDArray[np.int8]

    def passages_with_gone(self) -> Mask:
        """Which passages have an edge to a key that is gone."""
        gone = np.zeros(len(self.counts), dtype=np.bool_)
        at = np.flatnonzero(self.entity < 0)
        gone[_starts(self.counts).searchsorted(at, "right") - 1] = True
        return gone

    def among(self, before: _PassageEdges, kept: Longs) -> _PassageEdges:
        """The edges of passages with the numbers ``kept`` in ``before``; −1 is of the next here."""
        is_new = kept < 0
        rows = np.where(is_new, len(before.counts) + np.cumsum(is_new) - 1, kept)
        ends = _starts(np.append(before.counts, self.counts))
        pairs: Any = zip(before[1:], self[1:], strict=True)
        return _PassageEdges(
            np.diff(ends)[rows], *(taken(pair, ends, rows)[0][:] for pair in pairs)
        )

    def to_arrays(self, first: Ints, keys: int) -> dict[str, Any]:
        """The ``edge_`` arrays, ``rarity`` among so many ``keys``, and the edges of each key."""
        passage = np.repeat(np.arange(len(first), dtype=np.int32), self.counts)
        order = order_of(2 * self.entity + (self.title == 0))
        once = order[((self.title > 0) | (self.own == 0))[order]]  # of a title, that edge alone
        entity, own = self.entity[once], passage[once]
        is_first = np.append(True, (np.diff(entity) != 0) | (np.diff(own) != 0))[: len(once)]
        df = np.bincount(entity[is_first], minlength=keys)
        total = max(len(first), 2)
        return {
            "edge_passage": passage,
            "edge_entity": self.entity,
            "edge_sentence": first[passage] + self.sentence,
            "edge_title": self.title,
            "edge_own": self.own,
            "edge_kind": self.kind,
            "rarity": np.log(total / np.clip(df, 1, total)).astype(np.float32) / math.log(total),
            "first_edge": _starts(self.counts),
            "entity_offsets": _starts(np.bincount(self.entity, minlength=keys)),
            "entity_edges": order,
        }


def _edges_of(graph: WholeGraph, numbered: Ints) -> _PassageEdges:
    """The edges of ``graph``, by the new numbers of its keys."""
    assert graph.edge_kind is not None
    sentence = graph.edge_sentence - graph.first_sentence[graph.edge_passage]
    entity, counts = numbered[graph.edge_entity], np.diff(graph.first_edge)
    return _PassageEdges(
        counts, entity, sentence, graph.edge_title, graph.edge_own, graph.edge_kind
    )


def _edges(columns: _Columns, numbered: Ints, inside: Ints, flat: Ints) -> _PassageEdges:
    """The edges of the passages with these ``columns``."""
    first = _starts(columns.counts)[:-1].astype(np.int32)
    of_titles, title, weight = columns.titles(numbered)
    mentions, kinds = _with_nested(columns.mentions(numbered, first), columns.certain, inside, flat)
    sentence_passage = np.repeat(np.arange(len(first), dtype=np.int32), columns.counts)
    sentence = np.concatenate([mentions[0], first[of_titles]])
    passage = np.concatenate([sentence_passage[mentions[0]], of_titles])
    order = np.argsort(passage, kind="stable")
    passage, entity = passage[order], np.concatenate([mentions[1], title])[order]
    size = max(len(inside), 1)
    title_pairs = of_titles.astype(np.int64) * size + title
    by_pair, pairs = np.argsort(title_pairs), passage.astype(np.int64) * size + entity
    at = np.append(by_pair, -1)[np.searchsorted(title_pairs, pairs, sorter=by_pair)]
    own = np.append(title_pairs, -1)[at] == pairs
    return _PassageEdges(
        np.bincount(passage, minlength=len(first)),
        entity,
        sentence[order] - first[passage],
        np.concatenate([np.zeros(len(mentions[0]), np.float32), weight])[order],
        np.where(own, np.append(weight, np.float32(0))[at], np.float32(0)),
        np.concatenate([kinds, np.full(len(title), CERTAIN, np.int8)])[order],
    )


def _words(before: WholeGraph | None, numbered: Ints, new: Sequence[str]) -> dict[str, Any]:
    """The words of the keys in order of their hashes, and the entities of each, in order."""
    known = before.words if before else DistinctTexts.of([])
    words = [sorted(set(key.split())) for key in new]
    word, added = known.joined(chain.from_iterable(words))
    first = len(numbered) - len(new)
    lengths = np.array([*map(len, words)], dtype=np.int64)
    stacked = np.repeat(np.arange(first, len(numbered)), lengths)
    if before:
        of_before = np.repeat(np.arange(len(known)), np.diff(before.word_offsets))
        word = np.concatenate([of_before, word])
        stacked = np.concatenate([before.word_entities, stacked])
    entity = numbered[stacked]
    word, entity = word[entity >= 0], entity[entity >= 0]
    texts, offsets, order = listed(known, added, word, entity)
    return {"words": texts, "word_offsets": offsets, "word_entities": entity[order]}
