"""The passage graph (HopRAG): vertices are distinct passages, edges carry questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...language.analyser import keywords, one_line
from ..packed_lines import pack_lines, unpack_lines
from .edges import Edges, QuestionSet, merge_edges
from .keyword_index import Floats, Ints

_OPENING = 60


class AskedPassage(NamedTuple):
    """A passage with its in-coming and out-coming questions."""

    id: str
    title: str
    text: str
    incoming: Sequence[str]
    outgoing: Sequence[str]


@dataclass(frozen=True)
class HopGraph:
    """One vertex for each distinct passage, and the merged edges among them.

    ``ids`` (n) are the vertices' passages, ``titles`` (n) theirs, or how their text begins;
    ``member`` gives the vertex of every passage, those with the same title and text sharing one.
    ``edges.outgoing`` and ``edges.incoming`` are numbers of ``questions``.
    """

    ids: list[str]
    titles: list[str]
    member: dict[str, int]
    edges: Edges
    questions: list[str]

    def raised(self, edge: int) -> str:
        """The out-coming question r⁺ of ``edge``, which its source raises."""
        return self.questions[int(self.edges.outgoing[edge])]

    def answered(self, edge: int) -> str:
        """The in-coming question r⁻ of ``edge``, which its target answers."""
        return self.questions[int(self.edges.incoming[edge])]


def build_hops(
    passages: Sequence[AskedPassage], embed: Callable[[Sequence[str]], Floats]
) -> HopGraph:
    """The graph of ``passages``; ``embed`` gives unit vectors (m, d) of m distinct questions.

    The order of ``passages`` makes no difference: of equally good edges the one whose passages'
    ids come first wins.
    """
    same: defaultdict[tuple[str, str], list[AskedPassage]] = defaultdict(list)
    for passage in sorted(passages):
        same[passage.title, passage.text].append(passage)
    distinct = [copies[0] for copies in same.values()]
    member = {copy.id: vertex for vertex, copies in enumerate(same.values()) for copy in copies}
    asked = [
        question for passage in distinct for question in (*passage.incoming, *passage.outgoing)
    ]
    questions = list(dict.fromkeys(asked))
    numbers = {question: number for number, question in enumerate(questions)}
    vectors = embed(questions)
    words = [keywords(question) for question in questions]

    def question_set(lists: list[Sequence[str]]) -> tuple[QuestionSet, Ints]:
        owners = np.repeat(np.arange(len(lists)), [len(texts) for texts in lists])
        rows = np.array([numbers[text] for text in chain.from_iterable(lists)], dtype=np.int64)
        return QuestionSet(owners, vectors[rows], [words[row] for row in rows]), rows

    outgoing, out_rows = question_set([passage.outgoing for passage in distinct])
    incoming, in_rows = question_set([passage.incoming for passage in distinct])
    edges = _renumbered(merge_edges(outgoing, incoming, len(distinct)), out_rows, in_rows)
    titles = [one_line(passage.title or passage.text[:_OPENING]) for passage in distinct]
    return HopGraph([passage.id for passage in distinct], titles, member, edges, questions)


def _renumbered(edges: Edges, outgoing: Ints, incoming: Ints) -> Edges:
    """``edges`` with the numbers of texts in place of those within each question set."""
    others = tuple(
        tuple((int(outgoing[i]), int(incoming[j])) for i, j in pairs) for pairs in edges.others
    )
    own = outgoing[edges.outgoing], incoming[edges.incoming]
    return replace(edges, outgoing=own[0], incoming=own[1], others=others)


def hops_to_arrays(graph: HopGraph) -> dict[str, NDArray[Any]]:
    """``graph`` as arrays, from which ``hops_from_arrays`` makes it again."""
    edges = graph.edges
    pairs = [pair for others in edges.others for pair in others]
    members = sorted(graph.member)
    return {
        "ids": np.array(graph.ids, dtype=np.str_),
        "members": np.array(members, dtype=np.str_),
        "member_vertices": np.array([graph.member[id] for id in members], dtype=np.int64),
        "source": edges.source,
        "target": edges.target,
        "outgoing": edges.outgoing,
        "incoming": edges.incoming,
        "similarity": edges.similarity,
        "other_counts": np.array([len(others) for others in edges.others], dtype=np.int64),
        "other_pairs": np.array(pairs, dtype=np.int64).reshape(-1, 2),
        "titles": pack_lines(graph.titles),
        "questions": pack_lines(graph.questions),
    }


def hops_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> HopGraph:
    """The graph that ``hops_to_arrays`` wrote."""
    rows = [(int(i), int(j)) for i, j in arrays["other_pairs"]]
    bounds = np.cumsum([0, *arrays["other_counts"]]).tolist()
    others = tuple(tuple(rows[first:last]) for first, last in pairwise(bounds))
    return HopGraph(
        ids=arrays["ids"].tolist(),
        titles=unpack_lines(arrays["titles"]),
        member=dict(
            zip(arrays["members"].tolist(), arrays["member_vertices"].tolist(), strict=True)
        ),
        edges=Edges(
            arrays["source"],
            arrays["target"],
            arrays["outgoing"],
            arrays["incoming"],
            arrays["similarity"],
            others,
        ),
        questions=unpack_lines(arrays["questions"]),
    )
