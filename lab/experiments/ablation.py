"""CRAG without each of its actions and operations (arXiv 2401.15884, section 5.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragraphs.evaluation.answering import AnsweringPlan, Way, contexts_of, unfinished
from ragraphs.evaluation.answers import Scored, answerable, asked_by
from ragraphs.evaluation.asking import Estimate
from ragraphs.evaluation.cost import estimated
from ragraphs.evaluation.curve import answered
from ragraphs.evaluation.datasets import load_dataset
from ragraphs.evaluation.intervals import Measure, mean_of
from ragraphs.evaluation.plots import Bar, Plot, bars, measured_bar
from ragraphs.models.web import web_search
from ragraphs.settings import settings

from .crag_parts import PARTS, graph_without

FULL = "full"
_ACTIONS = ("correct", "incorrect", "ambiguous")
_OF_THE_WEB = ("rewrite", "select")
_COMPARED = {"em": "EM", "f1": "F1", "containment": "contains"}
_NO_WEB = (
    "The web cannot be searched without TAVILY_API_KEY: rewriting and selection are not measured, "
    "and the other rows show CRAG as it works without the web."
)


def evaluate_ablation(folder: str, plan: AnsweringPlan, *, seed: int = 0) -> dict[str, Any]:
    """The measures of CRAG, and of CRAG without each part, as ``--json`` has them.

    A part of the web search is not measured where the web cannot be searched. Raises RagraphsError
    for what concerns all questions.
    """
    dataset, has_web = load_dataset(folder, plan.limit), _has_web(plan)
    with asked_by(_ways(plan), dataset, answerable, plan) as asked:
        dataset, whole = asked.dataset, asked.scored[FULL]
        rows = [
            {
                "without": None if name == FULL else name,
                "kind": "action" if name in _ACTIONS else "operation",
                "is_measured": name in asked.scored,
                **_measured(asked.scored.get(name), whole, seed),
            }
            for name in (FULL, *PARTS)
        ]
    return {
        "set": dataset.name,
        "model": plan.context.model,
        "web": has_web,
        "questions": len(whole),
        "left_out": len(dataset.questions) - len(whole),
        "notes": [] if has_web else [_NO_WEB],
        "rows": [{**rows[0], "kind": FULL}, *rows[1:]],
    }


def ablation_cost(folder: str, plan: AnsweringPlan) -> Estimate:
    """Cost of ``evaluate_ablation``; see ``estimated``."""
    ways, questions = _ways(plan), answerable(load_dataset(folder, plan.limit))
    asked = [one.question for one in questions]
    return estimated(ways, unfinished(ways, asked, plan), asked, plan)


def name_of(row: Mapping[str, Any]) -> str:
    """The name of a row of the result."""
    return f"without {row['without']}" if row["without"] else FULL


def ablation_plots(result: Mapping[str, Any]) -> list[Plot]:
    """The quality of each row, and its difference to the whole method."""
    title = f"{result['set']}, crag, {result['model']}" + ("" if result["web"] else ", no web")
    rows = [row for row in result["rows"] if row["is_measured"]]
    return [
        bars(title, {name_of(row): _bars(row["intervals"]) for row in rows}),
        bars(
            f"{title}: difference to the full method",
            {name_of(row): _bars(row["difference"]) for row in rows if row["without"]},
        ),
    ]


def _ways(plan: AnsweringPlan) -> dict[str, Way]:
    """CRAG, and CRAG without each part that can be measured, by the part's name."""
    context = contexts_of(plan._replace(methods=["crag"]))["crag"]
    parts = [part for part in PARTS if _has_web(plan) or part not in _OF_THE_WEB]
    return {FULL: Way("crag", context)} | {
        part: Way("crag", context, graph_without(part)) for part in parts
    }


def _has_web(plan: AnsweringPlan) -> bool:
    return web_search(settings(), plan.context.own.web) is not None


def _measured(rows: Sequence[Scored] | None, whole: Sequence[Scored], seed: int) -> dict[str, Any]:
    """The measures of ``rows``, and how much more of each they have than the ``whole`` method."""
    if rows is None:
        return {}
    differences = {
        name: [
            getattr(mine, name) - getattr(full, name)
            for mine, full in zip(rows, whole, strict=True)
        ]
        for name in _COMPARED
    }
    more = {name: mean_of(values, seed) for name, values in differences.items()}
    return {**answered(rows, seed), "difference": more}


def _bars(intervals: Mapping[str, Measure]) -> list[Bar]:
    return [measured_bar(said, intervals[name]) for name, said in _COMPARED.items()]
