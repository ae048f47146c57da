"""How the command line shows results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..language.analyser import one_line
from ..state.answering import AnswerOutput
from ..state.records import Citation, Passage, Usage
from ..stores.loading.sources import told_endings
from .excerpts import best_passages, excerpt, supporting

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


class _Terminal(Console):
    """A console to which text of documents and models can be printed: none of it is obeyed."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)


out = _Terminal(highlight=False, emoji=False)
err = _Terminal(stderr=True, highlight=False, emoji=False)
# What goes into a file or another program keeps its lines whole.
out.soft_wrap, err.soft_wrap = not out.is_terminal, not err.is_terminal

_WIDEST = 100  # cells: longer lines of prose are hard to read
_PASSAGES = 3
_EXTRACTS = 3

_WHY_NOT = {
    "no_evidence": "nothing in the index speaks of it",
    "insufficient": "the evidence does not settle it",
    "no_model": "it takes a model to answer (--model)",
    "budget": "the limit on requests to the model was reached (--max-calls)",
    "web_unavailable": "the index does not answer it, and the web could not be asked",
    "model_failed": "the model gave no usable reply",
    "steps": "the limit on steps was reached (--max-steps)",
    "depth": "the limit on depth was reached (--max-depth)",
    "nodes": "the limit on sub-questions was reached (--max-nodes)",
}


def print_json(value: Any) -> None:
    """Prints ``value`` as one JSON document."""
    print_data(json.dumps(value, ensure_ascii=False, indent=2))


def print_data(text: str) -> None:
    """Prints JSON as it is, but for control characters that JSON leaves unescaped."""
    print(text.translate(_IN_JSON))


def indexing(result: Any, seconds: float | None = None) -> None:
    """Prints the outcome of an index run, its failures and warnings on stderr."""
    if (plan := result["plan"]) is not None:
        out.print(
            f"Would read {plan['documents']} documents into {plan['passages']} passages "
            f"({result['unchanged']} unchanged, {result['removed']} to remove); "
            f"{plan['missing_replies']} replies of a model missing; about "
            f"{plan['embedding_tokens'] + plan['reply_tokens']:,} tokens to send."
        )
    else:
        took = "" if seconds is None else f" in {seconds:.1f} s"
        out.print(
            f"{result['added']} documents added, {result['updated']} updated, "
            f"{result['unchanged']} unchanged, {result['removed']} removed{took}. The index at "
            f"{escape(result['index'])} holds {result['document_count']} documents in "
            f"{result['passage_count']} passages; layers: {', '.join(result['layers'])}; "
            f"embeddings: {escape(result['embeddings'])}."
        )
    cost(result["usage"])
    if skipped := result["skipped"]:
        count = sum(skipped.values())
        were = "1 file was" if count == 1 else f"{count:,} files were"
        endings = escape(told_endings(skipped))
        err.print(f"{were} not read, since such endings are not supported: {endings}.")
    for failure in result["failures"]:
        err.print(f"[red]Not read:[/red] {escape(failure['path'])}: {escape(failure['reason'])}")
    notes(result["warnings"])


def answer(result: AnswerOutput, passages: int = _PASSAGES) -> None:
    """Prints an answer with its citations and its cost; in place of none, the best passages."""
    if result["answer"]:
        out.print(escape(result["answer"]))
    if not result["sufficient"]:
        _why_not(result)
    if not result["answer"]:
        _best_passages(result, passages)
    else:
        for place, citation in enumerate(result["citations"], start=1):
            out.print(f"  \\[{place}] “{escape(one_line(citation['quote']))}”")
            out.print(f"      [dim]{escape(_source(citation))}[/dim]")
    out.print(f"[dim]{_tried(result)} · {escape(_cost(result['usage']))}[/dim]")
    notes(result["warnings"])


def _tried(result: AnswerOutput) -> str:
    """The method, or those that the router tried, one after the other."""
    whole: Mapping[str, Any] = result
    return " → ".join(one["method"] for one in whole.get("path", ())) or result["method"]


def found(result: AnswerOutput, passages: int = _PASSAGES) -> None:
    """Prints what was found without a model: an answer if it is certain, and the best passages."""
    if result["sufficient"]:
        out.print(f"[bold]{escape(result['answer'])}[/bold]")
        for said in supporting(result["answer"], result["citations"]):
            _wrapped(Text.assemble(("as stated: ", "dim"), f"“{one_line(said['quote'])}”"))
        out.print()
    elif result["stop_reason"] not in {"no_model", "insufficient"}:
        _why_not(result)
    shown = _best_passages(result, passages)
    out.print(f"[dim]{result['method']} · {shown}[/dim]")
    notes(result["warnings"])


def _why_not(result: AnswerOutput) -> None:
    reason = _WHY_NOT.get(result["stop_reason"] or "", result["stop_reason"])
    label = "Not certain" if result["answer"] else "No answer"
    out.print(f"[yellow]{label}: {reason}.[/yellow]")
    if result["missing"]:
        out.print(escape(one_line(f"Still open: {' '.join(result['missing'])}")))


def _best_passages(result: AnswerOutput, most: int) -> str:
    """Prints the best passages, or the communities that they come from; returns how many of all."""
    if any(passage["found"] == "community" for passage in result["evidence"]):
        whole: Mapping[str, Any] = result
        return _communities({**whole.get("details", {}), **whole}, most)
    said = result["answer"] if result["sufficient"] else ""
    best = best_passages(result["evidence"], result["citations"], said)[:most]
    for place, one in enumerate(best, start=1):
        _heading(place, one.passage["title"], _place(one.passage))
        _wrapped(excerpt(one, in_colour=out.color_system is not None))
        out.print()
    return f"{len(best)} of {len(result['evidence'])} passages"


def _communities(result: Mapping[str, Any], most: int) -> str:
    best = result["communities"][:most]
    for place, community in enumerate(best, start=1):
        _heading(place, community["title"], f"community {community['id'][:8]}")
        points = (one for one in result["points"] if community["id"] in one["communities"])
        for point in islice(points, _EXTRACTS):
            _wrapped(Text(f"“{one_line(point['text'])}”"))
        out.print()
    return f"{len(best)} of {len(result['communities'])} communities"


def _heading(place: int, title: str, where: str) -> None:
    shown = Text.assemble(f"{place}  ", (title, "bold"), "  " * bool(title), (where, "dim"))
    _wrapped(shown, indent=0)


def _wrapped(text: Text, indent: int = 3) -> None:
    """Prints ``text`` wrapped by words, so that an ellipsis at its end does not stand alone."""
    lines = text.wrap(out, max(20, min(out.width, _WIDEST) - indent - 2))
    if len(lines) > 1 and lines[-1].plain.strip() == "…":
        lines.pop()
        lines[-1].append(" …")
    for line in lines:
        line.rstrip()
        out.print(Text.assemble(" " * indent, line), soft_wrap=True)


def command(*words: str) -> None:
    """Prints a command as it would be typed."""
    typed = " ".join(f'"{word}"' if " " in word else word for word in words)
    out.print(f"\n[bold cyan]$ ragraphs {escape(typed)}[/bold cyan]")


def sentence(text: str) -> None:
    """Prints a sentence of ours."""
    out.print(escape(text))


def update(node: str, written: dict[str, Any] | None) -> None:
    """Prints the state that a node has written, on stderr."""
    err.print(f"[dim]{node}[/dim] {escape(one_line(str(written or {}))[:400])}")


def tree(result: Mapping[str, Any]) -> None:
    """Prints the tree of questions as a Mermaid drawing, on stderr, where there is one."""
    from ..views.pages.tree_drawing import draw_tree

    drawn = result.get("tree") or result.get("details", {}).get("tree")
    if drawn:
        err.print(escape(draw_tree(drawn)))


def status(described: Any) -> None:
    """Prints the contents of an index, and the files that could not be read."""
    table = Table.grid(padding=(0, 2))
    for name, value in described.items():
        if name not in {"failures", "document_list"}:
            table.add_row(name, escape(", ".join(value) if isinstance(value, list) else str(value)))
    out.print(table)
    for document in described.get("document_list", []):
        out.print(escape(f"  {document['id']}  ({document['passages']} passages)"))
    for failure in described["failures"]:
        out.print(f"[red]Not read:[/red] {escape(failure['path'])}: {escape(failure['reason'])}")


def calibration(fitted: Any) -> None:
    """Prints the verdicts on retrievals whose passages answer the question, and on failed ones."""
    out.print(
        f"The grader fits {escape(fitted['embeddings'])}, by {fitted['questions']} questions that "
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
        out.print(f"[dim]{escape(_cost(usage))}[/dim]")


def entities(found: Sequence[dict[str, Any]]) -> None:
    """Prints entities, one a line."""
    table = Table.grid(padding=(0, 2))
    for entity in found:
        passages = f"{entity['passages']} passage" + "s" * (entity["passages"] != 1)
        table.add_row(escape(entity["name"]), escape(entity["type"]), passages, entity["id"])
    out.print(table)


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
            out.print(escape(f"  claim ({claim['status']}): {claim['description']}"))
        for passage in entity["passages"]:
            out.print(f"  [dim]{escape(_source(passage))}[/dim]")


def correction(result: Any) -> None:
    """Prints the entities after a correction, and the cost of it."""
    entities(result["entities"])
    cost(result["usage"])
    notes(result["warnings"])


def merges(found: Sequence[dict[str, Any]]) -> None:
    """Prints merges, one a line."""
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
        out.print(f"  [dim]{escape(_source(passage))}[/dim]")


def notes(sentences: Sequence[str]) -> None:
    """Prints each sentence as a note, on stderr."""
    for sentence in sentences:
        err.print(f"[yellow]Note:[/yellow] {escape(sentence)}")


def _source(citation: Citation | Passage) -> str:
    title, where = citation["title"], _place(citation)
    return f"{title} ({where})" if title else where


def _place(citation: Citation | Passage) -> str:
    page = citation.get("metadata", {}).get("page")
    on = "" if page is None else f"page {page}, "
    return f"{citation['document']}, {on}characters {citation['start']}–{citation['end']}"


def _cost(usage: Usage) -> str:
    parts = [
        f"{name}: {used['calls']} {'call' if used['calls'] == 1 else 'calls'}"
        + (f", {used['reused']} reused" if used["reused"] else "")
        + (f", {used['input_tokens'] + used['output_tokens']:,} tokens" if used["calls"] else "")
        for name, used in usage.get("models", {}).items()
    ]
    searches = usage.get("web_searches", 0)
    return " · ".join([*parts, *([f"{searches} web searches"] if searches else [])]) or "no calls"
