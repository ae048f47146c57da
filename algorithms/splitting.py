"""Cutting a stream of text into passages with their character ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..language.analyser import Span, count_tokens

_SEPARATORS = [
    r"\n\s*\n",
    r"(?<=[.!?…])\s+|(?<=[。！？])\s*",
    r"\n",
    r"(?<=[;,、，])\s*",
    r"\s+",
    "",
]


def split_text(blocks: Iterable[str], chunk_tokens: int, chunk_overlap: int) -> Iterator[Span]:
    """Passages of at most ``chunk_tokens`` tokens, cut at paragraphs, sentences, lines or words.

    ``blocks`` are consecutive pieces of one document, each cut at a paragraph where possible;
    passages do not reach from one block into the next. Ranges are characters of the document.
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
    offset = 0
    for block in blocks:
        searched = 0
        for chunk in splitter.split_text(block):
            start = block.index(chunk, searched)
            searched = start + (1 if chunk_overlap else len(chunk))
            yield Span(offset + start, offset + start + len(chunk), chunk)
        offset += len(block)
