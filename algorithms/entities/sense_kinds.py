"""The senses of one name told apart by the kinds of things that it is said to be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .spellings import kinds_of


class Said(NamedTuple):
    """One name in one passage as written, with its type and description there.

    ``slot`` groups names that may be one: it is the normalised name, or the spelling if a
    correction split that off from others of the same normalised name.
    """

    passage: str
    title: str
    spelling: str
    slot: str
    type: str
    description: str


def by_kinds(group: Sequence[Said], ids: Mapping[tuple[str, ...], str]) -> Iterator[str]:
    """The id of each name in ``group``, given the ``ids`` by kind.

    Names of unknown kind mean what the passage, the document or most others mean.
    """

    def places(said: Said) -> tuple[tuple[str, ...], ...]:
        return ("passage", said.passage), ("title", said.title), ()

    near: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    unsure = not all(kinds_of(said.type) for said in group)
    for said in group if unsure else ():
        if kinds := kinds_of(said.type):
            for place in places(said):
                near[place][ids[kinds]] += 1
    for said in group:
        kinds = kinds_of(said.type)
        if not kinds and near:
            counts = next(near[one] for one in places(said) if one in near)
            yield min(counts, key=lambda id: (-counts[id], id))
        else:
            yield ids[kinds]


def divided(counts: Counter[tuple[str, ...]]) -> dict[tuple[str, ...], tuple[str, frozenset[str]]]:
    """The sense of each tuple of kinds, as its kind and all kinds it may be.

    The most frequent come first; a tuple joins the first sense it shares a kind with, which then
    keeps only what they share, so that no chain leads from a person to a place.
    """
    senses: list[tuple[list[str], list[tuple[str, ...]]]] = []
    for kinds in sorted(filter(None, counts), key=lambda kinds: (-counts[kinds], kinds)):
        for sense, members in senses:
            if shared := [kind for kind in sense if kind in kinds]:
                sense[:] = shared
                members.append(kinds)
                break
        else:
            senses.append((list(kinds), [kinds]))
    return {kinds: (sense[0], frozenset(sense)) for sense, members in senses for kinds in members}
