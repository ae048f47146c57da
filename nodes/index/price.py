"""The tokens that indexing would send."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ...index.opening import Index
from ...language.analyser import count_tokens
from ...models.protocol import OFFLINE
from ...prompts.indexing import RESOLVE_ENTITIES
from ...prompts.prompt import Excerpt, Prompt
from ...stores.pieces import PlannedPiece
from ...stores.queries import batches
from ...stores.readings import ReadingKind
from .passage_reader import PassageReader
from .surroundings import DocumentNames, ShownPassage, ShownPassages, as_shown
from .triples import suffixes

GROUP_DOCUMENTS = 100
# On a novel 36 passages made 3 groups of names, with 230 tokens a passage.
_PASSAGES_A_GROUP = 10
_TOKENS_OF_NAMES = 230
# On two chapters of a novel, of 36 passages: the requests for each passage, and the tokens to send
# for each token to read passages and resolve names.
SUMMARIES = (33 / 36, 2 / 9)
REPORTS = (23 / 36, 4 / 9)


class ReadingPrice:
    """The price of reading passages: requests to a model, and the tokens to send."""

    def __init__(
        self, reader: PassageReader, kinds: frozenset[ReadingKind], imported: frozenset[str]
    ) -> None:
        self.replies = 0
        self.tokens = 0
        self._facts = 0
        self.reads = bool(kinds) and reader.model != OFFLINE
        self._reader = reader
        self._kinds = kinds
        self._imported = imported
        self._added: set[str] = set()

    def add_stored(self, index: Index, missing: Mapping[str, Collection[ReadingKind]]) -> None:
        """Adds what is missing of stored passages, unless it was added before. Blocks."""
        shown = ShownPassages(index, self._reader.model)
        left = [id for id in missing if self.reads and id not in self._added]
        for batch in batches(left, GROUP_DOCUMENTS):
            for passage, as_read in shown.of(batch):
                self._add(passage["document"], as_read, set(missing[passage["id"]]))

    def add_document(self, id: str, title: str, pieces: Sequence[PlannedPiece]) -> None:
        """Adds the ``pieces`` of a document that are new or have moved. Blocks."""
        unread = [at for at, each in enumerate(pieces) if each.is_new or each.is_moved]
        alone = len(pieces) == 1 or not unread
        names = None if alone else DocumentNames(each.piece.text for each in pieces)
        for place in unread:
            each = pieces[place]
            titled, longer = each.piece.title(title), names.fuller(place) if names else ()
            shown = as_shown(titled, each.piece.text, each.before, longer, len(pieces))
            self._add(id, shown, set(self._kinds))
            self._added.add(each.id)

    def _add(self, document: str, shown: ShownPassage, wanted: set[ReadingKind]) -> None:
        if not self._imported.isdisjoint(suffixes(document)):
            wanted.discard("facts")
        replies, tokens = self._reader.price(shown, wanted) if wanted else (0, 0)
        self.replies += replies
        self.tokens += tokens
        self._facts += "facts" in wanted and tokens > 0

    def add_resolution(self) -> None:
        """Adds the requests that say which names of the passages to be read are one thing."""
        replies, tokens = resolution(self._facts)
        self.replies += replies
        self.tokens += tokens


def resolution(passages: int) -> tuple[int, int]:
    """The requests, and the tokens to send, that say which names of passages are one thing."""
    requests = math.ceil(passages / _PASSAGES_A_GROUP)
    return requests, requests * sent(RESOLVE_ENTITIES, texts=[]) + passages * _TOKENS_OF_NAMES


def sent(prompt: Prompt[Any], **inputs: str | Sequence[Excerpt]) -> int:
    """The tokens of a prompt with its inputs. Blocks."""
    return sum(map(count_tokens, prompt.render(inputs)))
