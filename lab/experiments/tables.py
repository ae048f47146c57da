"""The results of experiments as tables on the terminal."""

from __future__ import annotations

from typing import Any

from ragraphs.cli.evaluate.tables import percent, shares_of, table_of, with_interval
from ragraphs.cli.show import notes, out
from rich.markup import escape

_SHARES = {"em": "EM", "f1": "F1", "containment": "contains"}
_MEASURES = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "auc")
_VERDICTS = ("correct", "ambiguous", "incorrect")


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
    notes(result["notes"])


def natural(result: dict[str, Any]) -> None:
    """Prints what is claimed and what is found, by kind of question and of document."""
    title = f"{result['set']} · {result['method']} · {result['model']} · {result['embeddings']}"
    columns = (
        *("answered", "right", "sufficient", "precision"),
        *("highlighted", "first", "unspoken"),
    )
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
    notes(result["notes"])


def hops(result: dict[str, Any]) -> None:
    """Prints the recall of every way to walk, the share of wrong labels, and their skill."""
    cutoffs = list(result["rows"][0]["recall"])
    title = f"{result['set']} · {result['questions']} questions · {result['embeddings']}"
    table = table_of(title, "wrong labels", "skill", *(f"@{k}" for k in cutoffs))
    for row in result["rows"]:
        told = ("" if row[name] is None else f"{row[name]:.2f}" for name in ("error", "skill"))
        table.add_row(row["way"], *told, *(percent(row["recall"][k]) for k in cutoffs))
    out.print(table)


def verify(result: dict[str, Any]) -> None:
    """Prints, by method and by the right verdict, how often each verdict was given."""
    table = table_of(f"{result['set']} · {result['model']}", "statements", "given")
    for method, found in result["methods"].items():
        for gold, given in found["given"].items():
            told = ", ".join(f"{name} {count}" for name, count in given.items())
            table.add_row(f"{method}: {gold}", str(sum(given.values())), told)
    out.print(table)
    for method, found in result["methods"].items():
        out.print(
            f"{method}: right {found['right']}, wrong {found['wrong']}, calls {found['calls']}"
        )


def documentation(result: dict[str, Any]) -> None:
    """Prints the pages found among the first by each way, its times, and the kinds taken for."""
    title = f"{result['set']} · {result['questions']} questions · {result['embeddings']}"
    cutoffs = list(result["found"]["auto"])
    table = table_of(title, *(f"page @{k}" for k in cutoffs), "ms", "processor ms")
    for way, found in result["found"].items():
        times = (f"{result['times'][way][name]:,.0f}" for name in ("clock", "processor"))
        table.add_row(way, *shares_of(found, cutoffs), *times)
    out.print(table)
    counted = {name: result[name] for name in ("kinds", "methods")}
    for name, counts in counted.items():
        out.print(f"{name}: {', '.join(f'{one} {n}' for one, n in counts.items())}")
    out.print(
        f"{result['limits']} questions ended for a limit; {result['documents']} documents, "
        f"{result['passages']} passages, layers {', '.join(result['layers'])}"
    )
    notes(result["notes"])


def trust(result: dict[str, Any]) -> None:
    """Prints a line for every method: what is believed of its answers, and what is refused."""
    asked = f"{result['questions']} questions, {result['unanswerable']} unanswerable"
    table = table_of(
        f"{result['set']} · {result['model']} · {asked}",
        *("sufficient", "of these right", "wrong", "wrong and sufficient", "refused"),
        *("calls", "tokens"),
    )
    for method, found in result["methods"].items():
        believed = found["believed"]
        table.add_row(
            method,
            str(found["sufficient"]),
            str(found["right_and_sufficient"]),
            str(believed["n"]),
            *shares_of(found, ("believed", "refused")),
            f"{found['calls']:.1f}",
            f"{found['tokens']:,}",
        )
    out.print(table)


def replayed(result: dict[str, Any]) -> None:
    """Prints how many kept answers the rules refuse or doubt, and why."""
    refused, doubted = shares_of(result, ("refused", "doubted"))
    out.print(
        escape(f"{result['file']}: of {result['answers']} answers {refused} % are refused by rules")
    )
    out.print(f"and {doubted} % doubted, for these reasons: {result['reasons']}")
    for row in result["rows"]:
        out.print(escape(f"{row['doubt']}: {row['question']} → {row['answer']}"))


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


def grader(result: dict[str, Any]) -> None:
    """Prints the measures of single passages, and the verdicts on retrievals."""
    title = f"{result['set']} · {result['grader']} · {result['model']}"
    passages = table_of(title, "%", "low", "high")
    for name in _MEASURES:
        one = result["supports"][name]
        shares = (percent(one[part]) for part in ("value", "low", "high"))
        passages.add_row(name.replace("_", " "), *shares)
    out.print(passages)
    verdicts = table_of("verdicts", "n", *_VERDICTS)
    for name, one in result["verdicts"].items():
        if name != "balanced_accuracy":
            n = str(one["correct"]["n"])
            verdicts.add_row(name.replace("_", " "), n, *shares_of(one, _VERDICTS))
    out.print(verdicts)
    out.print(
        f"{result['questions']} questions, {result['passages']} passages; balanced accuracy of the "
        f"verdict {percent(result['verdicts']['balanced_accuracy'])} %"
    )
    notes(result["warnings"])
    if result["unanswered"]:
        notes([f"{result['unanswered']} replies were of no use and are left out."])
