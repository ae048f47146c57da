"""Documents whose file is gone, and which a new file with the same content takes the place of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from ...index.opening import Index
from ...stores.file_notes import documents_with
from ...stores.loading.sources import INLINE, is_gone
from ...stores.pieces import NewDocument


class MovedDocuments:
    """The documents of an index that have moved in a run, each once. Its methods block.

    >>> [document] = MovedDocuments(index).followed([document])
    >>> document.moved_from
    'drafts/notes.md'
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self.ids: set[str] = set()

    def followed(self, new: Sequence[NewDocument]) -> Iterator[NewDocument]:
        """``new`` documents, each with the id of one of its content whose file is gone, if any.

        The content may have been read by an earlier reader.
        """
        contents = [_in_every_reader(each.content) for each in new if each.path != INLINE]
        known = documents_with(self._index.engine, chain.from_iterable(contents))
        for document in new:
            same = (known.get(content, ()) for content in _in_every_reader(document.content))
            yield document._replace(moved_from=self._before(chain.from_iterable(same)))

    def _before(self, known: Iterable[tuple[str, str]]) -> str:
        for id, path in known:
            if id not in self.ids and path != INLINE and is_gone(self._index.home / path):
                self.ids.add(id)
                return id
        return ""


def _in_every_reader(content: str) -> list[str]:
    """``content`` as its reader records it, and as every reader before did."""
    reader, _, digest = content.partition(":")
    return [f"{number}:{digest}" for number in range(int(reader), 0, -1)]
