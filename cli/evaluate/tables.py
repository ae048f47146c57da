"""The results of evaluations as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Column, Table

from ..show import notes, out

_SHARES = {"em": "EM", "f1": "F1", "containment": "contains"}
_OF_EVIDENCE = {"support_recall": "recall", "support_precision": "precision", "support_f1": "F1"}
_PER_QUESTION = {"retrievals_per_question": "searches", "hops_per_question": "hops"}
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
            *("–" if value is None else f"{value:.1f}" for value in per_question),
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


def router(result: dict[str, Any]) -> None:
    """Prints a line for every way to choose methods, calls and tokens a question, the verdict."""
    title = f"{result['set']} · {result['model']} · {result['questions']} questions"
    table = table_of(title, "EM", "F1", "calls", "tokens", "misleading")
    for one in result["strategies"]:
        table.add_row(
            one["strategy"],
            percent(one["em"]),
            percent(one["f1"]),
            f"{one['calls']:.1f}",
            f"{one['tokens']:,.0f}",
            f"{percent(one['misleading'])} / {percent(one['misleading_of_sufficient'])}",
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
    claims = table_of(title, "n", *columns)
    for name, shares in {**result["answers"], **result["answers_by_source"]}.items():
        claims.add_row(name, str(shares["answered"]["n"]), *shares_of(shares, columns))
    out.print(claims)
    for retriever, found in result["quotes"].items():
        cutoffs = list(found["all"])
        table = table_of(f"supporting sentence by {retriever}", "n", *(f"@{k}" for k in cutoffs))
        for source, shares in found.items():
            table.add_row(source, str(shares[cutoffs[0]]["n"]), *shares_of(shares, cutoffs))
        out.print(table)


def cost(estimate: dict[str, Any]) -> None:
    """Prints the requests and tokens that an experiment has still to pay, from a dry run."""
    calls, tokens = (
        _range(estimate[f"{name}_least"], estimate[f"{name}_most"]) for name in ("calls", "tokens")
    )
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
    for name, point in zip(names, result["points"], strict=True):
        if point["failures"]:
            failed = f"{point['failures']} questions failed with {name}"
            notes([f"{failed} and count as wrong; the first: {point['first_failure']}"])


def ablation(result: dict[str, Any]) -> None:
    """Prints a line for the full method and for each part left out, with the F1 that it has less.

    Parts that were not measured are marked so.
    """
    title = f"{result['set']} · crag · {result['model']} · {result['questions']} questions"
    shares = ("em", "f1", "containment")
    table = table_of(title, *(_SHARES[name] for name in shares), "F1 more", "calls", "tokens")
    for row in result["rows"]:
        name = f"w/o {row['without']}" if row["without"] else "full"
        if not row["is_measured"]:
            table.add_row(name, "needs", "the", "web")
            continue
        costs = (row[unit] / row["questions"] for unit in ("calls", "tokens"))
        more = with_interval(row["difference"]["f1"], "+") if row["without"] else ""
        quality = [percent(row[name]) for name in shares]
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
    table = table_of(title, "accuracy", "balanced", "F1", "MCC")
    for decider, decided in result["deciders"].items():
        shares = (decided[name] for name in ("accuracy", "balanced_accuracy", "f1", "mcc"))
        table.add_row(decider, *map(with_interval, shares))
    out.print(table)
    for decider, decided in result["deciders"].items():
        counts = table_of(decider, "retrieved", "not retrieved")
        for need, said in (("needed", "the model does not know"), ("known", "the model knows")):
            done = (decided["counts"][f"{one}_{need}"] for one in ("retrieved", "kept"))
            counts.add_row(said, *map(str, done))
        out.print(counts)
    searches = result["retrievals"]
    out.print(
        f"{with_interval(result['needs_retrieval'])} % of the questions need retrieval; "
        f"{searches['value']:.2f} retrievals a question ({searches['low']:.2f} to "
        f"{searches['high']:.2f}). Brackets: bootstrap interval of 95 %; all in %."
    )
    if result["unanswered"]:
        notes([f"{result['unanswered']} questions had no usable reply without documents."])
    if result["deeprag"]["failures"]:
        failed = f"{result['deeprag']['failures']} questions failed with deeprag"
        notes([f"{failed} and are left out; the first: {result['deeprag']['first_failure']}"])


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


def _range(least: int, most: int) -> str:
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


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
