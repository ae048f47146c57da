"""The context of a community's report, and packing for map–reduce (GraphRAG)."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, takewhile
from typing import Literal, NamedTuple


class Element(NamedTuple):
    """A row of a context.

    ``title`` is the entity's name, "A – B" of a relation, the name of a claim's subject or the
    title of a report; ``text`` is what the context says of it. ``passages`` are ids.
    """

    kind: Literal["entity", "relation", "claim", "report"]
    id: str
    title: str
    text: str
    passages: tuple[str, ...]


class Child(NamedTuple):
    """A sub-community: the ids of the elements inside it (of relations, both ends), its report."""

    elements: frozenset[str]
    report: Element


def ordered_elements(
    entities: Sequence[Element],
    relations: Sequence[tuple[str, str, Element]],
    claims: Sequence[tuple[str, Element]],
    degree: Mapping[str, int],
) -> list[Element]:
    """Every element of a community once, the most prominent first (GraphRAG §2.4).

    ``relations`` are (source, target, element), ``claims`` are (subject, element). Relations come
    by the sum of their ends' degrees, descending, ties as given; each after its source, its target
    and their claims. Entities without a relation follow as given, with their claims.
    """
    by_id = {entity.id: entity for entity in entities}
    said: defaultdict[str, list[Element]] = defaultdict(list)
    for subject, claim in claims:
        said[subject].append(claim)
    walked = sorted(relations, key=lambda one: -(degree.get(one[0], 0) + degree.get(one[1], 0)))
    found: dict[str, Element] = {}
    for source, target, relation in walked:
        for id in (source, target):
            if id in by_id and id not in found:
                found |= {row.id: row for row in (by_id[id], *said.get(id, ()))}
        found[relation.id] = relation
    for entity in entities:
        if entity.id not in found:
            found |= {row.id: row for row in (entity, *said.get(entity.id, ()))}
    return list(found.values())


def report_context(
    elements: Sequence[Element],
    children: Sequence[Child],
    limit: int,
    size: Callable[[Element], int],
) -> list[Element]:
    """The elements, in order, if their sizes add up to ``limit`` at most; else with reports first.

    Children, the largest first, give their reports for their elements until the rest fits. If that
    is not enough, the list is cut off at the first element that does not fit.
    """
    sizes = {element.id: size(element) for element in elements}
    total = sum(sizes.values())
    inside = {child.report.id: child.elements & sizes.keys() for child in children}
    tokens = {id: sum(sizes[one] for one in members) for id, members in inside.items()}
    reports: list[Element] = []
    replaced: set[str] = set()
    for report in sorted(
        (child.report for child in children), key=lambda one: (-tokens[one.id], one.id)
    ):
        if total <= limit:
            break
        saved = sum(sizes[one] for one in inside[report.id] - replaced) - size(report)
        if saved > 0:
            reports.append(report)
            replaced |= inside[report.id]
            total -= saved
    rows = [*reports, *(element for element in elements if element.id not in replaced)]
    tokens_of = (sizes.get(row.id) or size(row) for row in rows)
    filled = takewhile(lambda tokens: tokens <= limit, accumulate(tokens_of))
    return [row for row, _ in zip(rows, filled, strict=False)]


def reports_alone(
    reports: Iterable[tuple[int, Element]], limit: int, size: Callable[[Element], int]
) -> list[Element] | None:
    """The ``report_context`` in which children's reports leave no room for elements, else None.

    ``reports`` come with the sizes of the children's elements; the others need not be known.
    """
    filled, rows = 0, list[Element]()
    for whole, report in sorted(reports, key=lambda one: (-one[0], one[1].id)):
        if whole > size(report):
            filled += size(report)
            if filled > limit:  # and so is all that there is, before and after
                return rows
            rows.append(report)
    return None


def pack(sizes: Sequence[int], limit: int) -> list[list[int]]:
    """Numbers 0..n-1 in order, cut greedily into contexts whose sizes add up to ``limit`` at most.

    An element larger than the limit has a context of its own.
    """
    packed: list[list[int]] = []
    room = 0
    for number, needed in enumerate(sizes):
        if not packed or needed > room:
            packed.append([])
            room = limit
        packed[-1].append(number)
        room -= needed
    return packed


def seeded_order(keys: Sequence[str], seed: int) -> list[int]:
    """The places of ``keys`` in an order that looks random and depends on keys and seed alone."""

    def drawn(place: int) -> bytes:
        return hashlib.blake2b(f"{seed}\n{keys[place]}".encode(), digest_size=16).digest()

    return sorted(range(len(keys)), key=lambda place: (drawn(place), place))
