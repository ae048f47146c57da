"""The questions and edges of before that still hold, once some passages have changed (HopRAG)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

_CODES, _ENDS = "question_codes", "question_code_ends"
_INCOMING, _OUTGOING = ("answered_by", "answered_text"), ("asked_by", "asked_text")
_BEST, _SIMILARITY = "best", "best_similarity"
_MEMBERS, _READ, _HASHES, _ORDER = "member_codes", "read_codes", "question_hashes", "question_order"


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


def new_questions(
    before: Arrays,
    ids: Sequence[str],
    read: NDArray[np.uint64],
    passages: Callable[[Sequence[str]], Mapping[str, AskedPassage]],
) -> list[str] | None:
    """The texts ``new`` of what ``carried`` returns, without the rest of it."""
    if _READ not in before:
        return None
    vertices = _Vertices.of(before, ids, read, passages)
    return list(_known_texts(before).joined(chain.from_iterable(vertices.questions()))[1])


def _known_texts(before: Arrays) -> DistinctTexts:
    return DistinctTexts(
        before["questions"], before["questions_ends"], before[_HASHES], before[_ORDER]
    )


def carried(
    before: Arrays,
    ids: Sequence[str],
    read: NDArray[np.uint64],
    passages: Callable[[Sequence[str]], Mapping[str, AskedPassage]],
) -> Carried | None:
    """The passages ``ids``, in order, by the arrays of ``before`` but for those that have changed.

    ``read`` (n,) are hashes of what was read in each; ``passages`` gives those that must be read
    again. None where the arrays are of an earlier version.
    """
    if _READ not in before:
        return None
    vertices = _Vertices.of(before, ids, read, passages)
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

    ids: Sequence[str]
    firsts: Ints
    vertices: Ints
    codes: NDArray[np.uint64]
    sources: Ints
    read: Sequence[AskedPassage]

    @classmethod
    def of(
        cls,
        before: Arrays,
        ids: Sequence[str],
        read: NDArray[np.uint64],
        passages: Callable[[Sequence[str]], Mapping[str, AskedPassage]],
    ) -> _Vertices:
        members = PackedTexts.from_arrays(before, "members")
        known = dict(zip(members, range(len(members)), strict=True))
        at = np.fromiter(map(known.get, ids, repeat(-1)), dtype=np.int64, count=len(ids))
        same = (at >= 0) & (np.append(before[_READ], np.uint64(0))[at] == read)
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
        every = PackedTexts.of(self.ids)
        return every.edited(PackedTexts.of(()), self.firsts), every, self.vertices

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
