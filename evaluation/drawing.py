"""Plots as SVG drawings, by matplotlib."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..state.errors import RagraphsError
from .extra import evaluate_extra
from .plots import Bars, Curves, Matrix, Plot, Unit

with evaluate_extra():
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = "osD^v<>pP*Xhd"
_STYLE: Any = {"svg.fonttype": "none", "svg.hashsalt": "ragraphs", "text.parse_math": False}
_DARK = 0.6  # cells of a matrix from here on have white figures


def draw(file: Path, plots: Sequence[Plot]) -> None:
    """Draws ``plots`` below each other into an SVG file.

    Raises RagraphsError where ``file`` cannot be written.
    """
    with rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # whoever looks at the drawing has the fonts
        figure = Figure(figsize=(8, 5 * len(plots)), layout="constrained")
        for axes, plot in zip(figure.subplots(len(plots), squeeze=False)[:, 0], plots, strict=True):
            if plot["kind"] == "bars":
                _bars(axes, plot)
            elif plot["kind"] == "matrix":
                _matrix(axes, plot)
            else:
                _curves(axes, plot)
            axes.set_title(plot["title"])
        try:
            figure.savefig(file, format="svg", metadata={"Date": None})
        except OSError as error:
            raise RagraphsError(
                f"{file} cannot be written ({error}); name another file."
            ) from error


def _bars(axes: Axes, plot: Bars) -> None:
    """Horizontal bars, one group below the other, with the interval of each value."""
    names = list(dict.fromkeys(bar["name"] for group in plot["groups"].values() for bar in group))
    height, places = 0.8 / max(len(names), 1), range(len(plot["groups"]))
    for n, name in enumerate(names):
        rows = [
            (place + n * height, bar, bar["value"])
            for place, group in zip(places, plot["groups"].values(), strict=True)
            for bar in group
            if bar["name"] == name and bar["value"] is not None
        ]
        reach = [
            [value - bar.get("low", value) for _, bar, value in rows],
            [bar.get("high", value) - value for _, bar, value in rows],
        ]
        widths = [value for *_, value in rows]
        axes.barh([y for y, *_ in rows], widths, height, label=name, xerr=reach, capsize=2)
    axes.set_yticks([place + 0.4 - height / 2 for place in places], list(plot["groups"]))
    axes.invert_yaxis()
    axes.grid(color="#dddddd", axis="x")
    _scale(axes.xaxis, plot["unit"])
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def _matrix(axes: Axes, plot: Matrix) -> None:
    """Cells with their figures, the darker the larger."""
    cells = [[float("nan") if v is None else v for v in row] for row in plot["values"]]
    axes.imshow(cells, cmap="Purples", vmin=0, vmax=1 if plot["unit"] == "share" else None)
    for y, row in enumerate(plot["values"]):
        for x, value in enumerate(row):
            if value is not None:
                said = f"{100 * value:.0f}" if plot["unit"] == "share" else f"{value:.3g}"
                color = "white" if plot["unit"] == "share" and value >= _DARK else "black"
                axes.text(x, y, said, ha="center", va="center", color=color)
    axes.set_xticks(range(len(plot["columns"])), plot["columns"], rotation=30, ha="right")
    axes.set_yticks(range(len(plot["rows"])), plot["rows"])


def _curves(axes: Axes, plot: Curves) -> None:
    """Lines, or single points with a marker each, with the intervals of their values."""
    for place, (name, spots) in enumerate(plot["curves"].items()):
        x, y = [spot["x"] for spot in spots], [spot["y"] for spot in spots]
        reach = [
            [spot["y"] - spot.get("low", spot["y"]) for spot in spots],
            [spot.get("high", spot["y"]) - spot["y"] for spot in spots],
        ]
        form = _MARKERS[place % len(_MARKERS)] + ("-" if plot["joined"] else "")
        axes.errorbar(x, y, reach, fmt=form, label=name, capsize=2, clip_on=False)
    axes.set(xlabel=plot["x_label"], ylabel=plot["y_label"])
    spots = [spot for curve in plot["curves"].values() for spot in curve]
    if all(spot["x"] >= 0 for spot in spots):
        axes.set_xlim(0, None)
    if all(spot.get("low", spot["y"]) >= 0 for spot in spots):
        axes.set_ylim(0, None)
    axes.grid(color="#dddddd")
    _scale(axes.xaxis, plot["x_unit"])
    _scale(axes.yaxis, plot["y_unit"])
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def _scale(axis: Any, unit: Unit) -> None:
    """Fractions of 1 are written in percent."""
    if unit == "share":
        axis.set_major_formatter(PercentFormatter(1.0))
