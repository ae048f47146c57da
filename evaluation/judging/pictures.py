"""The result of a judged comparison as plots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..plots import Matrix, Plot, Spot
from .verdicts import CRITERIA


def judge_plots(result: Mapping[str, Any]) -> list[Plot]:
    """A matrix of win rates for each criterion, and quality against tokens a question."""
    known = any(one["quality"] is not None for one in result["conditions"])
    matrices = [_matrix(result, criterion) for criterion in CRITERIA]
    return [*matrices, *([_quality(result)] if known else [])]


def _matrix(result: Mapping[str, Any], criterion: str) -> Matrix:
    names = [one["name"] for one in result["conditions"]]
    rates: dict[tuple[str, str], float] = {}
    for one in result["comparisons"]:
        if one["criterion"] == criterion and one["win_rate"] is not None:
            rates[one["row"], one["column"]] = one["win_rate"]
            rates[one["column"], one["row"]] = 1 - one["win_rate"]
    return {
        "kind": "matrix",
        "title": f"{criterion}: wins of the row over the column, {result['questions']} questions",
        "unit": "share",
        "rows": names,
        "columns": names,
        "values": [[rates.get((row, column)) for column in names] for row in names],
    }


def _quality(result: Mapping[str, Any]) -> Plot:
    return {
        "kind": "curves",
        "title": "Mean win rate on comprehensiveness, diversity and empowerment",
        "joined": False,
        "x_label": "tokens a question",
        "y_label": "win rate",
        "x_unit": "number",
        "y_unit": "share",
        "curves": {
            one["name"]: [Spot(x=one["tokens"], y=one["quality"], low=one["low"], high=one["high"])]
            for one in result["conditions"]
            if one["quality"] is not None
        },
    }
