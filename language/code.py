"""Code in a text: fenced blocks, and paragraphs whose lines have the form of code.

Told by its form, since code also stands in mails, notes and texts without markup. A paragraph that
is wrongly taken for code only keeps its lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from . import TEXTS_KEPT

_MAY_BE = re.compile(r"[;{}=()\[\]<>]|```|~~~|^(?:import|from) ", re.MULTILINE)
_FENCE = re.compile(r"^[ \t>]*(```|~~~)[`~]*([^`\n]*)$", re.MULTILINE)
_PARAGRAPH = re.compile(r"^(?:[^\n]*\S[^\n]*(?:\n|\Z))+", re.MULTILINE)
_REMARK = re.compile(r"\s*(?:#+|//+|/?\*+|--|%+|<!--)(?:\s|$)|\s*[\"']{3}")
_LONGEST_LINE = 300
_LINE = re.compile(
    r"(?![-*+•>] )(?:(?:>>>|\.\.\.) )?(?:"
    r"\$ \S|#!|#!?\[|#(?:include|define|if|ifdef|ifndef|endif|pragma)\b|@[\w.]+(?:\(.*)?$"
    r"|[)}\]]+[;,)\]}]*$|[^\s\"'“].*[\[{(]$|\{|[\"'][\w .-]+[\"']\s*:\s*\S"
    r"|(?:async )?(?:def|class|func|fn|function)\s+[\w.]+.*[:({]"
    r"|import [\w.]+(?:, [\w.]+| as \w+)*;?$|import .* from [\"']|from [\w.]+ import\b"
    r"|(?:if|for|while|elif|with|switch|catch|except|unless|when)\b[^`]*(?:[:{]|; then)$"
    r"|(?:else|try|finally|do|begin|end|break|continue|pass|fi|done)\b\s*[:{;]?$"
    r"|(?:export |const |let |var |set |local |[\w<>*&]+ ){0,2}[\w.$\[\]\"'*&-]+"
    r"(?:\s*:\s*[\w\[\], |.]+)?\s?(?:[-+*/|&%:?]?=|<-)(?!\w*=)\s*\S"
    r"|(?:(?:return|await|yield|throw|raise|new|assert|not)\s+)*[\w.$]*\w\(.*[)\]},;:(\[{\\]$"
    r"|[\w.*&$<>]+(?: [\w.*&$<>]+){0,2};$|(?=.*;$).*(?:\w[(\[]|=|->|\w\.\w).*;$|.*\\$"
    r"|(?=.*[-=:&|+!*/][>=:&|]).*(?:\)\s*->|=>|\w::[\w{*]|&&|\|\||[+=!]==?\s|\s[-+*/]=\s)"
    r")"
)


@lru_cache(maxsize=TEXTS_KEPT)
def code_blocks(text: str) -> tuple[tuple[int, int], ...]:
    """Where the blocks of code of ``text`` begin and end, in order; they are whole lines.

    A fenced block is one, with its fences; else a paragraph is, of which half the lines have the
    form of code.
    """
    if not _MAY_BE.search(text):
        return ()
    fenced = list(_fenced(text))
    found = list(fenced)
    for paragraph in _PARAGRAPH.finditer(text):
        start, end = paragraph.span()
        apart = all(end <= first or last <= start for first, last in fenced)
        written = paragraph.group().rstrip("\n").split("\n")
        lines = [line for line in written if not _REMARK.match(line)]
        if apart and lines and 2 * sum(map(has_form_of_code, lines)) >= len(lines):
            found.append((start, end))
    return tuple(sorted(found))


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1] == opened[1] and not fence[2].strip():
            yield opened.start(), fence.end()
            opened = None


def has_form_of_code(line: str) -> bool:
    """Whether a line looks like one of code."""
    return bool(_LINE.match(line.lstrip()[:_LONGEST_LINE]))
