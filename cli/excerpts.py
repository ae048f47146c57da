"""Excerpts of a passage for a question: its highlights, and the sentences around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Span as StyledSpan
from rich.text import Text

from ..language.analyser import Span, one_line, sentences
from ..language.code import code_blocks
from ..language.markup import prose
from ..state.records import Citation, Evidence, Passage

_READABLE = 320  # cells: four lines of a terminal of 80 columns
_EMPHASIS = "*_"
_ROLE = re.compile(r"(?<![\w:`])(:(?:[a-z]+:){1,2}`)[^`\n]+`")  # :guilabel:`Save`
_BEST, _MARKED, _QUIET = "bold green", "bold", "italic"
_APART = re.compile(r"\n\s*\n|```|\|[ \t]*\n")
_CODE = re.compile(r"^[ \t]*```[^`\n]*\n(.*?\n)[ \t]*```", re.DOTALL | re.MULTILINE)
_ITEM = re.compile(  # or a line of a form
    r"(?:[-*•]|\d{1,2}[.)]|\[[ xX]\])\s|[*_]*\w[\w .'’/()-]{0,30}:[*_]*\s"
)


class _Row(Span):
    """A row of a table, whose text has the words of its header."""


class PassageExcerpt(NamedTuple):
    """A passage to show, with the citations that stand in it."""

    passage: Evidence
    citations: list[Citation]


def best_passages(
    evidence: Sequence[Evidence], citations: Sequence[Citation], answer: str = ""
) -> list[PassageExcerpt]:
    """The passages of ``evidence`` with their ``citations``, best first.

    A passage with a sentence that carries ``answer`` goes before the others, one with a citation
    before one without. Where nothing is answered, they stay as they were found.
    """
    found = [
        PassageExcerpt(passage, [one for one in citations if _stands_in(one, passage)])
        for passage in evidence
    ]
    if not answer:
        return found
    support = supporting(answer, citations)
    return sorted(
        found, key=lambda one: (not any(c in support for c in one.citations), not one.citations)
    )


def _stands_in(citation: Citation, passage: Evidence) -> bool:
    """Whether a quote is of ``passage``, which may be one of several parts of a passage."""
    same = citation["passage"] == passage["id"]
    return same and citation["start"] < passage["end"] and passage["start"] < citation["end"]


def supporting(answer: str, citations: Sequence[Citation]) -> Sequence[Citation]:
    """The first citation that says ``answer``.

    Of a comparison, whose answer names one of two titles: the first, and the first of that title.
    """
    said = [one for one in citations if answer.casefold() in one["quote"].casefold()]
    titled = [one for one in citations[1:] if one["title"].casefold() in answer.casefold()]
    return said[:1] or [*citations[:1], *titled[:1]]


def excerpt(found: PassageExcerpt, *, in_colour: bool, quiet: bool = False) -> Text:
    """The highlights of a passage among the sentences around them, an ellipsis where text is cut.

    Whole sentences of about 320 cells are shown, but every highlight. Highlights are bold, the
    first in colour; or they stand between «…». Without one the passage is shown from its start.
    Where nothing answers, they are ``quiet``: in italics, or not marked.
    """
    passage, text = found.passage, found.passage["text"]
    marks = [_within(passage, citation) for citation in found.citations]
    marks = [mark for mark in marks if mark.text]
    pieces = _pieces(text, marks)
    chosen = sorted(_chosen(pieces, marks))
    shown = Text("… " if chosen[0] > 0 else "")
    for place, following in pairwise(chosen):
        shown.append_text(_marked(pieces[place], marks))
        cut = following > place + 1
        shown.append(" … " if cut else _between(text, pieces[place], pieces[following]))
    shown.append_text(_marked(pieces[chosen[-1]], marks))
    shown.append(" …" if chosen[-1] + 1 < len(pieces) else "")
    if quiet:
        styled = [StyledSpan(one.start, one.end, _QUIET) for one in shown.spans if in_colour]
        return Text(shown.plain, spans=styled)
    return shown if in_colour else _in_plain(shown)


def _in_plain(shown: Text) -> Text:
    """``shown`` with «…» around what is styled, neighbours together."""
    pieces, at = [], 0
    for span in shown.spans:
        pieces += [shown.plain[at : span.start], f"«{shown.plain[span.start : span.end]}»"]
        at = span.end
    return Text("".join([*pieces, shown.plain[at:]]).replace("» «", " "))


def _within(passage: Passage, citation: Citation) -> Span:
    start, end = (citation[edge] - passage["start"] for edge in ("start", "end"))
    return Span(start, end, passage["text"][start:end])


def _pieces(text: str, marks: Sequence[Span]) -> list[Span]:
    """The sentences and blocks of code of ``text``; a mark is in one piece.

    Only code is ``plain``: it keeps its lines.
    """
    pieces = [Span(*one.span(1), one[1], one[1]) for one in _CODE.finditer(text)]
    said = [_piece(text, one) for one in sentences(text)]
    pieces += [one for one in said if not any(_overlap(one, code) for code in pieces)]
    for mark in marks:
        met = [piece for piece in pieces if _overlap(mark, piece)]
        if len(met) == 1 and met[0].start <= mark.start and mark.end <= met[0].end:
            continue
        start, end = min([mark, *met]).start, max(piece.end for piece in [mark, *met])
        pieces = [piece for piece in pieces if piece not in met]
        code = "".join(piece.plain for piece in met)
        pieces.append(Span(start, end, text[start:end], code))
    return sorted(pieces) or [Span(0, len(text), text)]


def _piece(text: str, sentence: Span) -> Span:
    """A sentence; of code it begins where its line does, and a row has the words of its header."""
    start, end = sentence[:2]
    if "|" in sentence.text and "|" not in sentence.plain:
        return _Row(start, end, sentence.plain.replace("; ", " · "))
    if not any(first <= start < last for first, last in code_blocks(text)):
        return Span(start, end, text[start:end])
    line = text.rfind("\n", 0, start) + 1
    start = start if text[line:start].strip() else line
    return Span(start, end, text[start:end], text[start:end])


def _chosen(pieces: Sequence[Span], marks: Sequence[Span]) -> set[int]:
    """Places of the pieces with marks, and of neighbours, the nearest first, as far as they fit."""
    marked = [i for i, one in enumerate(pieces) if any(_overlap(one, mark) for mark in marks)]
    first = (marked or [0])[0]
    chosen = set(marked or [0])
    room = _READABLE - sum(_cells(pieces[place]) for place in chosen)
    while beside := [
        place
        for place, piece in enumerate(pieces)
        if place not in chosen and {place - 1, place + 1} & chosen and _cells(piece) <= room
    ]:
        nearest = min(beside, key=lambda place: (abs(place - first), place))
        chosen.add(nearest)
        room -= _cells(pieces[nearest])
    return chosen


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _cells(piece: Span) -> int:
    return cell_len(one_line(piece.text)) + 1


def _between(text: str, piece: Span, following: Span) -> str:
    gap = text[piece.end : following.start]
    if piece.plain and following.plain:
        return gap if gap.isspace() else "\n"
    apart = _APART.search(gap) or ("\n" in gap and _ITEM.match(following.text))
    return "\n" if apart or isinstance(piece, _Row) or isinstance(following, _Row) else " "


def _marked(piece: Span, marks: Sequence[Span]) -> Text:
    """The text of ``piece``, in which ``marks`` are styled, the best first."""
    shown = Text()
    if isinstance(piece, _Row):  # the whole is marked
        styles = (_BEST if one == marks[0] else _MARKED for one in marks if _overlap(piece, one))
        return shown.append(piece.text, next(styles, ""))
    place = piece.start
    for mark in sorted(marks):
        start, end = max(mark.start, place), min(mark.end, piece.end)
        if start < end:
            shown.append(_flat(piece, place, start))
            shown.append(_flat(piece, start, end), _BEST if mark == marks[0] else _MARKED)
            place = end
    return shown.append(_flat(piece, place, piece.end))


def _flat(piece: Span, start: int, end: int) -> str:
    """Characters of ``piece`` in one line, without emphasis and roles of reStructuredText.

    Code stays as it is: its lines matter.
    """
    place = slice(start - piece.start, end - piece.start)
    text = piece.text[place]
    if piece.plain:
        return text.rstrip("\n") if end == piece.end else text
    roles = {
        at for one in _ROLE.finditer(piece.text) for at in (*range(*one.span(1)), one.end() - 1)
    }
    pairs = zip(range(len(piece.text))[place], text, prose(piece.text)[place], strict=True)
    kept = (
        one
        for at, one, plain in pairs
        if at not in roles and (one == plain or one not in _EMPHASIS)
    )
    return re.sub(r"\s+", " ", "".join(kept))
