"""Cutting a stream of text into passages with their character ranges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..language.analyser import count_tokens, shortened
from ..language.code import code_blocks

# The end of a paragraph that asks nothing: what answers a question often says too little alone.
_END = r"""(?<!\s)(?<![?？])(?<![?？]['"”’»」』)*_])[^\S\n]*+\n"""
_SEPARATORS = [
    rf"{_END}(?:[^\S\n]*+\n)++(?=\S)",  # what is further in goes with what leads to it
    rf"{_END}\s*\n",
    r"\n(?=[^\n|]*\|)",  # rows of tables, whose cells may hold sentences
    r"(?<=[.!?…])\s+|(?<=[。！？])\s*",
    r"\n",
    r"(?<=[;,、，])\s*",
    r"\s+",
    "",
]
_ROW = r"[ \t]*\|([^\n]*)\|[ \t]*"
_FIRST_ROW, _LAST_ROW = re.compile(rf"{_ROW}(?:\n|\Z)"), re.compile(rf"{_ROW}\Z")
_HEADER = re.compile(rf"^{_ROW}\n[ \t]*\|[ \t:|-]+\|[ \t]*$", re.MULTILINE)
_LONGEST_HEADER = 100
_STOP = re.compile(r"[.!?…。！？;,、，]")
_BLANK_LINES = re.compile(r"(?<=\n)\s+(?=\n)|(?<=\n)\n")


class Chunk(NamedTuple):
    """A passage to be, with its characters ``[start, end)`` of the document.

    ``header`` is the header of the table that it begins within.
    """

    start: int
    end: int
    text: str
    header: str


def split_text(blocks: Iterable[str], chunk_tokens: int, chunk_overlap: int) -> Iterator[Chunk]:
    """Passages of at most ``chunk_tokens`` tokens, cut at paragraphs, sentences, lines or words.

    ``blocks`` are consecutive pieces of one document, each cut at a paragraph where possible;
    passages do not reach from one block into the next. Ranges are characters of the document. Code
    is cut at lines, and what is fenced or further in not at its blank lines, where it has room.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        separators=_SEPARATORS,
        is_separator_regex=True,
        keep_separator="end",
        chunk_size=chunk_tokens,
        chunk_overlap=chunk_overlap,
        length_function=count_tokens,
    )
    offset, header = 0, ""
    for block in blocks:
        searched, cuttable = 0, _with_whole_lines(block)
        for piece in splitter.split_text(cuttable):
            at = cuttable.find(piece, searched)
            if at < 0:  # passages that overlap may begin at the same place
                at = cuttable.index(piece, searched - 1)
            searched = at + (1 if chunk_overlap else len(piece))
            written = block[at : at + len(piece)]
            chunk = written.strip()
            start = at + len(written) - len(written.lstrip())
            within = header if _FIRST_ROW.match(chunk) and not _HEADER.match(chunk) else ""
            yield Chunk(offset + start, offset + start + len(chunk), chunk, within)
            header = _header_after(chunk, within)
        offset += len(block)


def _with_whole_lines(text: str) -> str:
    """``text`` with other signs, one for one, where code would be cut within a line or a block."""
    pieces, at = [], 0
    for start, end in code_blocks(text):
        code = _STOP.sub("x", text[start:end])
        pieces += [text[at:start], _BLANK_LINES.sub(lambda gap: "x" * len(gap.group()), code)]
        at = end
    return "".join([*pieces, text[at:]])


def _header_after(chunk: str, within: str) -> str:
    """The header of the table that ``chunk`` ends within, having begun ``within`` another."""
    last_line = chunk.rstrip()[chunk.rstrip().rfind("\n") + 1 :]
    if not _LAST_ROW.match(last_line):
        return ""
    headers = _HEADER.findall(chunk)
    cells = " | ".join(cell.strip() for cell in headers[-1].split("|")) if headers else within
    return shortened(cells, _LONGEST_HEADER)
