"""The hops of a round that are worth showing to a model (HopRAG, reason); not in the paper."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from ..fusion import RANK_CONSTANT

MOST = 20
_FLOOR = 0.25
_SOURCE = 0.5


class Offer(NamedTuple):
    """The hop from ``source`` to ``target`` along ``edge``, and its worth by ``hop_worth``."""

    source: str
    target: str
    edge: int
    worth: float


def hop_worth(promise: float, rank: int | None, place: int) -> float:
    """promise · (1 / (k + rank) + ½ / (k + place)), the higher the more the hop is worth showing.

    ``promise`` in [0, 2] says how well the edge fits the question and its two passages, ``rank`` is
    the retriever's for the target (from 1, None: none), ``place`` the source's among the reached.
    """
    target = 1 / (RANK_CONSTANT + rank) if rank else 0.0
    return promise * (target + _SOURCE / (RANK_CONSTANT + place))


def worth_showing(offers: Iterable[Offer], best: float, *, every: bool = False) -> list[Offer]:
    """At most ``MOST`` of ``offers``, each target once, best first; ties by the edge's number.

    ``best`` is the worth of the best hop of the walk; what is worth less than a quarter of it is
    left out. With ``every`` all targets are shown.
    """
    first: dict[str, Offer] = {}
    for offer in sorted(offers, key=lambda offer: (-offer.worth, offer.edge)):
        if every or offer.worth >= _FLOOR * best:
            first.setdefault(offer.target, offer)
    return list(first.values())[: None if every else MOST]


def label_skill(useful: Collection[bool], useless: Collection[bool]) -> float:
    """How much better labels are than chance, in [0, 1]: (p − b) / (1 − b), at least 0.

    Each value says whether a hop led to a passage that supports the answer; ``useful`` are of hops
    that the labels would follow, ``useless`` of the others. p is the share of the former, and b
    that of all.
    """
    count, right = len(useful) + len(useless), sum(useful)
    base = (right + sum(useless)) / count if count else 1.0
    return max(0.0, (right / len(useful) - base) / (1 - base)) if useful and base < 1 else 0.0


def trust(useful: Iterable[int], useless: Iterable[int]) -> float:
    """How far labels are believed, in [0, 1]: min(1, 2 · AUC) of the retriever's ranks.

    AUC is the share of pairs in which the useful passage ranks before the useless one. A model that
    calls useful mostly what the retriever puts last is not believed; without pairs every one is.
    """
    last = list(useless)
    pairs = [(a < b) + (a == b) / 2 for a in useful for b in last]
    return min(1.0, 2 * sum(pairs) / len(pairs)) if pairs else 1.0
