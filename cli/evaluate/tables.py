"""The results of evaluations as tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.markup import escape
from rich.table import Column, Table

from ..show import notes, out

_SHARES = {"em": "EM", "f1": "F1", "containment": "contains", "support_recall": "recall"}


def retrieval(result: Any) -> None:
    """Prints recall as a table of percentages."""
    title = f"{result['set']} · {result['retriever']} · {result['embeddings']}"
    table = _table(title, *(f"@{k}" for k in result["recall"]))
    for name in ("recall", "all_support"):
        table.add_row(name, *(f"{100 * value:.1f}" for value in result[name].values()))
    out.print(table)
    out.print(
        f"{result['questions']} questions ({result['without_support']} more without support) on "
        f"{result['passages']} passages; {1000 * result['seconds_per_question']:.1f} ms each, "
        f"indexed in {result['index_seconds']:.1f} s, {result['peak_mb']:.0f} MB at most"
    )


def answers(results: Sequence[dict[str, Any]]) -> None:
    """Prints a line for every method, shares as percentages, costs per question."""
    first = results[0]
    title = f"{first['set']} · {first['model']} · {first['questions']} questions"
    table = _table(title, *_SHARES.values(), "calls", "tokens", "seconds")
    for result in results:
        shares = (result[name] for name in _SHARES)
        costs = (result[name] / result["questions"] for name in ("calls", "tokens"))
        table.add_row(
            result["method"],
            *map(_percent, shares),
            *(f"{cost:,.1f}" for cost in costs),
            f"{result['seconds_per_question']:.2f}",
        )
    out.print(table)
    for result in results:
        if result["reused"]:
            known = f"{result['reused']} replies to {result['method']} were known"
            notes([f"{known}; tokens are without."])
        if result["failures"]:
            failed = f"{result['failures']} questions failed with {result['method']}"
            notes([f"{failed} and count as wrong; the first: {result['first_failure']}"])


def router(result: dict[str, Any]) -> None:
    """Prints a line for every way to choose methods, calls and tokens a question, the verdict."""
    title = f"{result['set']} · {result['model']} · {result['questions']} questions"
    table = _table(title, "EM", "F1", "calls", "tokens", "misleading")
    for one in result["strategies"]:
        table.add_row(
            one["strategy"],
            _percent(one["em"]),
            _percent(one["f1"]),
            f"{one['calls']:.1f}",
            f"{one['tokens']:,.0f}",
            f"{_percent(one['misleading'])} / {_percent(one['misleading_of_sufficient'])}",
        )
    out.print(table)
    out.print(escape(result["verdict"]))
    out.print(
        "Misleading: wrong answers marked sufficient, in % of all answers / of all so marked."
    )
    if result["abstained"]:
        out.print(
            f"The router by kinds would have asked a model about {result['abstained']} of the "
            "questions; its classifier's first choice is taken."
        )
    notes(result["notes"])


def natural(result: dict[str, Any]) -> None:
    """Prints what is claimed and what is found, by kind of question and of document."""
    title = f"{result['set']} · {result['method']} · {result['model']} · {result['embeddings']}"
    columns = ("answered", "right", "sufficient", "precision", "highlighted")
    claims = _table(title, "n", *columns)
    for name, shares in {**result["answers"], **result["answers_by_source"]}.items():
        claims.add_row(name, str(shares["answered"]["n"]), *_shares(shares, columns))
    out.print(claims)
    for retriever, found in result["quotes"].items():
        cutoffs = list(found["all"])
        table = _table(f"supporting sentence by {retriever}", "n", *(f"@{k}" for k in cutoffs))
        for source, shares in found.items():
            table.add_row(source, str(shares[cutoffs[0]]["n"]), *_shares(shares, cutoffs))
        out.print(table)


def curve(result: dict[str, Any]) -> None:
    """Prints a line for every combination of values: quality with its interval, or recall; cost."""
    title = f"{result['set']} · {result['method']} · {result['model']}"
    title = f"{title} · {result['questions']} questions"
    first = result["points"][0]
    if result["retrieval"]:
        table = _table(title, *(f"@{k}" for k in first["recall"]), "passages", "seconds")
    else:
        table = _table(title, *_SHARES.values(), "calls", "tokens", "seconds")
    names = [
        ", ".join(f"{setting}={value}" for setting, value in point["values"].items())
        for point in result["points"]
    ]
    for name, point in zip(names, result["points"], strict=True):
        table.add_row(name, *(_found(point) if result["retrieval"] else _answered(point)))
    out.print(table)
    out.print("Brackets: bootstrap interval of 95 % over the questions.")
    for name, point in zip(names, result["points"], strict=True):
        if point["failures"]:
            failed = f"{point['failures']} questions failed with {name}"
            notes([f"{failed} and count as wrong; the first: {point['first_failure']}"])


def ablation(result: dict[str, Any]) -> None:
    """Prints a line for the full method and for each part left out, with the F1 that it has less.

    What was not measured is marked so.
    """
    title = f"{result['set']} · crag · {result['model']} · {result['questions']} questions"
    shares = ("em", "f1", "containment")
    table = _table(title, *(_SHARES[name] for name in shares), "F1 more", "calls", "tokens")
    for row in result["rows"]:
        name = f"w/o {row['without']}" if row["without"] else "full"
        if not row["is_measured"]:
            table.add_row(name, "needs", "the", "web")
            continue
        costs = (row[unit] / row["questions"] for unit in ("calls", "tokens"))
        more = _with_interval(row["difference"]["f1"], "+") if row["without"] else ""
        quality = [_percent(row[name]) for name in shares]
        table.add_row(name, *quality, more, *(f"{cost:,.1f}" for cost in costs))
    out.print(table)
    out.print("F1 more: than the full method, with the bootstrap interval of 95 %.")
    notes(result["notes"])
    for row in result["rows"]:
        if row["is_measured"] and row["failures"]:
            failed = f"{row['failures']} questions failed without {row['without'] or 'nothing'}"
            notes([f"{failed} and count as wrong; the first: {row['first_failure']}"])


def boundary(result: dict[str, Any]) -> None:
    """Prints the measures of each decider, and the table of retrieval and its need."""
    title = f"{result['set']} · {result['model']} · {result['measured']} questions"
    table = _table(title, "accuracy", "balanced", "F1", "MCC")
    for decider, decided in result["deciders"].items():
        shares = (decided[name] for name in ("accuracy", "balanced_accuracy", "f1", "mcc"))
        table.add_row(decider, *map(_with_interval, shares))
    out.print(table)
    for decider, decided in result["deciders"].items():
        counts = _table(decider, "retrieved", "not retrieved")
        for need, said in (("needed", "the model does not know"), ("known", "the model knows")):
            done = (decided["counts"][f"{one}_{need}"] for one in ("retrieved", "kept"))
            counts.add_row(said, *map(str, done))
        out.print(counts)
    searches = result["retrievals"]
    out.print(
        f"{_with_interval(result['needs_retrieval'])} % of the questions need retrieval; "
        f"{searches['value']:.2f} retrievals a question ({searches['low']:.2f} to "
        f"{searches['high']:.2f}). Brackets: bootstrap interval of 95 %; all in %."
    )
    if result["unanswered"]:
        notes([f"{result['unanswered']} questions had no usable reply without documents."])
    if result["deeprag"]["failures"]:
        failed = f"{result['deeprag']['failures']} questions failed with deeprag"
        notes([f"{failed} and are left out; the first: {result['deeprag']['first_failure']}"])


def estimate(cost: dict[str, int]) -> None:
    """Prints the calls and tokens that would be paid, from least to most."""
    told = [
        f"{cost[f'{unit}_least']:,} {unit}"
        if cost[f"{unit}_least"] == cost[f"{unit}_most"]
        else f"{cost[f'{unit}_least']:,} to {cost[f'{unit}_most']:,} {unit}"
        for unit in ("calls", "tokens")
    ]
    out.print(f"{' and '.join(told)}, for what is not known yet.")


def _answered(measured: dict[str, Any]) -> list[str]:
    """Quality, F1 with its interval, and costs a question."""
    costs = (measured[name] / measured["questions"] for name in ("calls", "tokens"))
    return [
        _percent(measured["em"]),
        _with_interval(measured["intervals"]["f1"]),
        *(_percent(measured[name]) for name in ("containment", "support_recall")),
        *(f"{cost:,.1f}" for cost in costs),
        f"{measured['seconds_per_question']:.2f}",
    ]


def _found(measured: dict[str, Any]) -> list[str]:
    *shares, last = measured["recall"].values()
    return [
        *(_percent(share["value"]) for share in shares),
        _with_interval(last),
        f"{measured['passages']:.1f}",
        f"{measured['seconds_per_question']:.3f}",
    ]


def _with_interval(measured: dict[str, float] | None, sign: str = "") -> str:
    """A share in percent with its interval; the ``sign`` + is written before what is positive."""
    if measured is None:
        return "–"
    low, high = (f"{100 * measured[name]:{sign}.0f}" for name in ("low", "high"))
    return f"{100 * measured['value']:{sign}.1f} ({low} to {high})"


def _shares(shares: dict[str, Any], names: Sequence[str]) -> list[str]:
    return [_percent(shares[name]["share"]) for name in names]


def _table(title: str, *columns: str) -> Table:
    return Table("", *(Column(name, justify="right") for name in columns), title=title)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"
