"""How the command line shows an answer: while it is written, with citations, or the passages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple, get_args

from rich.cells import cell_len
from rich.markup import escape
from rich.text import Text

from ..language.analyser import one_line
from ..models.protocol import OFFLINE
from ..state.answering import AnswerOutput, Verdict
from ..state.places import told_place
from ..state.records import Evidence
from .excerpts import PassageExcerpt, best_passages, excerpt, supporting
from .show import cost_of, notes, out, visible

_WIDEST = 100  # cells: longer lines of prose are hard to read
PASSAGES = 3
_EXTRACTS = 3

_WHY_NOT = {
    "no_evidence": "nothing in the index speaks of it",
    "insufficient": "the evidence does not settle it",
    "no_model": "it takes a model to answer (--model)",
    "budget": "the limit of the run was reached (--max-calls, --max-tokens or --max-cost)",
    "time": "the time for the question was over (--max-seconds)",
    "web_unavailable": "the index does not answer it, and the web could not be asked",
    "model_failed": "the model gave no usable reply",
    "steps": "the limit on steps was reached (--max-steps)",
    "depth": "the limit on depth was reached (--max-depth)",
    "nodes": "the limit on sub-questions was reached (--max-nodes)",
}
# Between Chinese and Japanese characters there are no spaces, and a line may end after each.
_TOKENS = re.compile(r"\n|[^\S\n]+|[\u3040-\u30ff\u3400-\u9fff]|[^\s\u3040-\u30ff\u3400-\u9fff]+")


class TimedAnswer(NamedTuple):
    """An answer, the seconds that it took, and the text of it that the terminal shows already."""

    output: AnswerOutput
    seconds: float
    written: str = ""


class AnswerWriter:
    """Prints the text of an answer while it comes, in lines that end between words.

    writing = AnswerWriter()
    writing.add("The Forth Bri", "1")
    writing.add("dge.", "1")
    writing.end()
    """

    def __init__(self) -> None:
        self.text = ""
        self._id = self._held = self._gap = ""
        self._column = 0

    def add(self, piece: str, id: str) -> None:
        """The next piece; another ``id`` begins the answer anew, after a reply that broke off."""
        if id != self._id and self.text:
            self.end()
            out.print("[dim]The reply broke off; it begins anew.[/dim]")
        if id != self._id:
            self._id, self.text = id, ""
        self.text += piece
        tokens = _TOKENS.findall(self._held + visible(piece))
        # The last word may go on with the next piece, unless no line could hold it anyway.
        goes_on = tokens and not tokens[-1].isspace() and cell_len(tokens[-1]) < out.width
        self._held = tokens.pop() if goes_on else ""
        for token in tokens:
            self._put(token)
        out.file.flush()

    def end(self) -> None:
        """Ends the line, if one is begun."""
        self._put(self._held)
        self._held = self._gap = ""
        if self._column:
            self._put("\n")
        out.file.flush()

    def _put(self, token: str) -> None:
        if token == "\n":
            out.file.write(token)
            self._column, self._gap = 0, ""
        elif token.isspace():
            self._gap = token if self._column else ""
        elif token:
            width = cell_len(self._gap + token)
            if self._column and self._column + width > out.width:
                self._put("\n")
                width = cell_len(token)
            out.file.write(self._gap + token)
            self._column, self._gap = self._column + width, ""


def show_answer(asked: TimedAnswer, model: str, passages: int = PASSAGES) -> list[PassageExcerpt]:
    """Prints an answer with its citations and its cost, or the best passages.

    Returns the passages behind the numbers that are shown, in their order.
    """
    result = asked.output
    if result["stop_reason"] == "model_failed" and not result["answer"]:
        notes(result["warnings"])  # the cause first
        return _found(asked._replace(output={**result, "warnings": []}), passages)
    if model == OFFLINE:
        return _found(asked, passages)
    if result["answer"] and result["answer"] != asked.written:
        out.print(escape(result["answer"]))
    if not result["sufficient"]:
        _why_not(result)
    if not result["answer"]:
        numbered, _ = _best_passages(result, passages)
    else:
        numbered = _citations(result)
    cost = f"{_tried(result)} · {cost_of(result['usage'])} · {asked.seconds:.1f} s"
    out.print(f"[dim]{escape(cost)}[/dim]")
    _notes(result)
    return numbered


def _citations(result: AnswerOutput) -> list[PassageExcerpt]:
    passages = {passage["id"]: passage for passage in result["evidence"]}
    numbered = []
    for place, citation in enumerate(result["citations"], start=1):
        quote = Text(f"[{place}] “{one_line(citation['quote'])}”")
        _wrapped(quote, indent=2, hanging=4, whole=out.soft_wrap)
        _wrapped(Text(one_line(told_place(citation)), "dim"), indent=6, whole=out.soft_wrap)
        quoted: Evidence = {
            "id": citation["passage"],
            "document": citation["document"],
            "title": citation["title"],
            "text": citation["quote"],
            "start": citation["start"],
            "end": citation["end"],
            "metadata": citation.get("metadata", {}),
            "score": 0.0,
            "found": "",
        }
        numbered.append(PassageExcerpt(passages.get(citation["passage"], quoted), [citation]))
    return numbered


def _tried(result: AnswerOutput) -> str:
    """The method, or those that the router tried, one after the other."""
    whole: Mapping[str, Any] = result
    return " → ".join(one["method"] for one in whole.get("path", ())) or result["method"]


def _found(asked: TimedAnswer, passages: int) -> list[PassageExcerpt]:
    """Prints what was found without a model: an answer if it is certain, and the best passages."""
    result = asked.output
    if result["sufficient"]:
        out.print(f"[bold]{escape(result['answer'])}[/bold]")
        verdict = result["answer"] in get_args(Verdict)
        for said in (
            result["citations"] if verdict else supporting(result["answer"], result["citations"])
        ):
            _wrapped(Text.assemble(("as stated: ", "dim"), f"“{one_line(said['quote'])}”"))
        out.print()
    elif _is_unspoken(result):
        out.print(f"[yellow]{escape(one_line(' '.join(result['missing'])))}[/yellow] Nearest:\n")
    elif _unmet(result) or result["stop_reason"] not in {
        "no_model",
        "insufficient",
        "model_failed",
    }:
        _why_not(result)
    numbered, shown = _best_passages(result, passages)
    out.print(f"[dim]{result['method']} · {shown} · {asked.seconds:.1f} s[/dim]")
    _notes(result)
    return numbered


def _is_unspoken(result: AnswerOutput) -> bool:
    """Whether passages were found that do not speak of what was asked."""
    return bool(not result["answer"] and result["missing"] and result["evidence"])


def _notes(result: AnswerOutput) -> None:
    unmet = _unmet(result)
    notes([one for one in result["warnings"] if one not in unmet])


def _unmet(result: AnswerOutput) -> list[str]:
    """The warning that no passage meets the filter, which is also what is missing."""
    return [one for one in result["missing"] if one in result["warnings"]]


def _why_not(result: AnswerOutput) -> None:
    if unmet := _unmet(result):
        out.print(f"[yellow]{escape(one_line(' '.join(unmet)))}[/yellow]")
        return
    reason = _WHY_NOT.get(result["stop_reason"] or "", result["stop_reason"])
    label = "Not certain" if result["answer"] else "No answer"
    out.print(f"[yellow]{label}: {reason}.[/yellow]")
    if result["missing"]:
        out.print(escape(one_line(f"Still open: {' '.join(result['missing'])}")))


def _best_passages(result: AnswerOutput, most: int) -> tuple[list[PassageExcerpt], str]:
    """Prints the best passages, then communities where these were read, and says how many of all.

    Communities cannot be opened.
    """
    passages = [one for one in result["evidence"] if one["found"] != "community"]
    said, marked = (result["answer"] if result["sufficient"] else ""), result["citations"]
    if not (said or out.color_system):  # then nothing tells the best of several marks
        marked = list({one["passage"]: one for one in reversed(marked)}.values())[::-1]
    best = best_passages(passages, marked, said)[:most]
    for place, one in enumerate(best, start=1):
        untitled: Evidence = {**one.passage, "title": ""}
        _heading(place, one.passage["title"], told_place(untitled))
        _wrapped(excerpt(one, in_colour=out.color_system is not None, quiet=_is_unspoken(result)))
        out.print()
    found = len(passages)
    told = [f"{len(best)} of {found} {'passage' if found == 1 else 'passages'}"] if best else []
    whole: Mapping[str, Any] = result
    whole = {**whole.get("details", {}), **whole}
    if whole.get("communities") and "points" in whole:
        told.append(_communities(whole, most, len(best)))
    return best, ", ".join(told) or "no passages"


def _communities(result: Mapping[str, Any], most: int, above: int) -> str:
    best = result["communities"][:most]
    for place, community in enumerate(best, start=1 + above):
        _heading(place, community["title"], f"community {community['id'][:8]}")
        points = (one for one in result["points"] if community["id"] in one["communities"])
        for point in islice(points, _EXTRACTS):
            _wrapped(Text(f"“{one_line(point['text'])}”"))
        out.print()
    return f"{len(best)} of {len(result['communities'])} communities"


def passage_in_place(found: PassageExcerpt, before: str, after: str) -> None:
    """Prints a passage with its citations marked, between the text ``before`` and ``after``."""
    _wrapped(Text(told_place(found.passage), "bold"), indent=0)
    in_colour = out.color_system is not None
    marks = [(one["start"], one["end"]) for one in found.citations]
    start, text = found.passage["start"], found.passage["text"]
    shown, at = Text(), 0
    for first, last in sorted((a - start, b - start) for a, b in marks):
        if at <= first <= last <= len(text):
            quote = text[first:last]
            marked = Text(quote, "bold green") if in_colour else Text(f"«{quote}»")
            shown = Text.assemble(shown, text[at:first], marked)
            at = last
    shown.append(text[at:])
    for part in (Text(before, "dim"), shown, Text(after, "dim")):
        for line in part.split("\n"):
            if line.plain.strip():
                _wrapped(line)


def _heading(place: int, title: str, where: str) -> None:
    shown = Text.assemble(f"{place}  ", (title, "bold"), "  " * bool(title), (where, "dim"))
    _wrapped(shown, indent=0, hanging=3)


def _wrapped(text: Text, indent: int = 3, hanging: int = 0, *, whole: bool = False) -> None:
    """Prints ``text`` wrapped by words, so that an ellipsis at its end does not stand alone.

    Lines but the first are indented by ``hanging`` more. A ``whole`` text stays on one line.
    """
    width = max(20, min(out.width, _WIDEST) - indent - hanging - 2)
    lines = [text] if whole else list(text.wrap(out, width))
    if len(lines) > 1 and lines[-1].plain.strip() == "…":
        lines.pop()
        lines[-1].rstrip()
        lines[-1].append(" …")
    for place, line in enumerate(lines):
        line.rstrip()
        out.print(Text.assemble(" " * (indent + hanging * bool(place)), line), soft_wrap=True)
