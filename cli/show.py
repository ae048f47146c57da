"""How the command line shows results."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any, get_args

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text
from rich.tree import Tree

from ..language.analyser import one_line
from ..language.claims import told_claim
from ..models.protocol import OFFLINE
from ..state.places import told_place
from ..state.records import Usage
from ..state.usage import dollars, total_tokens
from ..stores.loading.sources import told_endings

if TYPE_CHECKING:
    from ..index.copying import Copied
    from ..state.index import Failure, Plan

# Control characters, which command a terminal, and those that turn the direction of writing; the
# first 32 have pictures.
_PICTURES = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"},
    **dict.fromkeys([0x7F, *range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)],
                    0xFFFD),
}  # fmt: skip
_IN_JSON = {code: f"\\u{code:04x}" for code in _PICTURES if code >= 0x7F}


def visible(text: str) -> str:
    """``text`` with pictures in place of characters that a terminal would obey."""
    return text.translate(_PICTURES)


class _SafeConsole(Console):
    """A console to which text of documents and models can be printed: none of it is obeyed."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)


out = _SafeConsole(highlight=False, emoji=False)
err = _SafeConsole(stderr=True, highlight=False, emoji=False)
# What goes into a file or another program keeps its lines whole.
out.soft_wrap, err.soft_wrap = not out.is_terminal, not err.is_terminal


_DAY = 24
_MINUTE = 60
_WHOLE = 10_000  # cells: more than a line of a tree has
_FEW = 3  # places that were not read for the same reason, and are named


def counted(number: int, noun: str) -> str:
    """A number and a noun, such as ``1 passage`` or ``1,200 passages``."""
    plural = f"{noun[:-1]}ies" if noun.endswith("ly") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def told_hours(hours: float) -> str:
    """``hours`` in days, hours or minutes, such as ``1.5 hours``."""
    if hours >= 2 * _DAY:
        return f"{hours / _DAY:,.0f} days"
    return f"{hours:,.1f} hours" if hours >= 1 else f"{max(1, 60 * hours):,.0f} minutes"


def print_json(value: Any) -> None:
    """Prints ``value`` as one JSON document."""
    print_data(json.dumps(value, ensure_ascii=False, indent=2))


def print_data(text: str) -> None:
    """Prints JSON as it is, but for control characters that JSON leaves unescaped."""
    print(text.translate(_IN_JSON))


def copied(result: Copied) -> None:
    """Prints what the copy of an index holds."""
    out.print(
        f"The index at {escape(result['index'])} holds "
        f"{counted(result['documents'], 'document')} in {counted(result['passages'], 'passage')}, "
        f"copied from {escape(result['source'])}."
    )


def told_seconds(seconds: float) -> str:
    """``seconds`` as a person tells a guess, such as ``about 3 minutes``."""
    if seconds < _MINUTE:
        return f"about {max(1, round(seconds))} s"
    return f"about {told_hours(seconds / _MINUTE**2)}"


def ready(layers: Sequence[str]) -> None:
    """Prints what is made of an index, and what is not."""
    out.print(f"Ready: {_layers(layers)}.")


def indexing(result: Any, seconds: float | None = None, known: Sequence[Failure] = ()) -> None:
    """Prints the outcome of an index run, its failures and warnings on stderr.

    Of failures that were ``known`` before only the number is told.
    """
    if (plan := result["plan"]) is not None:
        out.print(
            f"Would read {counted(plan['documents'], 'document')} into "
            f"{counted(plan['passages'], 'passage')} "
            f"({result['unchanged']} unchanged, {result['removed']} to remove); "
            + (
                f"{counted(plan['missing_replies'], 'reply')} of a model missing; about "
                f"{planned_tokens(plan)} to send."
                if plan["missing_replies"] or plan["embedding_tokens"]
                else "nothing is sent, and nothing costs money."
            )
        )
    else:
        took = "" if seconds is None else f" in {seconds:.1f} s"
        out.print(
            f"{counted(result['added'], 'document')} added, {result['updated']} updated, "
            f"{result['unchanged']} unchanged, {result['removed']} removed{took}."
        )
        out.print(
            f"The index at {escape(result['index'])} holds "
            f"{counted(result['document_count'], 'document')} in "
            f"{counted(result['passage_count'], 'passage')}."
        )
        out.print(f"Embeddings: {escape(result['embeddings'])}.")
    cost(result["usage"])
    if skipped := result["skipped"]:
        count = sum(skipped.values())
        were = "1 file was" if count == 1 else f"{count:,} files were"
        endings = escape(told_endings(skipped))
        err.print(f"{were} not read, since such endings are not supported: {endings}.")
    failures([one for one in result["failures"] if one not in known], err)
    if again := sum(one in known for one in result["failures"]):
        told = "1 file" if again == 1 else f"{again:,} files"
        err.print(f"{told} could still not be read; ragraphs status says which, and why.")
    notes(result["warnings"])


def planned_tokens(plan: Plan) -> str:
    """The tokens that a run would send, and their price where it is known."""
    tokens = plan["embedding_tokens"] + plan["reply_tokens"]
    price = f" ({dollars(plan['cost'])}, replies not counted)" if plan.get("cost") else ""
    return f"{tokens:,} tokens{price}"


def _layers(built: Sequence[str], unfinished: Sequence[str] = ()) -> str:
    """The layers that are built, those that a run has begun, and all others."""
    from ..context import LayerName

    names = get_args(LayerName)
    left = [name for name in names if name not in ("passages", *built)]
    others = {
        "not finished": [name for name in left if name in unfinished],
        "not built": [name for name in left if name not in unfinished],
    }
    told = "; ".join(f"{state}: {', '.join(some)}" for state, some in others.items() if some)
    words = ", ".join(name for name in names if name not in left)
    return f"{words} ({told})" if told else words


def failures(found: Sequence[Any], where: Console) -> None:
    """Prints each reason once, with the first places that were not read for it."""
    places: dict[str, list[str]] = {}
    for failure in found:
        places.setdefault(failure["reason"], []).append(failure["path"])
    for reason, paths in places.items():
        more = len(paths) - _FEW
        named = "; ".join([*paths[:_FEW], *([f"{more:,} more"] if more > 0 else [])])
        said = reason if reason.startswith(f"{named} ") else f"{named}: {reason}"
        where.print(f"[red]Not read:[/red] {escape(said)}")


def command(program: str, *words: str) -> None:
    """Prints a command as it would be typed."""
    typed = " ".join(f'"{word}"' if " " in word else word for word in (program, *words))
    out.print(f"\n[bold cyan]$ {escape(typed)}[/bold cyan]", soft_wrap=True)


def this_program(folder: Path) -> str:
    """The name of this program where the shell finds it by name, else its path in ``folder``."""
    called, found = Path(sys.argv[0]), which("ragraphs")
    is_found = found and called.exists() and called.samefile(found)
    if called.stem != "ragraphs" or len(called.parts) == 1 or is_found:
        return "ragraphs"
    return within(called, folder)


def within(path: Path, folder: Path) -> str:
    """``path`` as it is typed in ``folder``: relative where both are below the working folder."""
    here = Path.cwd()
    near = all((here / one).is_relative_to(here) for one in (path, folder))
    return shlex.quote(os.path.relpath(path, folder) if near else str(here / path))


def tree(drawn: Tree) -> None:
    """Prints a tree on stderr; in a file or another program its lines stay whole."""
    whole = _SafeConsole(stderr=True, highlight=False, emoji=False, width=_WHOLE)
    (err if err.is_terminal else whole).print(drawn, soft_wrap=False)


def problem(message: str) -> None:
    """Prints why a command failed, on stderr."""
    if message:
        err.print(escape(f"ragraphs: {message}"))


def sentence(text: str) -> None:
    """Prints a sentence of ours."""
    out.print(escape(text))


def named(rows: Mapping[str, Any]) -> None:
    """Prints values beside their names."""
    table = Table.grid(padding=(0, 2))
    for name, value in rows.items():
        table.add_row(Text(name, "dim"), Text(one_line(str(value)), overflow="fold"))
    out.print(table)


def status(described: Any) -> None:
    """Prints the contents of an index, what it lacks, and the files that could not be read."""
    sizes = ("entities", "relations", "claims", "communities", "replies")
    rows = {
        "index": described["index"] + " (read only)" * bool(described.get("read_only")),
        "documents": f"{described['documents']:,}",
        "passages": f"{described['passages']:,}, of at most {described['passage_tokens']} tokens",
        "layers": _layers(described["layers"], described["unfinished_layers"]),
        "embeddings": described["embeddings"],
        **({"read by": described["reader"]} if described.get("reader") else {}),
        **({"hops": _hops(described)} if described.get("hops") else {}),
        **{name: f"{described[name]:,}" for name in sizes if described.get(name)},
        **({"paid for": _paid(described)} if described.get("reply_tokens") else {}),
        "on disk": f"{described['bytes'] / 1e6:,.1f} MB, format {described['format']}",
    }
    if "communities" in rows:  # the others are mostly of one name each
        rows["communities"] += f", {described['told_communities']:,} with something to report"
    named(rows)
    for document in described.get("document_list", []):
        out.print(escape(f"  {document['id']}  ({counted(document['passages'], 'passage')})"))
    for lack in described["lacks"]:
        out.print(f"[yellow]{escape(lack['says'])}[/yellow] Mend it with: {escape(lack['mend'])}")
    failures(described["failures"], out)


def _hops(described: Any) -> str:
    degree = f"{described['hops_a_passage']} a passage, at most {described['most_hops']}"
    return f"{described['hops']:,} edges, {degree}"


def examination(found: Any) -> None:
    """Prints what `ragraphs doctor` has found, and how to mend it."""
    signs = {
        "ok": "[green]ok[/green]",
        "note": "[yellow]note[/yellow]",
        "broken": "[red]broken[/red]",
    }
    table = Table.grid(Column(no_wrap=True), Column(), padding=(0, 2))
    for one in found["checks"]:
        table.add_row(signs[one["state"]], Text(f"{one['name']}: {one['says']}"))
        if one["mend"]:
            table.add_row("", Text(one["mend"], "dim"))
    out.print(table)
    out.print("Nothing is broken." if found["healthy"] else "[red]Something is broken.[/red]")


def calibration(fitted: Any) -> None:
    """Prints the verdicts on retrievals whose passages answer the question, and on failed ones."""
    by = next(one for one in ("cross_encoder", "model", "embeddings") if one in fitted)
    out.print(
        f"The grader fits {escape(str(fitted[by]))}, by {fitted['questions']} questions that "
        "passages answer. Verdicts, in per cent:"
    )
    table = Table.grid(padding=(0, 2))
    for kind, told in (("with_support", "with the passage"), ("without_support", "without it")):
        shares = fitted["verdicts"][kind].items()
        table.add_row(told, *(f"{name} {100 * share:.0f}" for name, share in shares))
    out.print(table)


def cost(usage: Usage) -> None:
    """Prints the calls and tokens of each model, if any tokens were sent."""
    if any(used["input_tokens"] for used in usage.get("models", {}).values()):
        out.print(f"[dim]{escape(cost_of(usage))}[/dim]")


def entities(found: Sequence[dict[str, Any]], *, more: bool = False) -> None:
    """Prints entities, one a line, and whether there are ``more``."""
    whole = [Column(no_wrap=True) for _ in ("type", "passages", "id")]
    table = Table.grid(Column(overflow="fold"), *whole, padding=(0, 2))
    for entity in found:
        passages = counted(entity["passages"], "passage")
        table.add_row(escape(entity["name"]), escape(entity["type"]), passages, entity["id"])
    out.print(table)
    if more:
        out.print(f"[dim]There are more than these {len(found)}; --limit N shows N.[/dim]")


def entities_in_full(found: Sequence[dict[str, Any]]) -> None:
    """Prints all that is known of entities: names, relations, claims and passages."""
    for entity in found:
        out.print(f"[bold]{escape(entity['name'])}[/bold] {escape(entity['type'])} {entity['id']}")
        if entity["description"]:
            out.print(escape(entity["description"]))
        if len(entity["aliases"]) > 1:
            out.print(escape(f"also: {', '.join(entity['aliases'][1:])}"))
        for one in entity["relations"]:
            out.print(escape(f"  {one['source']} | {one['relation']} | {one['target']}"))
        for claim in entity["claims"]:
            out.print(escape(f"  {told_claim(claim)}"))
        for passage in entity["passages"]:
            out.print(f"  [dim]{escape(told_place(passage))}[/dim]")


def correction(result: Any) -> None:
    """Prints the entities after a correction, and the cost of it."""
    entities(result["entities"])
    cost(result["usage"])
    notes(result["warnings"])


def merges(found: Sequence[dict[str, Any]]) -> None:
    """Prints merges, one a line."""
    if not found:
        out.print("No name was taken for another one's.")
    for merge in found:
        out.print(
            escape(f"{merge['merged']} ({merge['merged_id']}) is {merge['kept']}")
            + f" [dim]{merge['reason']} {merge['score']:.2f}[/dim]"
        )


def communities(found: Sequence[dict[str, Any]]) -> None:
    """Prints communities as a tree, one a line."""
    for one in found:
        weight = f"{one['size']} entities, {one['rating']:g}"
        indent = "  " * one["level"]
        out.print(f"{indent}[dim]{one['id'][:8]}[/dim] {escape(one['title'])} [dim]{weight}[/dim]")


def _paid(described: Mapping[str, Any]) -> str:
    """The tokens that the stored replies took, and their cost where it is known."""
    cost = f", {dollars(described['reply_cost'])}" if "reply_cost" in described else ""
    return f"{described['reply_tokens']:,} tokens{cost}"


def community(report: dict[str, Any]) -> None:
    """Prints a community's report with its parent, children, entities and passages."""
    out.print(f"[bold]{escape(report['title'])}[/bold] {report['id']}")
    out.print(f"[dim]level {report['level']}, rated {report['rating']:g} of 10[/dim]")
    out.print(escape(report["summary"]))
    for finding in report["findings"]:
        out.print(escape(f"  - {finding['statement']}"))
    if report["parent"]:
        out.print(f"[dim]part of[/dim] {report['parent'][:8]}")
    communities([{**child, "level": 1} for child in report["children"]])
    names = ", ".join(entity["name"] for entity in report["entities"])
    out.print(f"[dim]entities[/dim] {escape(names)}")
    for passage in report["passages"]:
        out.print(f"  [dim]{escape(told_place(passage))}[/dim]")


def notes(sentences: Sequence[str]) -> None:
    """Prints each sentence as a note, on stderr."""
    for sentence in sentences:
        err.print(f"[yellow]Note:[/yellow] {escape(sentence)}")


def cost_of(usage: Usage) -> str:
    """Calls and tokens of each model, and searches of the web, in words."""
    parts = [
        f"{name}: {counted(used['calls'], 'call')}"
        + (f", {used['reused']} reused" if used["reused"] else "")
        + (f", {used['input_tokens'] + used['output_tokens']:,} tokens" if used["calls"] else "")
        for name, used in usage.get("models", {}).items()
        if name != OFFLINE
    ]
    parts += [f"{name}: {sent:,} tokens" for name, sent in usage.get("embeddings", {}).items()]
    if searches := usage.get("web_searches", 0):
        parts.append(f"{searches} web searches")
    if total_tokens(usage) and "cost" in usage:
        parts.append(dollars(usage["cost"]))
    return " · ".join(parts) or "no calls"
