"""The texts that are shown beside a passage, so that a model can tell who is meant in it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...algorithms.entities.spellings import is_full_name
from ...index.opening import Index
from ...language.analyser import one_line
from ...language.mentions import as_excerpt, find_mentions, key
from ...models.protocol import OFFLINE
from ...prompts.prompt import Excerpt
from ...state.records import Passage
from ...stores.file_notes import listed_documents

_FEW_PASSAGES = 5
_MOST_WORDS = 8  # of a name
_MOST_COMPARED = 50  # names with one word
_MOST_OF_A_WORD = 2
_MOST_NAMES = 6


class ShownPassage(NamedTuple):
    """A passage as it is read: under its title, after the lines before it, with longer names."""

    title: str
    text: str
    before: str = ""
    names: Sequence[str] = ()


class DocumentNames:
    """The names of several words that stand in several passages of a document.

    They are told by writing rules alone, before any passage is read, so that all passages can be
    read side by side. ``texts`` are the passages in their order. Blocks.

    >>> DocumentNames(["Ann Lee sat.", "So Ann Lee rose.", "Then Lee ran."]).fuller(2)
    ['Ann Lee']
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._short: list[list[str]] = []
        places: defaultdict[str, list[int]] = defaultdict(list)
        written: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for place, text in enumerate(texts):
            found = [mention for mention in find_mentions("", text) if mention.kind == "name"]
            names = sorted({mention.key for mention in found})
            self._short.append([name for name in names if " " not in name])
            for mention in found:
                if mention.key == key(mention.text):
                    written[mention.key][one_line(mention.text)] += 1
            for name in names:
                if 0 < name.count(" ") < _MOST_WORDS:
                    places[name].append(place)
        self._places = {name: at for name, at in places.items() if written[name] and at[1:]}
        for part in list(_parts(self._places)):
            self._places.pop(part, None)
        self._spellings = {name: written[name].most_common(1)[0][0] for name in self._places}
        self._with: defaultdict[str, list[str]] = defaultdict(list)
        for name in sorted(self._places, key=lambda name: (-len(self._places[name]), name)):
            for word in set(name.split()):
                if len(self._with[word]) < _MOST_COMPARED:
                    self._with[word].append(name)

    def fuller(self, place: int) -> list[str]:
        """The names that a shorter one in the passage at ``place`` may stand for.

        Of those with one word full names go first, "Ann Lee" before "Mrs. Lee" and "Lee and Ray".
        The one that was named last before the passage comes first.
        """
        near: dict[str, tuple[bool, int]] = {}
        for word in self._short[place]:
            names = self._with.get(word, ())
            meant = {name: _distance(self._places[name], place) for name in names}
            ranked = sorted(meant.items(), key=lambda item: (not self._is_full(item[0]), item[1]))
            near |= dict(ranked[:_MOST_OF_A_WORD])
        order = sorted((distance, name) for name, distance in near.items() if distance[1])
        return [self._spellings[name] for _, name in order[:_MOST_NAMES]]

    def _is_full(self, name: str) -> bool:
        return " and " not in name and is_full_name(self._spellings[name])


def _parts(places: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """The names that stand in no more passages than a longer name that they are a part of."""
    for name, at in places.items():
        words = name.split()
        for length in range(2, len(words)):
            for start in range(len(words) - length + 1):
                part = " ".join(words[start : start + length])
                if len(places.get(part, ())) <= len(at):
                    yield part


def _distance(places: Sequence[int], place: int) -> tuple[bool, int]:
    """How far before ``place`` the last of ``places`` is, or after it, where none is before.

    It is 0 where one of them is ``place`` itself.
    """
    after = bisect_right(places, place)
    return (False, place - places[after - 1]) if after else (True, places[0] - place)


class ShownPassages:
    """Stored passages as ``model`` reads them. Blocks.

    >>> [(passage, shown)] = ShownPassages(index, "openai:gpt-4o-mini").of([id])
    """

    def __init__(self, index: Index, model: str) -> None:
        self._catalogue = index.catalogue
        self._counts: dict[str, int] = {}
        self._model = model
        self._names: dict[str, Mapping[str, Sequence[str]]] = {}

    def of(self, ids: Sequence[str]) -> list[tuple[Passage, ShownPassage]]:
        """The passages with these ids, each as it is read."""
        passages, before = self._catalogue.passages(ids), self._catalogue.lines_before(ids)
        documents = {passage["document"] for passage in passages}
        self._names = {id: self._names[id] for id in documents & self._names.keys()}
        listed = listed_documents(self._catalogue.engine, documents)
        self._counts = {id: count for id, _, count in listed}
        return [
            (
                passage,
                as_shown(
                    passage["title"],
                    passage["text"],
                    before[passage["id"]],
                    self._names_in(passage["document"]).get(passage["id"], ()),
                    self._counts[passage["document"]],
                ),
            )
            for passage in passages
        ]

    def _names_in(self, document: str) -> Mapping[str, Sequence[str]]:
        """The names for each passage of a document that has several."""
        if document not in self._names:
            alone = self._counts[document] == 1 or self._model == OFFLINE
            passages = [] if alone else self._catalogue.passages_of([document])[document]
            names = DocumentNames(passage["text"] for passage in passages)
            self._names[document] = {
                passage["id"]: names.fuller(place) for place, passage in enumerate(passages)
            }
        return self._names[document]


def as_shown(title: str, text: str, before: str, names: Sequence[str], count: int) -> ShownPassage:
    """A passage of a document of ``count`` passages."""
    return ShownPassage(as_excerpt(title) if count > _FEW_PASSAGES else title, text, before, names)


def surroundings(before: str, names: Sequence[str]) -> list[Excerpt]:
    """The lines before a passage and the names in its document, as the prompts show them."""
    shown: list[Excerpt] = []
    if before:
        shown.append({"id": "before", "title": "the lines before text 1", "text": before})
    if names:
        shown.append({"id": "names", "title": "longer names", "text": "; ".join(names)})
    return shown
