"""Finding a quotation in the text that it was taken from."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from .text import Span

_LEAST_SIMILARITY = 90.0
_LEAST_FUZZY_LENGTH = 20


def locate(quote: str, text: str) -> Span | None:
    """Where ``quote`` stands in ``text``, or None.

    Exact first; then without regard to case, white space and quotation marks; then, for quotes of
    twenty characters and more, the most similar stretch if at least 90 % of it agrees.
    """
    bare = quote.strip().strip("\"'“”‘’「」…").strip()
    if not bare:
        return None
    if (start := text.find(bare)) >= 0:
        return Span(start, start + len(bare), bare)
    loose = r"\W+".join(re.escape(word) for word in re.findall(r"\w+", bare))
    if loose and (match := re.search(loose, text, re.IGNORECASE)):
        return Span(match.start(), match.end(), match.group())
    if len(bare) < _LEAST_FUZZY_LENGTH or len(bare) > len(text) * 1.1:
        return None
    found = fuzz.partial_ratio_alignment(bare, text, score_cutoff=_LEAST_SIMILARITY)
    if found is None or found.dest_end <= found.dest_start:
        return None
    return Span(found.dest_start, found.dest_end, text[found.dest_start : found.dest_end])
