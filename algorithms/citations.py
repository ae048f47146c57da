"""Finding quotations in a text, and uniting those that overlap."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..language.analyser import Span, sentences
from ..language.code import code_blocks
from ..state.records import Citation

_LEAST_SIMILARITY = 90.0
_LEAST_FUZZY_LENGTH = 20
_LONGEST_LOOSE = 1000
_NOTABLE = 0.2
_WITHIN_WORD = re.compile(r"(?<=\w)(?=\w)")


def locate(quote: str, text: str) -> Span | None:
    """Where ``quote`` stands in ``text``, or None.

    Exact first; then without regard to case, white space, quotation marks and markup; then, for
    quotes of twenty characters and more, the most similar stretch if at least 90 % of it agrees.
    One of more than a thousand characters must stand there exactly.
    """
    bare = quote.strip().strip("\"'“”‘’「」…").strip()
    if not bare:
        return None
    if (start := text.find(bare)) >= 0:
        return Span(start, start + len(bare), bare)
    if len(bare) > _LONGEST_LOOSE:
        return None
    from ..language.markup import prose

    loose = r"\W+".join(re.escape(word) for word in re.findall(r"\w+", bare))
    for written in (text, prose(text)):
        if loose and (match := re.search(loose, written, re.IGNORECASE)):
            return Span(*match.span(), text[match.start() : match.end()])
    if len(bare) < _LEAST_FUZZY_LENGTH or len(bare) > len(text) * 1.1:
        return None
    from rapidfuzz import fuzz

    found = fuzz.partial_ratio_alignment(bare, text, score_cutoff=_LEAST_SIMILARITY)
    if found is None or found.dest_end <= found.dest_start:
        return None
    return Span(found.dest_start, found.dest_end, text[found.dest_start : found.dest_end])


def whole_quotes(quotes: Sequence[Span], text: str) -> list[Span]:
    """The ``quotes`` of ``text`` in order; those that meet in a sentence are one, all of it.

    So is one that begins or ends within a word. Of code a quote is whole lines.
    """
    united: list[tuple[Span, set[Span]]] = []
    for quote in quotes:
        whole, members = _whole(quote, text), {quote}
        for one in [one for one in united if overlap(one[0], whole)]:
            whole = Span(min(whole.start, one[0].start), max(whole.end, one[0].end), "")
            members |= one[1]
            united.remove(one)
        united.append((whole, members))
    found = [_as_written(whole, members, text) for whole, members in united]
    return [Span(start, end, text[start:end]) for start, end, _, _ in found]


def _as_written(whole: Span, members: set[Span], text: str) -> Span:
    """The only one of ``members`` where it can stand as it is; else the ``whole``."""
    quote = min(members)
    is_cut = any(_WITHIN_WORD.match(text, edge) for edge in quote[:2])
    is_cut = is_cut or quote.start < whole.start or whole.end < quote.end
    return whole if len(members) > 1 or is_cut or _lines(quote, text) else quote


def _whole(quote: Span, text: str) -> Span:
    """The sentences, or lines of code, of which ``quote`` has much, or which have much of it."""
    if lines := _lines(quote, text):
        return lines
    met = [
        one
        for one in sentences(text)
        if min(one.end, quote.end) - max(one.start, quote.start)
        > min(_NOTABLE * (quote.end - quote.start), (one.end - one.start) / 2)
    ]
    return Span(met[0].start, met[-1].end, "") if met else quote


def _lines(quote: Span, text: str) -> Span | None:
    """The lines of code that ``quote`` stands in, if it does."""
    if not any(start <= quote.start and quote.end <= end for start, end in code_blocks(text)):
        return None
    start, end = text.rfind("\n", 0, quote.start) + 1, text.find("\n", quote.end)
    lines = text[start : len(text) if end < 0 else end]
    start += len(lines) - len(lines.lstrip())
    return Span(start, start + len(lines.strip()), "")


def overlap(one: Span, other: Span) -> bool:
    """Whether two stretches of a text have characters in common."""
    return one.start < other.end and other.start < one.end


def united(citations: Iterable[Citation]) -> list[Citation]:
    """Citations in order; those that overlap are one, or the first where passages overlap."""
    found: list[Citation] = []
    for one in citations:
        near = [place for place, other in enumerate(found) if _meet(one, other)]
        if not near:
            found.append(one)
            continue
        first, *rest = near
        for other in [one, *(found[place] for place in rest)]:
            if other["passage"] == found[first]["passage"]:
                found[first] = _joined(found[first], other)
        found = [other for place, other in enumerate(found) if place not in rest]
    return found


def _meet(one: Citation, other: Citation) -> bool:
    """Whether two quotes overlap in their document; of two passages, in half of the shorter."""
    if one["document"] != other["document"]:
        return False
    shared = min(one["end"], other["end"]) - max(one["start"], other["start"])
    shorter = min(one["end"] - one["start"], other["end"] - other["start"])
    return shared > (0 if one["passage"] == other["passage"] else shorter / 2)


def _joined(one: Citation, other: Citation) -> Citation:
    first, last = sorted((one, other), key=lambda citation: citation["start"])
    quote = first["quote"] + last["quote"][first["end"] - last["start"] :]
    if last["end"] <= first["end"]:
        return {**one, "start": first["start"], "end": first["end"], "quote": first["quote"]}
    return {**one, "start": first["start"], "end": last["end"], "quote": quote}
