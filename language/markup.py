"""Markup in a text: blanked where it is no prose, so that every character keeps its place.

Markup is told by its form, not by the name of a file, because Markdown also stands in rows, mails
and texts that have none. Only what plain prose never looks like counts: a line of a novel that
begins with ``#``, ``>`` or ``---`` stays, unless it is set off like a heading or has no words.
"""

from __future__ import annotations

import re
from functools import lru_cache

from . import TEXTS_KEPT

_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\n(?:(?:[\w\"'][\w \"'.-]*:|[ \t]+\S|[-#] ).*\n|[ \t]*\n)*?(?:---|\.\.\.)[ \t]*$"
    r"|\A\+\+\+[ \t]*\n(?:(?:[\w\"'.-]+[ \t]*=|[ \t]+\S|[\[\]#]).*\n|[ \t]*\n)*?\+\+\+[ \t]*$",
    re.MULTILINE,
)
_COMMENT = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b[^<>]*>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_FENCE = re.compile(r"^[ \t>]*```+([^`\n]*)$", re.MULTILINE)
_LEADS_TO_CODE = re.compile(r"(?:[.:?!…다요][*_)\"”]*|^[ \t]*#[^\n]*|\A)\s*\Z", re.MULTILINE)
_ENDING = r"[^\s.!…;,][ \t]*(?:\n|\Z)"  # of a heading: like that of no sentence
_HEADING = re.compile(
    rf"(?:\A|^[ \t]*\n)(?:(?: {{0,3}}#{{1,6}}[ \t][^\n]*{_ENDING})+"
    rf"|[^\s>|][^\n]{{0,120}}{_ENDING}(?:={{3,}}|-{{3,}})[ \t]*$)"
    rf"|^#{{2,6}}[ \t][^\n]{{1,120}}{_ENDING}",
    re.MULTILINE,
)
_LINE = re.compile(
    r"^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*<?[^\s>]*[/.#][^\s>]*>?(?:[ \t]+[\"'(][^\n]*[\"')])?[ \t]*$"
    r"|^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[[^\[\]\n]*\]\(#[^()\s]*\)[ \t]*$"
    r"|^(?=[^\w\n]|_)(?=[^\n]*[-=*_~+|])(?:[^\w\n]|_)+$"  # definitions of links, contents, rules
    r"|^[ \t]*+(?:/{3,}+|[!?]{3}\+?|:{3,}+)[ \t]*+(?:[a-z-]++[ \t]*+)?(?:[|\"'][^\n]*+)?$"  # notes
    r"|^[ \t]*\.\.[ \t](?:_[^\n]+:(?:[ \t][^\n]*)?$|(?:note|tip|hint|important|warning|caution)::"
    r"|[\w-]+::(?:[ \t][^\n]*)?$)",  # targets; directives, of which notes keep their words
    re.MULTILINE,
)
_IMAGE = re.compile(r"!\[[^\[\]\n]*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])")
_ADDRESS = (
    r"\((?:<[^<>\n]*>|(?:[^()\s]|\([^()\s]*\))*)(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\)"
    r"|\[[^\[\]\n]*\]"
)
_TAGS = (
    "a|abbr|b|big|blockquote|br|center|code|col|dd|del|details|div|dl|dt|em|figcaption|figure|font"
    "|h[1-6]|hr|i|img|ins|kbd|li|ol|p|picture|pre|q|s|samp|small|span|strong|sub|summary|sup|table"
    "|tbody|td|th|thead|tr|tt|u|ul"
)
_INLINE = re.compile(
    r"(?=[`\[<*_~>:])(?:"  # most characters are none of these
    r":(?:[a-z]+:){1,2}(?=`[^`\n])"  # a role, as of ":doc:`install`"
    r"|(?<!`)(?P<tick>`{1,3})(?!`)(?P<code>[^`\n]+)(?P=tick)(?!`)"
    rf"|\[(?P<label>(?:[^\[\]\n]|\n(?!\s*\n)|\[[^\[\]\n]*\])*)\](?:{_ADDRESS})"
    r"|\[[\^!][^\[\]\s]+\]:?"
    rf"|</?(?:{_TAGS})(?=[\s/>])[^<>]*>"
    r"|\*{1,3}(?=[^\s*])|(?<=[^\s*])\*{1,3}|(?<!\w)_{1,3}(?=[^\W_])|(?<=[^\s_])_{1,3}(?!\w)"
    r"|~~(?=\w)|(?<=\w)~~|^>+(?=[ \t\n]))",
    re.MULTILINE | re.IGNORECASE,
)
_MAY_HAVE = re.compile(r"[*_`\[<#>=~|]|---|\+\+\+|\.\. |/{3}|[!?:]{3}")
_INK = re.compile(r"\S+")


@lru_cache(maxsize=TEXTS_KEPT)
def prose(text: str) -> str:
    """``text`` with blanks in place of markup: as long as before, with the same line ends.

    Front matter, comments, blocks of code, headings, rules, definitions of links, images and tags
    vanish whole; of a link its label stays, of code in a line its words, of emphasis the words.
    """
    if not _MAY_HAVE.search(text):
        return text
    for pattern in (_FRONT_MATTER, _COMMENT):
        text = pattern.sub(_blank, text)
    text = _without_code(text)
    for pattern in (_HEADING, _LINE, _IMAGE):
        text = pattern.sub(_blank, text)
    return _INLINE.sub(_unwrapped, text)


def _blank(match: re.Match[str]) -> str:
    return _blanks(match.group())


def _blanks(text: str) -> str:
    return _INK.sub(lambda ink: " " * len(ink.group()), text)


def _unwrapped(match: re.Match[str]) -> str:
    kept = "code" if match["code"] is not None else "label"
    if match[kept] is None:
        return _blank(match)
    whole, begin, end = match.string, match.start(kept), match.end(kept)
    return _blanks(whole[match.start() : begin]) + match[kept] + _blanks(whole[end : match.end()])


def _without_code(text: str) -> str:
    """``text`` without its fenced blocks; it may begin or end within one."""
    pieces, at = [], 0
    marks = list(_FENCE.finditer(text))
    opened = None if not marks or _opens(text, marks) else 0
    for mark in marks:
        if opened is None:
            opened = mark.start()
        elif not mark[1].strip():
            pieces += [text[at:opened], _blanks(text[opened : mark.end()])]
            at, opened = mark.end(), None
    pieces.append(text[at:] if opened is None else text[at:opened] + _blanks(text[opened:]))
    return "".join(pieces)


def _opens(text: str, marks: list[re.Match[str]]) -> bool:
    """Whether the first fence opens a block: a closing one names no language."""
    named = [place for place, mark in enumerate(marks) if mark[1].strip()]
    if named or len(marks) % 2 == 0:
        return not named or named[0] % 2 == 0
    return bool(_LEADS_TO_CODE.search(text[: marks[0].start()]))
