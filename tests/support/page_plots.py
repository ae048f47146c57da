"""Results of evaluations for the page: every kind of plot, and names that try to break it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from page_site import IMAGE, LINK, SCRIPT
from ragraphs.evaluation.plots import Bar, Curves, Matrix, Plot, Spot, bars
from ragraphs.evaluation.results import keep

MADE = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)
METHODS = {"basic": 0.43, "CRAG": 0.47, "DeepRAG": 0.52, "GraphRAG global": 0.391}


def _bar(name: str, value: float) -> Bar:
    return {"name": name, "value": value, "low": value - 0.05, "high": value + 0.05}


SHARES = bars(
    "musique, 200 questions",
    {method: [_bar("EM", f1 / 2), _bar("F1", f1)] for method, f1 in METHODS.items()},
)
PRICES = bars(
    "Dollars a question",
    {"dollars": [{"name": "basic", "value": 0.000834}, {"name": "CRAG", "value": None}]},
    "dollars",
)
WINS: Matrix = {
    "kind": "matrix",
    "title": "Wins of the row over the column",
    "unit": "share",
    "rows": list(METHODS),
    "columns": list(METHODS),
    "values": [
        [None if x == y else round(0.5 + (x - y) / 8, 3) for x in range(4)] for y in range(4)
    ],
}
COSTS: Curves = {
    "kind": "curves",
    "title": "Quality against tokens",
    "joined": False,
    "x_label": "tokens a question",
    "y_label": "F1",
    "x_unit": "number",
    "y_unit": "share",
    "curves": {
        method: [{"x": 1450 * 5**place, "y": f1, "low": f1 - 0.05, "high": f1 + 0.05}]
        for place, (method, f1) in enumerate(METHODS.items())
    },
}
_RISING: dict[str, list[Spot]] = {
    "basic": [{"x": k, "y": 0.3 + k / 50} for k in (1, 5, 20)],
    "HopRAG": [{"x": k, "y": 0.4 + k / 50} for k in (1, 5, 20)],
}
RISING: Curves = {**COSTS, "title": "top_k", "joined": True, "x_label": "top_k", "curves": _RISING}
PLOTS: list[Plot] = [SHARES, PRICES, WINS, COSTS, RISING]

_LONG = "a name without an end " * 20
_WORD = "x" * 300
HOSTILE: list[Plot] = [
    bars(
        f"{IMAGE} {_WORD}",
        {f"{SCRIPT} {_WORD}": [{"name": f"{n} {LINK} {_LONG}", "value": n / 7} for n in range(60)]},
    ),
    {
        **WINS,
        "title": SCRIPT,
        "rows": [f"{IMAGE} {n}" for n in range(12)],
        "columns": [f"{n} {_WORD}" for n in range(12)],
        "values": [[x * y / 121 for x in range(12)] for y in range(12)],
    },
    {
        **RISING,
        "title": _LONG,
        "x_label": _WORD,
        "y_label": IMAGE,
        "curves": {f"{n} {IMAGE} {_WORD}": _RISING["basic"] for n in range(14)},
    },
    bars("", {"": [], SCRIPT: [{"name": "", "value": None}]}),
]


def keep_results(folder: Path) -> None:
    """Keeps two results in the index in ``folder``: ``compare``, and before it a hostile one."""
    keep(folder, IMAGE.replace("/", ""), {}, HOSTILE, MADE - timedelta(days=1))
    keep(folder, "compare", {"f1": METHODS}, PLOTS, MADE)
