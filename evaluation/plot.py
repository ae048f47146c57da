"""Quality against cost, as an SVG drawing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_WIDTH, _HEIGHT, _MARGIN = 760, 460, 64
_COLOURS = {"always": "#4477aa", "router": "#cc3311", "oracle": "#117733"}
_OTHER = "#777777"
_LINE = 15


def plot(title: str, strategies: Sequence[Mapping[str, Any]]) -> str:
    """An SVG of F1 in percent against calls a question, a labelled point for each strategy."""
    points = [(float(s["calls"]), 100 * float(s["f1"]), str(s["strategy"])) for s in strategies]
    most = _step(max(x for x, _, _ in points)) * 5
    top = max(10.0, min(100.0, 10 * math.ceil(max(y for _, y, _ in points) / 10 + 0.2)))

    def place(x: float, y: float) -> tuple[float, float]:
        across, up = _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN
        return _MARGIN + across * x / most, _HEIGHT - _MARGIN - up * y / top

    parts = [*_axes(most, top, title)]
    taken: list[tuple[float, float]] = []
    for x, y, name in sorted(points, key=lambda point: (-point[1], point[0])):
        left, upper = place(x, y)
        parts.append(_point(left, upper, name, _free(left, upper, taken)))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12">\n'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def _step(most: float) -> float:
    """A round fifth of the axis that reaches at least ``most``."""
    raw = max(most, 1e-9) / 5
    unit = 10.0 ** math.floor(math.log10(raw))
    return next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= raw)


def _axes(most: float, top: float, title: str) -> list[str]:
    right, bottom = _WIDTH - _MARGIN, _HEIGHT - _MARGIN
    parts = [
        f'<text x="{_MARGIN}" y="28" font-size="15">{escape(title)}</text>',
        f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 16}" text-anchor="middle">calls a question</text>',
        f'<text x="18" y="{_HEIGHT / 2}" text-anchor="middle" '
        f'transform="rotate(-90 18 {_HEIGHT / 2})">F1 in percent</text>',
    ]
    for fifth in range(6):
        across = _MARGIN + (right - _MARGIN) * fifth / 5
        up = bottom - (bottom - _MARGIN) * fifth / 5
        parts += [
            f'<line x1="{_MARGIN}" y1="{up:.1f}" x2="{right}" y2="{up:.1f}" stroke="#dddddd"/>',
            f'<text x="{_MARGIN - 8}" y="{up + 4:.1f}" text-anchor="end">'
            f"{top * fifth / 5:g}</text>",
            f'<text x="{across:.1f}" y="{bottom + 18}" text-anchor="middle">'
            f"{most * fifth / 5:g}</text>",
        ]
    return parts


def _free(left: float, upper: float, taken: list[tuple[float, float]]) -> float:
    """The height of a label beside a point that stands clear of those before it."""
    height = upper
    while any(abs(height - y) < _LINE and abs(left - x) < _WIDTH / 3 for x, y in taken):
        height += _LINE
    taken.append((left, height))
    return height


def _point(left: float, upper: float, name: str, height: float) -> str:
    colour = next((c for start, c in _COLOURS.items() if name.startswith(start)), _OTHER)
    end = left > _WIDTH * 0.7
    anchor, beside = ("end", left - 10) if end else ("start", left + 10)
    return (
        f'<circle cx="{left:.1f}" cy="{upper:.1f}" r="5" fill="{colour}"/>'
        f'<text x="{beside:.1f}" y="{height + 4:.1f}" text-anchor="{anchor}" fill="{colour}">'
        f"{escape(name.removeprefix('always '))}</text>"
    )
