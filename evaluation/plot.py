"""Quality against cost, as an SVG drawing."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..state.errors import RagraphsError
from .extra import evaluate_extra

with evaluate_extra():
    from matplotlib import rc_context
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = {"always": "#4477aa", "router": "#cc3311", "oracle": "#117733"}
_OTHER = "#777777"
_WIDTH, _HEIGHT = 8, 5  # inches
_LINE, _LETTER, _GAP = 12, 6, 12  # points: a label's height, its width, its distance
_STYLE = {"svg.fonttype": "none", "svg.hashsalt": "ragraphs", "text.parse_math": False}


def draw(file: Path, title: str, strategies: Sequence[Mapping[str, Any]]) -> None:
    """Draws F1 in percent against calls a question, a labelled point for each strategy, as SVG.

    Raises RagraphsError where ``file`` cannot be written.
    """
    points = [(float(s["calls"]), 100 * float(s["f1"]), str(s["strategy"])) for s in strategies]
    with rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # who looks at the drawing brings the fonts
        figure = Figure(figsize=(_WIDTH, _HEIGHT), dpi=72)
        axes = figure.add_axes((0.1, 0.12, 0.85, 0.78))
        axes.set(title=title, xlabel="calls a question", ylabel="F1 in percent")
        axes.set_xlim(0, 1.05 * max(x for x, _, _ in points) or 1)
        axes.set_ylim(0, max(10.0, min(104.0, 1.2 * max(y for _, y, _ in points))))
        axes.grid(axis="y", color="#dddddd")
        _draw_points(axes, points)
        try:
            figure.savefig(file, format="svg", metadata={"Date": None})
        except OSError as error:
            raise RagraphsError(
                f"{file} cannot be written ({error}); name another file."
            ) from error


def _draw_points(axes: Axes, points: Sequence[tuple[float, float, str]]) -> None:
    """Draws points with their names beside them, lower where another name is in the way."""
    taken: list[tuple[float, float, float]] = []
    for x, y, name in sorted(points, key=lambda point: (-point[1], point[0])):
        colour = next((c for start, c in _COLOURS.items() if name.startswith(start)), _OTHER)
        shown = name.removeprefix("always ")
        axes.plot(x, y, "o", color=colour, clip_on=False)
        across, up = axes.transData.transform((x, y))
        side = -1 if across > 0.7 * 72 * _WIDTH else 1
        left, right = sorted((across, across + side * (_GAP + _LETTER * len(shown))))
        height = up
        while any(
            abs(height - h) < _LINE and left < end and start < right for h, start, end in taken
        ):
            height -= 1
        taken.append((height, left, right))
        anchor = 0 if side > 0 else 1
        axes.annotate(
            shown,
            (x, y),
            (side * _GAP, height - up),
            textcoords="offset points",
            ha=("left", "right")[anchor],
            va="center",
            color=colour,
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.5, "relpos": (anchor, 0.5)},
        )
