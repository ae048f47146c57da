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
    options: Sequence[RelationOption],
    nearness: Mapping[str, float],
    said: Mapping[str, str],
    most: int,
) -> list[RelationOption]:
    """One topic's ``options``, nearest first, with their ``most`` nearest relations.

    ``nearness`` of relations to the question is by id; relations without one are left out. An
    option whose relations are stated by several sentences of ``said`` becomes one for each; those
    that none states are one.
    """
    wanted = [edge for option in options for edge in option["edges"] if edge in nearness]
    nearest = set(sorted(wanted, key=lambda edge: (-nearness[edge], edge))[:most])
    found = []
    for option in options:
        pairs = [
            pair
            for pair in zip(option["edges"], option["others"], strict=True)
            if pair[0] in nearest
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
    return found


def option_lines(
    graph: KnowledgeGraph, options: Sequence[RelationOption], said: Mapping[str, str], topic: int
) -> tuple[str, dict[str, list[str]]]:
    """The relations of one topic's ``options`` as lines, and their ids for each number in them.

    Each is a statement, such as "2.1 Ada Quill was born in Bergen." for the first one of the second
    ``topic``. Those that a sentence of ``said`` states (by the ids of relations) stand under it,
    the others before all. Relations that look alike have one number.
    """
    under: dict[str, list[RelationOption]] = {"": []}
    for option in options:
        sentence = shortened(one_line(said.get(option["edges"][0], "")), _LONGEST)
        under.setdefault(sentence, []).append(option)
    lines: list[str] = []
    numbers: dict[str, list[str]] = {}
    for sentence, offered in under.items():
        lines += [sentence] if sentence else []
        listed: dict[str, list[str]] = {}
        for option in offered:
            for edge, other in zip(option["edges"], option["others"], strict=True):
                listed.setdefault(_statement(graph, option, other), []).append(edge)
        for stated, edges in listed.items():
            number = f"{topic}.{len(numbers) + 1}"
            numbers[number] = edges
            lines.append(f"{number} {stated}")
    return "\n".join(lines), numbers


def _statement(graph: KnowledgeGraph, option: RelationOption, other: str) -> str:
    ends = graph.name_of(option["topic"]), graph.name_of(other)
    source, target = ends if option["direction"] == "out" else ends[::-1]
    return triple_sentence(source, option["phrase"], target)
