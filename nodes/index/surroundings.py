"""The texts that are shown beside a passage, so that a model can tell who is meant in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...index.opening import Index
from ...language.analyser import one_line
from ...language.mentions import as_excerpt, find_mentions, key
from ...models.protocol import OFFLINE
from ...prompts.prompt import Excerpt
from ...state.records import Passage

_FEW_PASSAGES = 5
_OFTEN = 2  # passages
_MOST_NAMES = 12
_MOST_OF_A_WORD = 3


class Shown(NamedTuple):
    """A passage as it is read: under its title, after the lines before it, with longer names."""

    title: str
    text: str
    before: str = ""
    names: Sequence[str] = ()


class DocumentNames:
    """The names of several words that stand in several passages of a document.

    They are told by writing rules alone, before any passage is read, so that all passages can be
    read side by side. Blocks.

    >>> DocumentNames(["Ebenezer Scrooge sat.", "So Ebenezer Scrooge ..."]).fuller("Scrooge rose.")
    ['Ebenezer Scrooge']
    """

    def __init__(self, texts: Iterable[str]) -> None:
        passages: Counter[str] = Counter()
        written: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            found = [mention for mention in find_mentions("", text) if mention.kind == "name"]
            passages.update({mention.key for mention in found})
            for mention in found:
                if " " in mention.key and mention.key == key(mention.text):
                    written[mention.key][one_line(mention.text)] += 1
        often = [name for name, count in passages.most_common() if count >= _OFTEN]
        long = [name for name in often if name in written]
        whole = [
            name
            for name in long
            if not any(
                f" {name} " in f" {other} " and passages[name] <= passages[other]
                for other in long
                if other != name
            )
        ]
        self._spellings = {name: written[name].most_common(1)[0][0] for name in whole}
        self._short = {name for name in often if " " not in name}

    def fuller(self, text: str) -> list[str]:
        """The names that a shorter name in ``text`` may stand for, those of most passages first."""
        words = set(key(text).split())
        whole = f" {key(text)} "
        told: Counter[str] = Counter()
        names = []
        for name, spelling in self._spellings.items():
            shared = [word for word in name.split() if word in words & self._short]
            if (
                not shared
                or f" {name} " in whole
                or max(told[w] for w in shared) >= _MOST_OF_A_WORD
            ):
                continue
            told.update(shared)
            names.append(spelling)
        return names[:_MOST_NAMES]


class ShownPassages:
    """Stored passages as ``model`` reads them. Blocks.

    >>> [(passage, shown)] = ShownPassages(index, "openai:gpt-4o-mini").of([id])
    """

    def __init__(self, index: Index, model: str) -> None:
        self._catalogue = index.catalogue
        self._counts = {row["id"]: row["passages"] for row in index.catalogue.documents()}
        self._model = model
        self._names: dict[str, DocumentNames | None] = {}

    def of(self, ids: Sequence[str]) -> list[tuple[Passage, Shown]]:
        """The passages with these ids, each as it is read."""
        passages, before = self._catalogue.passages(ids), self._catalogue.lines_before(ids)
        documents = {passage["document"] for passage in passages}
        self._names = {id: self._names[id] for id in documents & self._names.keys()}
        return [
            (
                passage,
                as_shown(
                    passage["title"],
                    passage["text"],
                    before[passage["id"]],
                    self._names_in(passage["document"]),
                    self._counts[passage["document"]],
                ),
            )
            for passage in passages
        ]

    def _names_in(self, document: str) -> DocumentNames | None:
        if document not in self._names:
            alone = self._counts[document] == 1 or self._model == OFFLINE
            passages = [] if alone else self._catalogue.passages_of([document])[document]
            texts = [passage["text"] for passage in passages]
            self._names[document] = DocumentNames(texts) if texts else None
        return self._names[document]


def as_shown(title: str, text: str, before: str, names: DocumentNames | None, count: int) -> Shown:
    """A passage of a document of ``count`` passages, in which ``names`` stand. Blocks."""
    title = as_excerpt(title) if count > _FEW_PASSAGES else title
    return Shown(title, text, before, names.fuller(text) if names else ())


def surroundings(before: str, names: Sequence[str]) -> list[Excerpt]:
    """The lines before a passage and the names in its document, as the prompts show them."""
    shown: list[Excerpt] = []
    if before:
        shown.append({"id": "before", "title": "the lines before text 1", "text": before})
    if names:
        shown.append({"id": "names", "title": "longer names", "text": "; ".join(names)})
    return shown
