"""Plots as SVG drawings, by matplotlib."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ..state.errors import RagraphsError
from .extra import evaluate_extra
from .plots import Bar, Bars, Curves, Matrix, Plot, Spot, Unit

with evaluate_extra():
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, MaxNLocator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "ragraphs",
    "text.parse_math": False,
    "axes.axisbelow": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "grid.color": "#dddddd",
    "hatch.linewidth": 1.2,
}
_COLOURS = ("#2a6fa8", "#b3541e", "#2f7d5b", "#8450a8", "#8f6b00", "#a83d6a", "#566270")
_HATCHES = ("", "///", "||", "\\\\\\", "..", "xx")
_MARKERS = "osD^v<>pP*Xhd"
_LINES = ("-", "--", ":", "-.")
_INTERVAL: Any = {"lw": 1.2, "markersize": 5}
_DARK = 0.6  # cells of a matrix from here on have white figures
_WIDE = 30  # from this ratio of the largest to the smallest on, an axis is logarithmic
_NAME, _LINE = 36, 84  # characters


def draw(file: Path, plots: Sequence[Plot]) -> None:
    """Draws ``plots`` below each other into an SVG file.

    Raises RagraphsError where ``file`` cannot be written.
    """
    tall = [_height(plot) for plot in plots]
    with rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # whoever looks at the drawing has the fonts
        figure = Figure(figsize=(9, sum(tall)), layout="constrained")
        parts = figure.subfigures(len(plots), 1, squeeze=False, height_ratios=tall)[:, 0]
        for part, plot in zip(parts, plots, strict=True):
            axes = part.subplots()
            if plot["kind"] == "bars":
                _bars(axes, plot)
            elif plot["kind"] == "matrix":
                _matrix(axes, plot)
            else:
                _curves(axes, plot)
            part.suptitle(fill(plot["title"], _LINE), x=0.01, ha="left")
        try:
            figure.savefig(file, format="svg", metadata={"Date": None})
        except OSError as error:
            raise RagraphsError(
                f"{file} cannot be written ({error}); name another file."
            ) from error


def _height(plot: Plot) -> float:
    """The height of ``plot`` in inches, including its names and its title."""
    if plot["kind"] == "bars":
        return 1.2 + 0.27 * len(_rows(plot))
    if plot["kind"] == "matrix":
        return 1.9 + 0.42 * len(plot["rows"])
    return max(4.5, 1.5 + 0.25 * len(plot["curves"]))


def _rows(plot: Bars) -> list[tuple[str, Bar | None]]:
    """The bars from top to bottom by their names; of several groups, the name of each before."""
    several = len(plot["groups"]) > 1
    return [
        row
        for group, own in plot["groups"].items()
        for row in [*([(group, None)] if several else []), *((bar["name"], bar) for bar in own)]
    ]


def _bars(axes: Axes, plot: Bars) -> None:
    """Horizontal bars, one below the other, each with its figure and its interval."""
    rows = _rows(plot)
    names = [name for name, bar in rows if bar is not None]
    series = list(dict.fromkeys(names)) if len(set(names)) < len(names) else []
    for y, (name, bar) in enumerate(rows):
        if bar is None:
            continue
        value, said, end = bar["value"], "not measured", 0.0
        if value is not None:
            place = series.index(name) if series else 0
            look: Any = {"color": _colour(place), "hatch": _HATCHES[place % len(_HATCHES)]}
            axes.barh(y, value, 0.7, edgecolor="white", linewidth=0, **look)
            said, end = _said(value, plot["unit"]), max(value, end)
        if interval := _interval(bar):
            axes.plot(interval, [y, y], color="black", marker="|", **_INTERVAL)
            end = max(*interval, end)
        beside: Any = {"xytext": (6, 0), "textcoords": "offset points", "va": "center"}
        axes.annotate(said, (end, y), **beside)
    axes.set_yticks(range(len(rows)), [_short(name) for name, _ in rows])
    for label, (_, bar) in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_fontweight("normal" if bar else "bold")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.margins(x=0.14)
    axes.axvline(0, color="black", lw=0.8)
    axes.grid(axis="x")
    axes.xaxis.set_major_formatter(lambda value, _: _said(value, plot["unit"]))


def _matrix(axes: Axes, plot: Matrix) -> None:
    """Cells with their figures, the darker the larger; those that were not measured are grey."""
    is_share = plot["unit"] == "share"
    known = [value for row in plot["values"] for value in row if value is not None]
    least, most = min([0.0, *known]), 1.0 if is_share else max([0.0, *known]) or 1.0
    cells = [[float("nan") if v is None else v for v in row] for row in plot["values"]]
    if known:
        axes.imshow(cells, cmap="Purples", vmin=least, vmax=most, aspect="auto")
    for y, row in enumerate(plot["values"]):
        for x, value in enumerate(row):
            if value is not None:
                color = "white" if (value - least) / (most - least) >= _DARK else "black"
                axes.text(x, y, _said(value, plot["unit"]), ha="center", va="center", color=color)
    axes.set_facecolor("#eeeeee")
    axes.xaxis.tick_top()
    columns = [_short(name) for name in plot["columns"]]
    is_tight = any(len(name) * len(columns) > _LINE for name in columns)
    tilt: Any = {"rotation": 30, "ha": "left"} if is_tight else {}
    axes.set_xticks(range(len(columns)), columns, **tilt)
    axes.set_yticks(range(len(plot["rows"])), [_short(name) for name in plot["rows"]])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _curves(axes: Axes, plot: Curves) -> None:
    """Lines, or single points with a marker each, with the intervals of their values."""
    for place, (name, own) in enumerate(plot["curves"].items()):
        color, marker = _colour(place), _MARKERS[place % len(_MARKERS)]
        line = _LINES[place % len(_LINES)] if plot["joined"] else ""
        x, y = [spot["x"] for spot in own], [spot["y"] for spot in own]
        look: Any = {"ls": line, "marker": marker, "color": color}
        # Markers at an edge are drawn whole; the layout takes nothing, unclipped, for a point.
        axes.plot(x, y, **look, label=_short(name), clip_on=not own)
        known = [(spot["x"], interval) for spot in own if (interval := _interval(spot))]
        if plot["joined"] and known:
            low, high = [low for _, (low, _) in known], [high for _, (_, high) in known]
            axes.fill_between([x for x, _ in known], low, high, color=color, alpha=0.15, lw=0)
            continue
        for place_x, interval in known:
            axes.plot([place_x, place_x], interval, color=color, marker="_", **_INTERVAL)
    spots = [spot for own in plot["curves"].values() for spot in own]
    axes.set(xlabel=_short(plot["x_label"]), ylabel=_short(plot["y_label"]))
    _scale(axes, [spot["x"] for spot in spots], [spot["y"] for spot in spots])
    axes.grid()
    axes.xaxis.set_major_formatter(lambda value, _: _said(value, plot["x_unit"]))
    axes.yaxis.set_major_formatter(lambda value, _: _said(value, plot["y_unit"]))
    if plot["curves"]:
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def _scale(axes: Axes, x: Sequence[float], y: Sequence[float]) -> None:
    """Both axes begin at zero, except for values that are far apart, or all far from it."""
    if x and min(x) > 0 and max(x) / min(x) >= _WIDE:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.set_xlabel(f"{axes.get_xlabel()} (logarithmic)")
    else:
        is_whole = all(value == int(value) for value in x)
        axes.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10], integer=is_whole))
        if x and min(x) >= 0:
            axes.set_xlim(0, None)
    if y and 0 <= min(y) <= max(y) / 2:
        axes.set_ylim(0, None)


def _interval(of: Bar | Spot) -> tuple[float, float] | None:
    low, high = of.get("low"), of.get("high")
    return None if low is None or high is None else (low, high)


def _said(value: float, unit: Unit) -> str:
    """A figure as it is written, rounded."""
    if unit == "share":
        return f"{100 * value:.3g}%"
    rounded = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return {"dollars": f"${rounded}", "seconds": f"{rounded} s"}.get(unit, rounded)


def _colour(place: int) -> str:
    return _COLOURS[place % len(_COLOURS)]


def _short(name: str) -> str:
    """A name on one line, its end left out where it is long."""
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"
