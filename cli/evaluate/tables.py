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
    table = table_of(title, *(f"@{k}" for k in result["recall"]))
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
        claims.add_row(name, str(shares["answered"]["n"]), *_shares(shares, columns))
    out.print(claims)
    for retriever, found in result["quotes"].items():
        cutoffs = list(found["all"])
        table = table_of(f"supporting sentence by {retriever}", "n", *(f"@{k}" for k in cutoffs))
        for source, shares in found.items():
            table.add_row(source, str(shares[cutoffs[0]]["n"]), *_shares(shares, cutoffs))
        out.print(table)


def _shares(shares: dict[str, Any], names: Sequence[str]) -> list[str]:
    return [percent(shares[name]["share"]) for name in names]


def table_of(title: str, *columns: str) -> Table:
    """An empty table with a column of names and ``columns`` of figures."""
    return Table("", *(Column(name, justify="right") for name in columns), title=title)


def percent(share: float | None) -> str:
    """A share of 1 in percent, without the sign."""
    return "–" if share is None else f"{100 * share:.1f}"
