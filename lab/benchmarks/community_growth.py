"""The cost of the hierarchy of communities, and how well it follows a graph that grows.

``python -m lab.benchmarks.community_growth 100000`` for so many made-up entities.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import igraph
import numpy as np
import typer
from ragraphs.algorithms.graphrag.communities import Previous, find_communities, paths_of
from ragraphs.evaluation.measuring import peak_megabytes, timed
from ragraphs.state.reports import Community

from ..command import run

_DRAWN = 5.7
_INSIDE = 0.7
_GROWTH = 1.01

Weights = dict[tuple[str, str], float]


def main(
    entities: int, times: Annotated[int, typer.Option(help="How often the graph grows by 1 %.")] = 1
) -> None:
    """Prints seconds, memory and how stable the hierarchy of a made-up graph is."""
    print(json.dumps(growth(entities, times)))


def growth(entities: int, times: int) -> dict[str, Any]:
    """Seconds and memory for a planted graph of that many entities, and for 1 % more, ``times``
    times, each from what was remembered of the one before.

    ``kept`` is the share of the communities that are the same after the last time, ``modularity``
    is of level 0, and ``of_cold`` the share of it against a start without memory.
    """
    largest = round(entities * _GROWTH**times)
    whole = planted(largest)
    ids = [f"e{number:08d}" for number in range(largest)]
    weights = _among(whole, entities)
    before, cold = _timed(ids[:entities], weights)
    result: dict[str, Any] = {
        "entities": entities,
        "relations": len(weights),
        "levels": before[-1].level + 1,
        "communities": len(before),
        "seconds": cold,
        "peak_mb": round(peak_megabytes()),
        "modularity": round(modularity(before, weights), 4),
    }
    steps = []
    for step in range(1, times + 1):
        size = round(entities * _GROWTH**step)
        previous = Previous(paths_of(before))
        weights = _among(whole, size)
        after, seconds = _timed(ids[:size], weights, previous)
        kept = len({one.id for one in before} & {one.id for one in after}) / len(before)
        found = modularity(after, weights)
        steps.append({"seconds": seconds, "kept": round(kept, 4), "modularity": round(found, 4)})
        before = after
    if steps:
        afresh, _ = _timed(ids[:size], weights)
        steps[-1]["of_cold"] = round(found / modularity(afresh, weights), 4)
    return {**result, "grown": steps}


def planted(entities: int, seed: int = 0) -> Weights:
    """About five weighted pairs an entity, with skewed degrees: most inside groups of very
    different sizes, the rest anywhere. Of any first entities, a graph of the same kind."""
    chance = np.random.default_rng(seed)
    sizes = np.ones(0, dtype=np.int64)
    while sizes.sum() < entities:
        drawn = np.minimum(3 + chance.pareto(1.2, 1000) * 10, max(entities // 30, 5))
        sizes = np.concatenate([sizes, drawn.astype(np.int64)])
    group = np.repeat(np.arange(len(sizes)), sizes)[:entities]
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    sizes = np.bincount(group, minlength=len(sizes))
    activity = chance.pareto(1.5, entities) + 1
    activity /= activity.sum()
    count = round(entities * _DRAWN)
    source = chance.choice(entities, count, p=activity)
    near = first[group[source]] + (chance.random(count) * sizes[group[source]]).astype(np.int64)
    far = chance.choice(entities, count, p=activity)
    target = np.where(chance.random(count) < _INSIDE, near, far)
    names = chance.permutation(entities)
    weight = chance.exponential(size=count) + 0.05
    ends = np.sort(np.column_stack([names[source], names[target]]), axis=1)
    rows = zip(ends.tolist(), weight.tolist(), strict=True)
    return {(f"e{a:08d}", f"e{b:08d}"): value for (a, b), value in rows if a != b}


def modularity(communities: Sequence[Community], weights: Weights) -> float:
    """Q of the communities of level 0, in [−½, 1]."""
    roots = (one for one in communities if one.level == 0)
    number = {id: place for place, one in enumerate(roots) for id in one.members}
    rows = ((a, b, weight) for (a, b), weight in weights.items())
    graph = igraph.Graph.TupleList(rows, weights=True)
    return float(graph.modularity([number[id] for id in graph.vs["name"]], weights="weight"))


def _among(weights: Weights, count: int) -> Weights:
    last = f"e{count:08d}"
    return {pair: weight for pair, weight in weights.items() if max(pair) < last}


def _timed(
    entities: Sequence[str], weights: Weights, previous: Any = None
) -> tuple[list[Community], float]:
    seconds, found = timed(lambda: find_communities(entities, weights, previous=previous))
    return found, round(seconds, 1)


if __name__ == "__main__":
    run(main)
