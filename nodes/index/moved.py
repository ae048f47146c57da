"""Documents whose file is gone, and which a new file with the same content takes the place of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
        """``new`` documents, each with the id of one of its content whose file is gone, if any."""
        contents = [document.content for document in new if document.path != INLINE]
        known = documents_with(self._index.engine, contents)
        for document in new:
            yield document._replace(moved_from=self._before(known.get(document.content, ())))

    def _before(self, known: Sequence[tuple[str, str]]) -> str:
        for id, path in known:
            if id not in self.ids and path != INLINE and is_gone(self._index.home / path):
                self.ids.add(id)
                return id
        return ""
