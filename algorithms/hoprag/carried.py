"""The questions and edges of before that still hold, once some passages have changed (HopRAG)."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...language.analyser import keywords
from ..packed_texts import DistinctTexts, PackedTexts
from ..spans import appearing, spans
from .candidates import AskedOften
from .edges import NO_INTS, NO_PAIRS, Edges, Pairs
from .graph import AskedPassage, Questioned, digest_of
from .keyword_index import Ints, KeywordIndex, KeywordSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]
    ById = Callable[[Sequence[str]], Mapping[str, AskedPassage]]

_CODES, _ENDS = "question_codes", "question_code_ends"
_INCOMING, _OUTGOING = ("answered_by", "answered_text"), ("asked_by", "asked_text")
_BEST, _SIMILARITY = "best", "best_similarity"
_DIGITS = 16
_MEMBERS, _READ, _HASHES, _ORDER = "member_codes", "read_codes", "question_hashes", "question_order"


class ReadPassages(NamedTuple):
    """The passages that were read, in order of their ids, which are ``members``.

    ``codes`` (n,) are hashes of what was read in each, and ``kept`` (n,) the numbers of the
    passages before, −1 of those that are new.
    """

    members: PackedTexts
    codes: NDArray[np.uint64]
    kept: Ints

    @classmethod
    def of(cls, read: Mapping[str, str], before: Arrays) -> ReadPassages:
        """All that was ``read``, in order: the ids with codes of 16 hexadecimal digits."""
        known: Sequence[str] = PackedTexts.from_arrays(before, "members") if _READ in before else ()
        number = dict(zip(known, range(len(known)), strict=True))
        kept = np.fromiter(map(number.get, read, repeat(-1)), dtype=np.int64, count=len(read))
        return cls(PackedTexts.of(read), _numbers(read.values()), kept)

    @classmethod
    def changed(
        cls, read: Mapping[str, str], before: Arrays, noted: Collection[str]
    ) -> ReadPassages:
        """All that was read ``before`` but for the ``noted`` ids: they are those ``read`` now."""
        known = PackedTexts.from_arrays(before, "members")
        codes, stays = before[_READ].copy(), np.ones(len(known), dtype=np.bool_)
        new, at = list[str](), list[int]()
        for id in sorted(noted):
            place = bisect_left(known, id)
            if place < len(known) and known[place] == id:
                stays[place] = id in read
                codes[place] = int(read.get(id, "0"), 16)
            elif id in read:
                new.append(id)
                at.append(place)
        added = len(known) + np.arange(len(new))
        numbers = np.insert(np.arange(len(known)), at, added)
        numbers = numbers[np.append(stays, np.ones(len(new), dtype=np.bool_))[numbers]]
        codes = np.append(codes, _numbers(read[id] for id in new))[numbers]
        members = known.edited(PackedTexts.of(new), numbers)
        whole = PackedTexts(np.asarray(members.content), members.ends)
        return cls(whole, codes, np.where(numbers < len(known), numbers, -1))

    def stamp(self) -> str:
        """A hash of all ids and codes."""
        digits = np.frombuffer(self.codes.astype(">u8").tobytes().hex().encode(), dtype=np.uint8)
        count = len(self.codes)
        ends = self.members.ends[1:] + _DIGITS * np.arange(count)
        is_code = np.zeros(len(self.members.content) + len(digits), dtype=np.bool_)
        is_code[spans(ends, np.full(count, _DIGITS))] = True
        text = np.empty(len(is_code), dtype=np.uint8)
        text[is_code], text[~is_code] = digits, self.members.content
        return hashlib.sha256(text.data).hexdigest()


def _numbers(codes: Iterable[str]) -> NDArray[np.uint64]:
    return np.frombuffer(bytes.fromhex("".join(codes)), dtype=">u8").astype(np.uint64)


class Carried(NamedTuple):
    """The passages with their questions, and the keywords of these.

    ``known`` are the pairs of before both of whose questions are still asked, and ``added`` the
    in-coming questions that were not there before. ``new`` are the texts that nobody asked before,
    ``gone`` those that nobody asks any more; ``new`` is None where nothing was carried. ``sources``
    are the numbers of the texts before, −1 of those that are new, and ``vertices`` of the passages.
    """

    asked: Questioned
    words: KeywordSets
    known: Pairs = NO_PAIRS
    added: Ints = NO_INTS
    new: Sequence[str] | None = None
    gone: Sequence[str] = ()
    sources: Ints = NO_INTS
    vertices: Ints = NO_INTS


def read_anew(asked: Questioned) -> Carried:
    """The same passages, of which nothing is known from before."""
    return Carried(asked, KeywordSets.of(map(keywords, asked.questions)))


def new_questions(before: Arrays, read: ReadPassages, passages: ById) -> list[str] | None:
    """The texts ``new`` of what ``carried`` returns, without the rest of it."""
    if _READ not in before:
        return None
    vertices = _Vertices.of(before, read, passages)
    return list(_known_texts(before).joined(chain.from_iterable(vertices.questions()))[1])


def _known_texts(before: Arrays) -> DistinctTexts:
    return DistinctTexts(
        before["questions"], before["questions_ends"], before[_HASHES], before[_ORDER]
    )


def carried(before: Arrays, read: ReadPassages, passages: ById) -> Carried | None:
    """The passages that were ``read``, by the arrays of ``before`` but for those that have changed.

    ``passages`` gives those that must be read again. None where the arrays are of an earlier
    version.
    """
    if _READ not in before:
        return None
    vertices = _Vertices.of(before, read, passages)
    known = _known_texts(before)
    numbers, added = known.joined(chain.from_iterable(vertices.questions()))
    incoming, outgoing = (
        _Rows.of(vertices, before, names, direction, numbers)
        for direction, names in enumerate((_INCOMING, _OUTGOING))
    )
    order, numbered = _first_asked((incoming, outgoing), len(known) + len(added))
    questions = known.followed(added, order)
    words = KeywordSets(before[_CODES], before[_ENDS])
    words = words.and_then(KeywordSets.of(map(keywords, added)), order)
    answered, asked = (
        AskedOften(each.passages, numbered[each.texts], len(order)) for each in (incoming, outgoing)
    )
    pairs, new = _known_pairs(before, incoming.rows, outgoing.rows)
    missing = np.flatnonzero(numbered[: len(known)] < 0)
    return Carried(
        Questioned(*vertices.members(), questions, answered, asked, vertices.codes),
        words,
        pairs,
        new,
        list(added),
        [known[int(one)] for one in missing],
        np.where(order < len(known), order, -1),
        vertices.sources,
    )


class _Vertices(NamedTuple):
    """The distinct passages: ``sources`` are their vertices of before, −1 of those ``read``.

    ``firsts`` are the places of their first ones among all ``ids``, ``vertices`` (n,) of all.
    """

    ids: PackedTexts
    firsts: Ints
    vertices: Ints
    codes: NDArray[np.uint64]
    sources: Ints
    read: Sequence[AskedPassage]

    @classmethod
    def of(cls, before: Arrays, every: ReadPassages, passages: ById) -> _Vertices:
        ids, at = every.members, every.kept
        same = (at >= 0) & (np.append(before[_READ], np.uint64(0))[at] == every.codes)
        found = dict(passages([ids[place] for place in np.flatnonzero(~same).tolist()]))
        codes = np.append(before[_MEMBERS], np.uint64(0))[at]
        for place in np.flatnonzero(at < 0).tolist():
            codes[place] = digest_of(found[ids[place]])
        _, first, vertices = np.unique(codes, return_index=True, return_inverse=True)
        order = np.argsort(first)  # numbers in the order of the first passages
        firsts, numbers = first[order], np.argsort(order)
        sources = np.append(before["member_vertices"], -1)[at[firsts]].astype(np.int64)
        was_first = np.append(before["copies"], -1)[before["copy_ends"][sources]] == at[firsts]
        sources[~(same[firsts] & was_first)] = -1
        wanted = [ids[place] for place in firsts[sources < 0].tolist()]
        found |= passages([id for id in wanted if id not in found])
        read_anew = [found[id] for id in wanted]
        return cls(ids, firsts, numbers[vertices.ravel()], codes, sources, read_anew)

    def members(self) -> tuple[PackedTexts, PackedTexts, Ints]:
        """The ids of the vertices' first passages, all ids, and the vertex of each."""
        return self.ids.edited(PackedTexts.of(()), self.firsts), self.ids, self.vertices

    def questions(self) -> list[Sequence[str]]:
        """The questions of the passages that were read, the in-coming ones of each first."""
        return [asks for one in self.read for asks in (one.incoming, one.outgoing)]


class _Rows(NamedTuple):
    """The questions of one direction: who asks each, its text, and its row of before or −1."""

    passages: Ints
    texts: Ints
    rows: Ints

    @classmethod
    def of(
        cls,
        vertices: _Vertices,
        before: Arrays,
        names: tuple[str, str],
        direction: int,
        numbers: Ints,
    ) -> _Rows:
        """The rows of before in ``direction``, and those read, whose texts are ``numbers``."""
        by, texts = (before[name] for name in names)
        lengths = np.array([len(asks) for asks in vertices.questions()], dtype=np.int64)
        own = spans((np.cumsum(lengths) - lengths)[direction::2], lengths[direction::2])
        count = len(before["copy_ends"]) - 1
        counts = np.concatenate([np.bincount(by, minlength=count), lengths[direction::2]])
        is_new = vertices.sources < 0
        places = np.where(is_new, count + np.cumsum(is_new) - 1, vertices.sources)
        rows = spans((np.cumsum(counts) - counts)[places], counts[places])
        owners = np.repeat(np.arange(len(places)), counts[places])
        texts = np.concatenate([texts, numbers[own]])[rows].astype(np.int64)
        return cls(owners, texts, np.where(rows < len(by), rows, -1))


def _first_asked(ways: Sequence[_Rows], count: int) -> tuple[Ints, Ints]:
    """The texts in the order in which they are first asked, and the place of each of ``count``.

    A text that nobody asks has the place −1.
    """
    passages = np.concatenate([each.passages for each in ways])
    asked = np.concatenate([each.texts for each in ways])[np.argsort(passages, kind="stable")]
    return appearing(asked, count)


def _known_pairs(before: Arrays, incoming: Ints, outgoing: Ints) -> tuple[Pairs, Ints]:
    """The pairs of before both of whose questions are there, and the in-coming ones that are new.

    The questions are given by their rows of before.
    """
    moved = np.full(len(before[_INCOMING[0]]) + 1, -1, dtype=np.int64)
    stays = np.flatnonzero(incoming >= 0)
    moved[incoming[stays]] = stays
    best = np.append(before[_BEST], -1)[outgoing]
    target = moved[best]  # −1 is the last, which has none
    known = np.flatnonzero(target >= 0)
    similarity = before[_SIMILARITY][outgoing[known]]
    return Pairs(known, target[known], similarity), np.flatnonzero(incoming < 0)


def keywords_of_edges(before: Arrays, found: Carried, edges: Edges) -> KeywordIndex:
    """The keywords of ``edges``, of ``before`` where the same two questions made one there."""
    if found.new is None or not len(before["source"]):
        return KeywordIndex.of_unions(found.words, edges.incoming, edges.outgoing)
    size, moved = len(before["copy_ends"]), np.append(found.vertices, -1)
    ends = before["source"].astype(np.int64) * size + before["target"]
    wanted = moved[edges.source] * size + moved[edges.target]
    at = ends.searchsorted(wanted).clip(max=len(ends) - 1)
    same = (ends[at] == wanted) & (moved[edges.source] >= 0) & (moved[edges.target] >= 0)
    for name, texts in (("outgoing", edges.outgoing), ("incoming", edges.incoming)):
        same &= before[name][at] == found.sources[texts]
    new = np.flatnonzero(~same)
    unions = KeywordIndex.of_unions(found.words, edges.incoming[new], edges.outgoing[new])
    return KeywordIndex.from_arrays(before).followed(np.where(same, at, -1), unions)


def carried_to_arrays(
    found: Carried, read: NDArray[np.uint64], pairs: Pairs
) -> dict[str, NDArray[Any]]:
    """The arrays from which ``carried`` takes over, beside the arrays of the graph."""
    asked = found.asked
    best = np.full(len(asked.outgoing.passages), -1, dtype=np.int32)
    similarity = np.zeros(len(best))
    best[pairs.outgoing], similarity[pairs.outgoing] = pairs.incoming, pairs.similarity
    numbers = {
        name: numbers.astype(np.int32)
        for names, often in ((_OUTGOING, asked.outgoing), (_INCOMING, asked.incoming))
        for name, numbers in zip(names, (often.passages, often.texts), strict=True)
    }
    return {
        _CODES: found.words.codes,
        _ENDS: found.words.ends,
        _BEST: best,
        _SIMILARITY: similarity,
        _MEMBERS: asked.codes,
        _READ: read,
        _HASHES: asked.questions.hashes,
        _ORDER: asked.questions.order,
        **numbers,
    }
