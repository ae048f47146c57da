"""The tokens that indexing would send."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...index.opening import Index
from ...stores.queries import batches
from ...stores.readings import ReadingKind
from .passage_reader import PassageReader
from .triples import suffixes

GROUP_DOCUMENTS = 100


class Price:
    """The price of reading passages: requests to a model, and the tokens to send."""

    def __init__(
        self, reader: PassageReader, kinds: frozenset[ReadingKind], imported: frozenset[str]
    ) -> None:
        self.replies = 0
        self.tokens = 0
        self._reader = reader
        self._kinds = kinds
        self._imported = imported

    def add_stored(self, index: Index, missing: Mapping[str, Collection[ReadingKind]]) -> None:
        """Adds what is missing of stored passages. Blocks."""
        for batch in batches(missing, GROUP_DOCUMENTS):
            for passage in index.catalogue.passages(batch):
                kinds = missing[passage["id"]]
                self.add(passage["document"], passage["title"], passage["text"], kinds)

    def add(
        self, document: str, title: str, text: str, kinds: Collection[ReadingKind] | None = None
    ) -> None:
        """Adds a passage, of which all or the given kinds are missing. Blocks."""
        wanted = set(self._kinds if kinds is None else kinds)
        if not self._imported.isdisjoint(suffixes(document)):
            wanted.discard("facts")
        replies, tokens = self._reader.price(title, text, wanted) if wanted else (0, 0)
        self.replies += replies
        self.tokens += tokens
