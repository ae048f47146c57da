"""Keyword sets in inverted form, to compare all of them with others at once."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from ..spans import distinct, order_of, places_in_lists
from ..spliced import found_in, gathered, taken

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float32]
Keywords: TypeAlias = "Iterable[AbstractSet[str]] | KeywordSets"

_PARTS = ("vocabulary", "words", "ends", "listed", "bounds")


class KeywordSets(Sequence[frozenset[int]]):
    """Keyword sets k_0 … k_{m−1} as numbers, which two arrays hold.

    A word is known by a hash of 64 bits; k_j is ``codes[ends[j]:ends[j + 1]]``, in order.

    >>> sets = KeywordSets.of([{"kite", "maker"}, {"kite"}])
    >>> len(sets[0] & sets[1])
    1
    """

    def __init__(self, codes: NDArray[np.uint64], ends: Ints) -> None:
        self.codes = codes
        self.ends = ends

    @classmethod
    def of(cls, keywords: Keywords) -> KeywordSets:
        """The sets ``keywords``, which are read once."""
        if isinstance(keywords, KeywordSets):
            return keywords
        codes, ends = array("Q"), array("q", [0])
        for words in keywords:
            codes.extend(sorted(map(_code, words)))
            ends.append(len(codes))
        return cls(np.frombuffer(codes, dtype=np.uint64), np.frombuffer(ends, dtype=np.int64))

    @property
    def counts(self) -> Ints:
        """The size of each set."""
        return np.diff(self.ends)

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, number: int) -> frozenset[int]: ...
    @overload
    def __getitem__(self, number: slice) -> KeywordSets: ...
    def __getitem__(self, number: int | slice) -> frozenset[int] | KeywordSets:
        if isinstance(number, slice):
            return self.take(np.arange(len(self))[number])
        if not 0 <= number < len(self):  # the end of an iteration
            raise IndexError(number)
        return frozenset(self.codes[self.ends[number] : self.ends[number + 1]].tolist())

    def take(self, numbers: Ints, among: NDArray[np.uint64] | None = None) -> KeywordSets:
        """The sets with these ``numbers``, in this order.

        Given ``among``, sets that have none of these words may be empty.
        """
        lengths = self.counts[numbers]
        if among is not None:
            lengths = np.where(self.likely(among)[numbers], lengths, 0)
        (codes,) = gathered((self.codes,), self.ends[numbers], lengths)
        return KeywordSets(codes, np.concatenate([[0], np.cumsum(lengths)]))

    def likely(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which sets have any of ``words``, by a part of their codes; a few others as well."""
        listed, likely = np.zeros(1 << 16, np.bool_), np.zeros(len(self), np.bool_)
        listed[words.astype(np.uint16)] = True
        at = found_in(self.codes, lambda codes: listed[codes.astype(np.uint16)])
        likely[self.ends.searchsorted(at, "right") - 1] = True
        return likely

    def and_then(self, others: KeywordSets, numbers: Ints) -> KeywordSets:
        """The sets with these ``numbers``, of these and after them the ``others``."""
        ends = np.concatenate([self.ends, others.ends[1:] + self.ends[-1]])
        return KeywordSets(*taken((self.codes, others.codes), ends, numbers))


class KeywordIndex:
    """Keyword sets k_0 … k_{m−1} as numbers, listed under each of their words.

    A word is known by a hash of 64 bits: ``vocabulary`` has them in order. The words of k_j are
    ``words[ends[j]:ends[j + 1]]``, and ``listed[bounds[w]:bounds[w + 1]]`` the sets that have word
    w, both as numbers. The arrays may be mapped files.

    >>> index = KeywordIndex.of([{"kite", "maker"}, {"kite"}])
    >>> places, numbers, overlaps = index.overlaps([{"kite"}])
    >>> overlaps
    array([0.5, 1. ], dtype=float32)
    """

    def __init__(
        self,
        vocabulary: NDArray[np.uint64],
        words: NDArray[np.int32],
        ends: Ints,
        listed: NDArray[np.int32],
        bounds: Ints,
    ) -> None:
        self._vocabulary = vocabulary
        self._words = words
        self._ends = ends
        self._listed = listed
        self._bounds = bounds

    @classmethod
    def of(cls, keywords: Keywords, among: NDArray[np.uint64] | None = None) -> KeywordIndex:
        """Lists ``keywords``, which are read once; given ``among``, under those words alone."""
        sets = KeywordSets.of(keywords)
        if among is None:
            vocabulary, inverse = np.unique(sets.codes, return_inverse=True)
        else:
            vocabulary = np.unique(among)
            inverse = np.searchsorted(vocabulary, sets.codes)
            inverse[np.append(vocabulary, np.uint64(0))[inverse] != sets.codes] = len(vocabulary)
        return cls._of_numbers(vocabulary, inverse, sets.ends)

    @classmethod
    def of_unions(cls, sets: KeywordSets, first: Ints, second: Ints) -> KeywordIndex:
        """Lists the union of each two of ``sets``, with the numbers in ``first`` and ``second``."""
        is_listed = np.zeros(len(sets), dtype=np.bool_)
        is_listed[first] = is_listed[second] = True
        listed, place = sets.take(np.flatnonzero(is_listed)), np.cumsum(is_listed) - 1
        vocabulary = distinct(listed.codes)
        numbers = np.searchsorted(vocabulary, listed.codes)
        size, pairs = max(len(vocabulary), 1), list[Ints]()
        for one in (place[first], place[second]):
            counts = listed.counts[one]
            owners = np.repeat(np.arange(len(one)) * size, counts)
            pairs.append(owners + numbers[ranges(listed.ends[one], counts)])
        owners, words = np.divmod(distinct(np.concatenate(pairs), in_runs=True), size)
        ends = np.searchsorted(owners, np.arange(len(first) + 1))
        return cls._of_numbers(vocabulary, words, ends)

    def followed(self, sources: Ints, others: KeywordIndex) -> KeywordIndex:
        """The sets with the numbers ``sources``; each that is −1 is the next of ``others``."""
        is_new = sources < 0
        rows = np.where(is_new, len(self) + np.cumsum(is_new) - 1, sources)
        is_gone = np.ones(len(self), dtype=np.bool_)
        is_gone[sources[~is_new]] = False
        first, lengths = self._ends[:-1][is_gone], np.diff(self._ends)[is_gone]
        gone = np.bincount(self._words[ranges(first, lengths)], minlength=len(self._vocabulary))
        left = self._vocabulary[np.diff(self._bounds) > gone]
        vocabulary = np.union1d(left, others._vocabulary)
        moved, own = (
            vocabulary.searchsorted(each._vocabulary).astype(np.int32) for each in (self, others)
        )
        words = moved[self._words], own[others._words]
        ends = np.concatenate([self._ends, others._ends[1:] + self._ends[-1]])
        numbers, ends = taken(words, ends, rows)
        if (np.diff(sources[~is_new]) <= 0).any():  # in another order, so that all are listed anew
            return self._of_numbers(vocabulary, np.asarray(numbers), ends)
        places = np.full(len(self), -1, dtype=np.int32)
        places[sources[~is_new]] = np.flatnonzero(~is_new)
        listed, counts = places[self._listed], np.zeros(len(vocabulary), dtype=np.int64)
        is_left = np.diff(self._bounds) > gone
        counts[moved[is_left]] = (np.diff(self._bounds) - gone)[is_left]
        owners = np.repeat(np.flatnonzero(is_new), np.diff(others._ends))
        order = np.lexsort((owners, words[1]))
        more = np.bincount(words[1], minlength=len(vocabulary))
        stays, bounds = listed[listed >= 0], np.append(0, np.cumsum(counts))
        at = places_in_lists(stays, bounds, words[1][order].astype(np.int64), owners[order])
        listed = np.insert(stays, at, owners[order])
        bounds += np.append(0, np.cumsum(more))
        return KeywordIndex(vocabulary, np.asarray(numbers), ends, listed, bounds)

    @classmethod
    def _of_numbers(
        cls, vocabulary: NDArray[np.uint64], numbers: NDArray[np.integer[Any]], ends: Ints
    ) -> KeywordIndex:
        words = numbers.astype(np.int32)
        known = np.flatnonzero(words < len(vocabulary))
        order = known[order_of(words[known])]
        bounds = np.append(0, np.cumsum(np.bincount(words[known], minlength=len(vocabulary))))
        listed = np.repeat(np.arange(len(ends) - 1, dtype=np.int32), np.diff(ends))[order]
        return cls(vocabulary, words, ends, listed, bounds)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> KeywordIndex:
        """The index that ``to_arrays`` wrote."""
        return cls(*(arrays[f"keyword_{part}"] for part in _PARTS))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by their names, each of which begins with ``keyword``."""
        return {f"keyword_{part}": getattr(self, f"_{part}") for part in _PARTS}

    def __len__(self) -> int:
        return len(self._ends) - 1

    def overlaps(self, keywords: Keywords, budget: int | None = None) -> tuple[Ints, Ints, Floats]:
        """The pairs of one of ``keywords`` and a k_j that share any word, with their J in (0, 1].

        Returns the places in ``keywords``, ascending, the numbers j, and J; each of shape (pairs,).
        Given a ``budget``, so many entries of lists are read for each of ``keywords``, of its
        rarest words first; a pair that shares only the words of the rest is left out.
        """
        place, word, sizes = self._known(keywords)
        first, lengths = self._bounds[word], self._bounds[word + 1] - self._bounds[word]
        if budget is not None:
            lengths = _within_budget(place, lengths, budget)
        places = np.repeat(place, lengths)
        pairs = places * len(self) + self._listed[ranges(first, lengths)]
        pairs, found = np.unique(pairs, return_counts=True)
        places, numbers = np.divmod(pairs, max(len(self), 1))
        if budget is not None:
            return places, numbers, self.jaccards(keywords, places, numbers)
        return places, numbers, self._ratio(found, sizes[places], numbers)

    def jaccards(self, keywords: Keywords, places: Ints, numbers: Ints) -> Floats:
        """J in [0, 1] of each pair of ``keywords[place]`` and k_number, shape (pairs,)."""
        place, word, sizes = self._known(keywords)
        width = len(self._vocabulary) + 1
        own = np.append(np.sort(place * width + word), -1)
        first, lengths = self._ends[numbers], self._ends[numbers + 1] - self._ends[numbers]
        theirs = np.repeat(places * width, lengths) + self._words[ranges(first, lengths)]
        shared = own[np.searchsorted(own[:-1], theirs)] == theirs
        found = np.bincount(
            np.repeat(np.arange(len(numbers)), lengths), shared, minlength=len(numbers)
        )
        return self._ratio(found, sizes[places], numbers)

    def _ratio(self, found: NDArray[Any], sizes: Ints, numbers: Ints) -> Floats:
        shared = found.astype(np.float32)
        union = (sizes + self._ends[numbers + 1] - self._ends[numbers]).astype(np.float32) - shared
        ratio: Floats = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
        return ratio

    def _known(self, keywords: Keywords) -> tuple[Ints, Ints, Ints]:
        """The places and numbers of the words that are known, and the size of each set."""
        sets = KeywordSets.of(keywords)
        codes, counts = sets.codes, sets.counts
        place = np.repeat(np.arange(len(counts)), counts)
        word = np.searchsorted(self._vocabulary, codes)
        inside = np.flatnonzero(word < len(self._vocabulary))
        known = inside[self._vocabulary[word[inside]] == codes[inside]]
        return place[known], word[known], counts


def _within_budget(place: Ints, lengths: Ints, budget: int) -> Ints:
    """How much of each list is read: the shortest of a place first, until its budget is spent."""
    order = np.lexsort((lengths, place))
    ordered = lengths[order]
    before = np.cumsum(ordered) - ordered
    first = np.flatnonzero(np.diff(place[order], prepend=-1))
    spent = before - np.repeat(before[first], np.diff(first, append=len(order)))
    left = np.empty_like(lengths)
    left[order] = np.clip(budget - spent, 0, ordered)
    return left


@lru_cache(maxsize=100_000)
def _code(word: str) -> int:
    digest = hashlib.blake2b(word.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def ranges(first: Ints, lengths: Ints) -> Ints:
    """So many numbers from each of ``first`` on as its length says, one range after another."""
    ends = np.cumsum(lengths)
    return np.repeat(first + lengths - ends, lengths) + np.arange(ends[-1] if len(ends) else 0)
