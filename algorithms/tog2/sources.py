"""The sentences that triples were read from, and the ways on that they offer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, cast

from ...language.analyser import Span, keywords, one_line, sentences, shortened
from ...state.tog2 import RelationOption
from .triple_sentences import triple_sentence
from .walk import KnowledgeGraph

_LONGEST = 300
_MOST_NAMES = 4

Places = Iterable[tuple[int, int]]


class ScoredSentence(NamedTuple):
    """A sentence that names both ends of a triple, with the number of its relation's words."""

    sentence: Span
    words: int


def stating_sentence(
    text: str, source: Places, target: Places, k_relation: AbstractSet[str]
) -> ScoredSentence | None:
    """The sentence of ``text`` that names both ends of a triple; None where none does.

    ``source`` and ``target`` are the characters ``[start, end)`` that name the triple's ends. The
    sentence with most of the relation's keywords ``k_relation`` wins, then the first.
    """
    ends = [list(source), list(target)]
    naming = [
        sentence
        for sentence in sentences(text)
        if all(
            any(sentence.start <= start and end <= sentence.end for start, end in places)
            for places in ends
        )
    ]
    scored = (ScoredSentence(one, len(k_relation & keywords(one.plain))) for one in naming)
    return max(scored, key=lambda one: one.words, default=None)


def nearest_options(
    options: Iterable[RelationOption],
    nearness: Mapping[str, float],
    said: Mapping[str, str],
    most: int,
) -> list[RelationOption]:
    """The ``most`` of one topic's ``options`` with the nearest relations, nearest first.

    ``nearness`` of relations to the question is by id; relations without one are left out. An
    option whose relations are stated by several sentences of ``said`` becomes one for each, so
    that nothing is followed that is not shown; those that none states are one.
    """
    found = []
    for option in options:
        pairs = [
            pair
            for pair in zip(option["edges"], option["others"], strict=True)
            if pair[0] in nearness
        ]
        pairs.sort(key=lambda pair: (-nearness[pair[0]], pair[0]))
        stated: dict[str, list[tuple[str, str]]] = {}
        for edge, other in pairs:
            stated.setdefault(said.get(edge, ""), []).append((edge, other))
        for own in stated.values():
            edges, others = [edge for edge, _ in own], [other for _, other in own]
            part = {"id": f"{option['id']} {edges[0]}", "edges": edges, "others": others}
            found.append(cast(RelationOption, {**option, **part}))
    found.sort(key=lambda option: (-nearness[option["edges"][0]], option["id"]))
    return found[:most]


def option_lines(
    graph: KnowledgeGraph, options: Sequence[RelationOption], said: Mapping[str, str], topic: int
) -> tuple[str, dict[str, str]]:
    """One topic's ``options`` as lines, and the option's id for each number in them.

    Each is a statement, such as "2.1 Ada Quill was born in Bergen." for the first option of the
    second ``topic``. Those that a sentence of ``said`` states (by the ids of relations) stand under
    it, the others before all. Of two options that look alike the first is listed.
    """
    under: dict[str, list[RelationOption]] = {"": []}
    for option in options:
        sentence = shortened(one_line(said.get(option["edges"][0], "")), _LONGEST)
        under.setdefault(sentence, []).append(option)
    lines: list[str] = []
    numbers: dict[str, str] = {}
    for sentence, offered in under.items():
        lines += [sentence] if sentence else []
        listed = set[str]()
        for option in offered:
            if (stated := _statement(graph, option)) not in listed:
                listed.add(stated)
                number = f"{topic}.{len(numbers) + 1}"
                numbers[number] = option["id"]
                lines.append(f"{number} {stated}")
    return "\n".join(lines), numbers


def _statement(graph: KnowledgeGraph, option: RelationOption) -> str:
    ends = graph.name_of(option["topic"]), _names(graph, option)
    source, target = ends if option["direction"] == "out" else ends[::-1]
    return triple_sentence(source, option["phrase"], target)


def _names(graph: KnowledgeGraph, option: RelationOption) -> str:
    others = list(dict.fromkeys(option["others"]))
    more = len(others) - _MOST_NAMES
    names = "; ".join(map(graph.name_of, others[:_MOST_NAMES]))
    return names + (f" (and {more} more)" if more > 0 else "")
