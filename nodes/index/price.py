"""The tokens that indexing would send."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from ...index.opening import Index
from ...language.analyser import count_tokens
from ...prompts.library import RESOLVE_ENTITIES
from ...stores.queries import batches
from ...stores.readings import ReadingKind
from .passage_reader import PassageReader
from .triples import suffixes

GROUP_DOCUMENTS = 100
# On a novel 36 passages made 3 groups of names, with 230 tokens a passage.
_PASSAGES_A_GROUP = 10
_TOKENS_OF_NAMES = 230


class Price:
    """The price of reading passages: requests to a model, and the tokens to send."""

    def __init__(
        self, reader: PassageReader, kinds: frozenset[ReadingKind], imported: frozenset[str]
    ) -> None:
        self.replies = 0
        self.tokens = 0
        self._facts = 0
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
        self._facts += "facts" in wanted and tokens > 0

    def add_resolution(self) -> None:
        """Adds the requests that say which names of the passages to be read are one thing."""
        requests = math.ceil(self._facts / _PASSAGES_A_GROUP)
        system, human = RESOLVE_ENTITIES.render({"texts": []})
        self.replies += requests
        self.tokens += requests * count_tokens(system + human) + self._facts * _TOKENS_OF_NAMES
