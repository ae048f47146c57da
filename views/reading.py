"""Finding one's way in a document: where its sections and pages begin, and where words stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ..state.records import Passage
from ..stores.document_texts import PassageText

_MOST = 300
_KEYS = ("section", "page")


def places(passages: Iterable[Passage]) -> list[dict[str, Any]]:
    """Where a section or a page begins, ``{at, section, page}``: at most 300, spread over all."""
    found = list(_changes(passages))
    return found[:: len(found) // _MOST + 1] if len(found) > 1 else []


def _changes(passages: Iterable[Passage]) -> Iterator[dict[str, Any]]:
    last: dict[str, Any] = {}
    for passage in passages:
        own = {key: passage["metadata"].get(key) for key in _KEYS}
        turns = [(turn["start"], {**own, **turn["metadata"]}) for turn in passage.get("turns", ())]
        for at, metadata in [(passage["start"], own), *turns]:
            now = {key: metadata.get(key) for key in _KEYS}
            if now != last and any(now.values()):
                yield {"at": at, **now}
            last = now


def occurrences(texts: Iterable[PassageText], words: str) -> list[dict[str, int]]:
    """Where ``words`` stand in a row, ``{start, end}`` as characters of the document: at most 300.

    Neither their case nor the white space between them counts.
    """
    pattern = re.compile(r"\s+".join(map(re.escape, words.split())), re.IGNORECASE)
    found = (
        {"start": one.start + match.start(), "end": one.start + match.end()}
        for one in texts
        for match in pattern.finditer(one.text)
        if match.group()
    )
    return list(islice(found, _MOST))
