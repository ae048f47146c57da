"""Circles laid side by side, and in circles around them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 60
_TOUCHING = 1e-6

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Circle:
    """A circle around (``x``, ``y``) of the radius ``r``."""

    x: float
    y: float
    r: float


def nested(
    radii: Mapping[str, float], children: Mapping[str, Sequence[str]], gap: float
) -> dict[str, Circle]:
    """Circles in circles: each id of ``radii`` is as large as that, each parent as its children.

    ``children`` has the circles inside each one, and under ``""`` the outermost. At least ``gap``
    is between two circles. The same input gives the same circles; the whole is around (0, 0).
    """
    sizes = dict(radii)
    places: dict[str, list[tuple[float, float]]] = {}
    for parent in _deepest_first(children):
        inner = [sizes[child] + gap / 2 for child in children[parent]]
        around, places[parent] = _centred(inner, packed(inner))
        sizes[parent] = around + gap / 2
    found = {"": Circle(0.0, 0.0, sizes.pop("", 0.0))}
    for parent in reversed(_deepest_first(children)):
        at = found[parent]
        for child, (x, y) in zip(children[parent], places[parent], strict=True):
            found[child] = Circle(at.x + x, at.y + y, sizes[child])
    del found[""]
    return found


def _deepest_first(children: Mapping[str, Sequence[str]]) -> list[str]:
    """All that have children, each after those that stand in it."""
    found, waiting = list[str](), [""]
    while waiting:
        parent = waiting.pop()
        if children.get(parent):
            found.append(parent)
            waiting.extend(children[parent])
    return found[::-1]


def packed(radii: Sequence[float]) -> list[tuple[float, float]]:
    """Centres of touching circles with these radii, the largest near (0, 0), none over another.

    Each circle comes to stand beside two that touch, where it is nearest to the middle.
    """
    order = sorted(range(len(radii)), key=lambda at: (-radii[at], at))
    sizes = np.array([radii[at] for at in order])
    centres = np.zeros((len(order), 2))
    if len(order) > 1:
        centres[1] = sizes[0] + sizes[1], 0.0
    pairs = [(0, 1), (1, 0)]
    for new in range(2, len(order)):
        spot = _nearest_free(centres, sizes, new, pairs)
        centres[new], (first, second) = spot
        pairs += [(first, new), (new, second)]
    points = [(0.0, 0.0)] * len(order)
    for place, at in enumerate(order):
        points[at] = float(centres[place][0]), float(centres[place][1])
    return points


def _nearest_free(
    centres: Floats, sizes: Floats, new: int, pairs: list[tuple[int, int]]
) -> tuple[Floats, tuple[int, int]]:
    """Where circle ``new`` stands nearest to the middle beside a pair, which is then taken.

    Pairs beside which there is no room are taken away for good, as all later circles are smaller
    or as large: gaps stay open, and the work grows by the square of the number only.
    """
    spots = _beside(centres, sizes, np.array(pairs), sizes[new])
    middle = np.average(centres[:new], axis=0, weights=sizes[:new] ** 2)
    gone: set[int] = set()
    for at in np.argsort(((spots - middle) ** 2).sum(axis=1), kind="stable").tolist():
        gone.add(at)
        away = np.hypot(*(centres[:new] - spots[at]).T)
        if (away >= (sizes[:new] + sizes[new]) * (1 - _TOUCHING)).all():
            found = pairs[at]
            pairs[:] = [pair for place, pair in enumerate(pairs) if place not in gone]
            return spots[at], found
    raise AssertionError("two circles on the outside always have room beside them")


def _beside(centres: Floats, sizes: Floats, pairs: NDArray[np.int64], size: float) -> Floats:
    """Centres of a circle of this ``size`` that touches both of each pair, on its left."""
    a, b = centres[pairs[:, 0]], centres[pairs[:, 1]]
    to_a, to_b = sizes[pairs[:, 0]] + size, sizes[pairs[:, 1]] + size
    across = b - a
    length = np.hypot(*across.T)
    along = (to_a**2 - to_b**2 + length**2) / (2 * length)
    aside = np.sqrt(np.maximum(to_a**2 - along**2, 0.0))
    unit = across / length[:, None]
    normal = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    beside: Floats = a + unit * along[:, None] + normal * aside[:, None]
    return beside


def _centred(
    radii: Sequence[float], points: Sequence[tuple[float, float]]
) -> tuple[float, list[tuple[float, float]]]:
    """The radius of a circle around all others, and their centres from its own (Bădoiu, Clarkson).

    It is near the smallest one: its centre moves towards the circle that reaches out furthest.
    """
    centres, sizes = np.array(points), np.array(radii)
    middle = np.average(centres, axis=0, weights=sizes**2)
    for step in range(1, _ROUNDS):
        reach = np.hypot(*(centres - middle).T) + sizes
        furthest = int(reach.argmax())
        middle = middle + (centres[furthest] - middle) / (step + 1) * _share(
            reach[furthest], sizes[furthest]
        )
    centres = centres - middle
    around = float((np.hypot(*centres.T) + sizes).max())
    return around, [(float(x), float(y)) for x, y in centres]


def _share(reach: float, size: float) -> float:
    """How much of the way to a circle's centre leads to its far side."""
    away = reach - size
    return 0.0 if math.isclose(away, 0.0, abs_tol=1e-9) else min(reach / away, 1.0)
