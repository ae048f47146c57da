"""Blocks of text of a bounded length, each with its metadata."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise

from .text import in_blocks
from .types import DocumentBlock

_LONGEST = 1_000_000
_MOST_CHANGES = 5000


def sliced(blocks: Iterable[str]) -> Iterator[str]:
    """The blocks; those that are long, or have thousands of changes of metadata, in slices.

    Python stands still while a long one is searched, and a process holds but a slice of it.
    """
    for block in blocks:
        place = 0
        for text in _slices(block):
            yield _with_metadata(block, place, text)
            place += len(text)


def _slices(block: str) -> Iterator[str]:
    changes = block.changes if isinstance(block, DocumentBlock) else ()
    cuts = [0, *(start for start, _ in changes[_MOST_CHANGES::_MOST_CHANGES]), len(block)]
    for start, end in pairwise(cuts):
        if end - start <= _LONGEST:
            yield block[start:end]
        else:
            half = _LONGEST // 2
            yield from in_blocks(
                (block[at : min(at + half, end)] for at in range(start, end, half)), half
            )


def _with_metadata(block: str, place: int, text: str) -> str:
    if not isinstance(block, DocumentBlock):
        return text
    first = bisect_right(block.changes, place, key=_start_of)
    last = bisect_left(block.changes, place + len(text), key=_start_of)
    metadata = block.changes[first - 1][1] if first else block.metadata
    return DocumentBlock(
        text, metadata, [(at - place, new) for at, new in block.changes[first:last]]
    )


def _start_of(change: tuple[int, object]) -> int:
    return change[0]
