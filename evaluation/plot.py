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
    from matplotlib.figure import Figure

_MARKERS = "osD^v<>pP*Xhd"
_STYLE: Any = {"svg.fonttype": "none", "svg.hashsalt": "ragraphs", "text.parse_math": False}


def draw(file: Path, title: str, strategies: Sequence[Mapping[str, Any]]) -> None:
    """Draws F1 in percent against calls a question, a point for each strategy, as SVG.

    Raises RagraphsError where ``file`` cannot be written.
    """
    with rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # whoever looks at the drawing has the fonts
        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.subplots()
        for place, one in enumerate(strategies):
            marker = _MARKERS[place % len(_MARKERS)]
            axes.plot(one["calls"], 100 * one["f1"], marker, label=one["strategy"], clip_on=False)
        axes.set(title=title, xlabel="calls a question", ylabel="F1 in percent")
        axes.set(xlim=(0, None), ylim=(0, None))
        axes.grid(color="#dddddd")
        figure.legend(loc="outside right upper")
        try:
            figure.savefig(file, format="svg", metadata={"Date": None})
        except OSError as error:
            raise RagraphsError(
                f"{file} cannot be written ({error}); name another file."
            ) from error
