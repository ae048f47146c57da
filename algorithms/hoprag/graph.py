"""The passage graph (HopRAG): vertices are distinct passages, edges carry questions."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..packed_texts import DistinctTexts, PackedTexts, code_of
from .candidates import AskedOften
from .edges import Edges, Pairs, QuestionSet, best_pairs
from .keyword_index import Floats, Ints, KeywordSets

_TEXTS = ("ids", "members", "questions")
_MEMBERS = ("member_vertices", "copies", "copy_ends")
_NUMBERS = ("source", "target", "outgoing", "incoming")
_DIGEST = 12


class AskedPassage(NamedTuple):
    """A passage with its in-coming and out-coming questions."""

    id: str
    title: str
    text: str
    incoming: Sequence[str]
    outgoing: Sequence[str]


@dataclass(frozen=True)
class Questioned:
    """The distinct passages of an index, and their questions by the numbers of distinct texts.

    ``ids`` (n) are the vertices' passages; ``members`` are all passages in order,
    ``member_vertices`` their vertices: those with the same title and text share one.
    ``incoming`` and ``outgoing`` hold numbers of ``questions``. ``codes`` are hashes of the titles
    and texts of the members.
    """

    ids: PackedTexts
    members: PackedTexts
    member_vertices: Ints
    questions: DistinctTexts
    incoming: AskedOften
    outgoing: AskedOften
    codes: NDArray[np.uint64]


def questioned(passages: Iterable[AskedPassage]) -> Questioned:
    """Numbers ``passages``, which come in the order of their ids and are read once, and what they
    ask. Of equal passages the first one's questions count.
    """
    vertices: dict[int, int] = {}
    ids, members, of_members, codes = list[str](), list[str](), array("q"), array("Q")
    owners: tuple[array[int], array[int]] = array("q"), array("q")
    places: tuple[array[int], array[int]] = array("q"), array("q")
    digests = bytearray()

    def texts() -> Iterator[str]:
        asked = 0
        for passage in passages:
            codes.append(digest_of(passage))
            vertex = vertices.setdefault(codes[-1], len(ids))
            members.append(passage.id)
            of_members.append(vertex)
            if vertex < len(ids):
                continue
            ids.append(passage.id)
            for direction, asks in enumerate((passage.incoming, passage.outgoing)):
                for question in asks:
                    owners[direction].append(vertex)
                    places[direction].append(asked)
                    digests.extend(_digest(question))
                    asked += 1
                    yield question

    every = PackedTexts.of(texts())
    of_questions = np.frombuffer(digests, dtype=np.dtype((np.void, _DIGEST)))
    _, first, of_texts = np.unique(of_questions, return_index=True, return_inverse=True)
    order = np.argsort(first)  # numbers in the order in which the texts are first asked
    numbers = np.empty(len(first), dtype=np.int64)
    numbers[order] = np.arange(len(first))
    incoming, outgoing = (
        AskedOften(_array(owner), numbers[of_texts.ravel()[_array(place)]], len(first))
        for owner, place in zip(owners, places, strict=True)
    )
    distinct = DistinctTexts.of(every[int(each)] for each in first[order])
    return Questioned(
        PackedTexts.of(ids),
        PackedTexts.of(members),
        _array(of_members),
        distinct,
        incoming,
        outgoing,
        np.frombuffer(codes, dtype=np.uint64),
    )


def digest_of(passage: AskedPassage) -> int:
    """A hash of 64 bits of the title and the text of a passage."""
    return code_of(f"{passage.title}\0{passage.text}")


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=_DIGEST).digest()


def _array(numbers: array[int]) -> Ints:
    return np.frombuffer(numbers, dtype=np.int64)


@dataclass(frozen=True)
class HopGraph:
    """One vertex for each distinct passage, and the merged edges among them.

    ``ids`` (n) are the vertices' passages; ``members`` are all passages in order,
    ``member_vertices`` their vertices, and ``copies[copy_ends[v]:copy_ends[v + 1]]`` the numbers of
    the members of vertex v. ``edges.outgoing`` and ``edges.incoming`` are numbers of
    ``questions``. All may lie in mapped files.
    """

    ids: PackedTexts
    members: PackedTexts
    questions: PackedTexts
    member_vertices: Ints
    copies: Ints
    copy_ends: Ints
    edges: Edges

    def raised(self, edge: int) -> str:
        """The out-coming question r⁺ of ``edge``, which its source raises."""
        return self.questions[int(self.edges.outgoing[edge])]

    def answered(self, edge: int) -> str:
        """The in-coming question r⁻ of ``edge``, which its target answers."""
        return self.questions[int(self.edges.incoming[edge])]

    def vertex(self, passage: str) -> int | None:
        """The vertex of ``passage``; None for one that is not in the graph."""
        place = bisect_left(self.members, passage)
        known = place < len(self.members) and self.members[place] == passage
        return int(self.member_vertices[place]) if known else None

    def members_of(self, vertex: int) -> list[str]:
        """The passages that share ``vertex``, in order."""
        own = self.copies[self.copy_ends[vertex] : self.copy_ends[vertex + 1]]
        return [self.members[int(member)] for member in own]


def exact_pairs(asked: Questioned, vectors: Floats, words: KeywordSets) -> Pairs:
    """The pairs by ``best_pairs``; ``vectors`` and ``words`` are of the distinct texts."""

    def question_set(often: AskedOften) -> QuestionSet:
        return QuestionSet(often.passages, vectors[often.texts], words.take(often.texts))

    return best_pairs(question_set(asked.outgoing), question_set(asked.incoming))


def graph_of(asked: Questioned, edges: Edges) -> HopGraph:
    """The graph with ``edges``, whose questions are numbered within their direction."""
    edges = replace(
        edges,
        outgoing=asked.outgoing.texts[edges.outgoing],
        incoming=asked.incoming.texts[edges.incoming],
    )
    copies = np.argsort(asked.member_vertices, kind="stable")
    ends = np.searchsorted(asked.member_vertices[copies], np.arange(len(asked.ids) + 1))
    texts: dict[str, Any] = {name: getattr(asked, name) for name in _TEXTS}
    return HopGraph(
        **texts, member_vertices=asked.member_vertices, copies=copies, copy_ends=ends, edges=edges
    )


def hops_to_arrays(graph: HopGraph) -> dict[str, NDArray[Any]]:
    """``graph`` as arrays, from which ``hops_from_arrays`` makes it again."""
    arrays = {name: getattr(graph, name).astype(np.int32) for name in _MEMBERS}
    arrays |= {name: getattr(graph.edges, name).astype(np.int32) for name in _NUMBERS}
    for name in _TEXTS:
        arrays |= PackedTexts.to_arrays(getattr(graph, name), name)
    return {**arrays, "similarity": graph.edges.similarity}


def hops_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> HopGraph:
    """The graph that ``hops_to_arrays`` wrote; nothing is read before it is used."""
    texts: dict[str, Any] = {name: PackedTexts.from_arrays(arrays, name) for name in _TEXTS}
    members: dict[str, Any] = {name: arrays[name] for name in _MEMBERS}
    edges = Edges(**{name: arrays[name] for name in (*_NUMBERS, "similarity")})
    return HopGraph(**texts, **members, edges=edges)
