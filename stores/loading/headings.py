"""Headings as a reader sees them: without the markup of Markdown and reStructuredText."""

from __future__ import annotations

import re

from ...language.markup import prose

# ``{ #anchor }`` and ``{: .class}`` behind a heading, and the mark that links to it.
_END = re.compile(r"(?:\\?\{\s*[:#.][^{}]*\}|[¶\uf0c1])\Z")
_MOST_ENDS = 5
# A role, as ``:ref:`title <target>``` or ``{doc}`~module.name```, and a link, as ```title`_``.
_ROLE = re.compile(
    r"(?::[\w:+.-]{1,60}:|\{[\w:+.-]{1,60}\})`[~!]?([^`<>]+)(?:<[^`<>]+>)?`"
    r"|`([^`<>]+)(?:<[^`<>]+>)?`__?(?!\w)"
)
_ESCAPED = re.compile(r"\\([^\w\s])")
_MARKS = "`:*_[<{\\¶\uf0c1~"


def plain_heading(text: str) -> str:
    """``text`` without anchor, classes, roles, links and emphasis; as it is where no more is left.

    >>> plain_heading("The **`copy`** option of :ref:`runs <run-loop>` { #copy }")
    'The copy option of runs'
    """
    if not any(mark in text for mark in _MARKS):
        return text
    kept = _ESCAPED.sub(r"\1", text).rstrip()
    for _ in range(_MOST_ENDS):
        if end := _END.search(kept):
            kept = kept[: end.start()].rstrip()
    kept = _ROLE.sub(lambda role: (role[1] or role[2]).rstrip(), kept)
    # With a letter before it, no line is taken for a rule or for the heading of a text.
    seen = prose(f"x {kept}")[2:]
    return " ".join(seen.split()) or text.strip()
