"""The metadata that holds at each place of a document."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any, NamedTuple

from ...state.records import Metadata, MetadataValue, Turn
from ...stores.loading.types import DocumentBlock
from ...stores.metadata import LARGEST, combined, size_of


class _Place(NamedTuple):
    start: int
    metadata: Mapping[str, Any]


class Places:
    """The places of a document where other metadata begins, learnt while its blocks are read.

    ``own`` is the metadata of the document, ``path`` its file, empty where it has none. Passages
    are asked about in the order of their starts.

    >>> places = Places({"author": "Ada"}, "")
    >>> blocks = [DocumentBlock("One. ", {"page": 1}), DocumentBlock("Two.", {"page": 2})]
    >>> blocks = list(places.noted(blocks))
    >>> places.within(5, 9)
    ({'author': 'Ada', 'page': 2}, [])
    """

    def __init__(self, own: Mapping[str, Any], path: str) -> None:
        self._own = own
        self._first = {"path": path} if path else {}
        self._places: deque[_Place] = deque([_Place(0, {})])
        self._known: tuple[_Place, Metadata] | None = None

    def noted(self, blocks: Iterable[str]) -> Iterator[str]:
        """The ``blocks``, whose places are noted as they pass."""
        offset = 0
        for block in blocks:
            for start, metadata in block.places if isinstance(block, DocumentBlock) else [(0, {})]:
                if metadata != self._places[-1].metadata:
                    self._places.append(_Place(offset + start, metadata))
            yield block
            offset += len(block)

    def within(self, start: int, end: int) -> tuple[Metadata, list[Turn]]:
        """The metadata at character ``start``, and where it changes before ``end``."""
        while len(self._places) > 1 and self._places[1].start <= start:
            self._places.popleft()
        here, *further = takewhile(lambda place: place.start < end, self._places)
        metadata = self._at(here)
        turns: list[Turn] = []
        room = LARGEST - size_of(metadata) if further else 0
        for place in further:
            changes = _changes(metadata, self._at(place))
            room -= size_of(changes)
            if room < 0:  # of the rest only the document's metadata is told
                changes = _changes(metadata, combined(self._first, self._own))
            turns.append({"start": place.start, "metadata": changes})
            if room < 0:
                break
        return metadata, turns

    def _at(self, place: _Place) -> Metadata:
        """The metadata of a place with the document's; passage after passage asks for the same."""
        if self._known is None or self._known[0] is not place:
            self._known = place, combined(self._first, place.metadata, self._own)
        return self._known[1]


def _changes(before: Metadata, after: Metadata) -> dict[str, MetadataValue | None]:
    changed = {key: value for key, value in after.items() if before.get(key) != value}
    return {**changed, **dict.fromkeys(sorted(before.keys() - after.keys()))}
