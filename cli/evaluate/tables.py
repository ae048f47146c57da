"""The results of evaluations as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Column, Table

from ..show import notes, out

_SHARES = {"em": "EM", "f1": "F1", "containment": "contains"}
_OF_EVIDENCE = {"support_recall": "recall", "support_precision": "precision", "support_f1": "F1"}
_PER_QUESTION = {
    "retrievals_per_question": "searches",
    "retrieved_tokens_per_question": "tokens of texts",
    "hops_per_question": "hops",
}
_AT_CUTOFFS = ("recall", "precision", "f1", "all_support")


def retrieval(result: Any) -> None:
    """Prints the measures at each cutoff as a table of percentages."""
    named = [result[name] for name in ("set", "retriever", "rerank", "embeddings")]
    title = " · ".join(filter(None, named))
    table = table_of(title, *(f"@{k}" for k in result["recall"]))
    for name in _AT_CUTOFFS:
        table.add_row(name, *(f"{100 * value:.1f}" for value in result[name].values()))
    out.print(table)
    out.print(
        f"{result['questions']} questions ({result['without_support']} more without support) on "
        f"{result['passages']} passages; {1000 * result['seconds_per_question']:.1f} ms each, "
        f"indexed in {result['index_seconds']:.1f} s, {result['peak_mb']:.0f} MB at most"
    )
    notes(result["notes"])


def answers(results: Sequence[dict[str, Any]]) -> None:
    """Prints a line for every method: its answers, and its evidence; costs are per question."""
    first = results[0]
    title = f"{first['set']} · {first['model']} · {first['questions']} questions"
    table = table_of(title, *_SHARES.values(), "calls", "tokens", "seconds")
    for result in results:
        shares = (result[name] for name in _SHARES)
        costs = (result[name] / result["questions"] for name in ("calls", "tokens"))
        table.add_row(
            result["method"],
            *map(percent, shares),
            *(f"{cost:,.1f}" for cost in costs),
            f"{result['seconds_per_question']:.2f}",
        )
    out.print(table)
    evidence = table_of("evidence", *_OF_EVIDENCE.values(), *_PER_QUESTION.values())
    for result in results:
        per_question = (result[name] for name in _PER_QUESTION)
        evidence.add_row(
            result["method"],
            *(percent(result[name]) for name in _OF_EVIDENCE),
            *("–" if value is None else f"{value:,.1f}" for value in per_question),
        )
    out.print(evidence)
    notes(first["notes"])
    for result in results:
        if count := result["unanswerable"]["questions"]:
            refused = result["unanswerable"]["refused"]
            out.print(
                f"{result['method']} refused {percent(refused['value'])} % of {count} questions "
                f"that nothing answers (95 %: {percent(refused['low'])} to "
                f"{percent(refused['high'])})"
            )
        if result["reused"]:
            known = f"{result['reused']} replies to {result['method']} were known"
            notes([f"{known}; tokens are without."])
        if result["failures"]:
            failed = f"{result['failures']} questions failed with {result['method']}"
            notes([f"{failed} and count as wrong; the first: {result['first_failure']}"])


def cost(estimate: dict[str, Any]) -> None:
    """Prints the requests and tokens that an experiment has still to pay, from a dry run."""
    calls, tokens = least_to_most(estimate)
    out.print(f"{calls} requests to {escape(estimate['model'])}, {tokens} tokens to send.")


def curve(result: dict[str, Any]) -> None:
    """Prints a line for every combination of values: quality with its interval, or recall; cost."""
    title = f"{result['set']} · {result['method']} · {result['model']}"
    title = f"{title} · {result['questions']} questions"
    first = result["points"][0]
    if result["retrieval"]:
        table = table_of(title, *(f"@{k}" for k in first["recall"]), "passages", "seconds")
    else:
        columns = (*_SHARES.values(), "recall", "calls", "tokens", "seconds")
        table = table_of(title, *columns)
    names = [
        ", ".join(f"{setting}={value}" for setting, value in point["values"].items())
        for point in result["points"]
    ]
    for name, point in zip(names, result["points"], strict=True):
        table.add_row(name, *(_found(point) if result["retrieval"] else _answered(point)))
    out.print(table)
    out.print("Brackets: bootstrap interval of 95 % over the questions.")
    notes(result["notes"])
    for name, point in zip(names, result["points"], strict=True):
        if point["failures"]:
            failed = f"{point['failures']} questions failed with {name}"
            notes([f"{failed} and count as wrong; the first: {point['first_failure']}"])


def _answered(measured: dict[str, Any]) -> list[str]:
    """Quality, F1 with its interval, and costs a question."""
    costs = (measured[name] / measured["questions"] for name in ("calls", "tokens"))
    return [
        percent(measured["em"]),
        with_interval(measured["intervals"]["f1"]),
        *(percent(measured[name]) for name in ("containment", "support_recall")),
        *(f"{cost:,.1f}" for cost in costs),
        f"{measured['seconds_per_question']:.2f}",
    ]


def _found(measured: dict[str, Any]) -> list[str]:
    *shares, last = measured["recall"].values()
    return [
        *(percent(share["value"]) for share in shares),
        with_interval(last),
        f"{measured['passages']:.1f}",
        f"{measured['seconds_per_question']:.3f}",
    ]


def with_interval(measured: Mapping[str, Any] | None, sign: str = "") -> str:
    """A share in percent with its interval; the ``sign`` + is written before what is positive."""
    if measured is None or measured["value"] is None:
        return "–"
    low, high = (f"{100 * measured[name]:{sign}.0f}" for name in ("low", "high"))
    between = f"{low} to {high}" if sign else f"{low}–{high}"
    return f"{100 * measured['value']:{sign}.1f} ({between})"


def least_to_most(estimate: Mapping[str, int]) -> list[str]:
    """The calls and the tokens of an estimate: from least to most, or as they are known."""
    ends = [(estimate[f"{unit}_least"], estimate[f"{unit}_most"]) for unit in ("calls", "tokens")]
    return [f"{a:,}" if a == b else f"{a:,} to {b:,}" for a, b in ends]


def shares_of(shares: dict[str, Any], names: Sequence[str]) -> list[str]:
    """The shares of those ``names`` in per cent."""
    return [percent(shares[name]["value"]) for name in names]


def table_of(title: str, *columns: str) -> Table:
    """An empty table with a first column for names, and ``columns`` of numbers."""
    figures = (Column(name, justify="right") for name in columns)
    return Table(Column(no_wrap=True), *figures, title=title)


def percent(share: float | None) -> str:
    """A fraction of 1 in per cent; a dash for None."""
    return "–" if share is None else f"{100 * share:.1f}"
