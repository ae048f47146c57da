"""Finding quotations in a text."""

from __future__ import annotations

import re

from ..language.analyser import Span

_LEAST_SIMILARITY = 90.0
_LEAST_FUZZY_LENGTH = 20
_LONGEST_LOOSE = 1000


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
