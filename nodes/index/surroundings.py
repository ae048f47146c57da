"""The texts that are shown beside a passage, so that a model can tell who is meant in it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ...index.opening import Index
from ...language.analyser import one_line
from ...language.mentions import as_excerpt, find_mentions, key
from ...models.protocol import OFFLINE
from ...prompts.prompt import Excerpt
from ...state.records import Passage

_FEW_PASSAGES = 5
_OFTEN = 2  # passages
_MOST_NAMES = 6
_MOST_OF_A_WORD = 2


class Shown(NamedTuple):
    """A passage as it is read: under its title, after the lines before it, with longer names."""

    title: str
    text: str
    before: str = ""
    names: Sequence[str] = ()


class DocumentNames:
    """The names of several words that stand in several passages of a document.

    They are told by writing rules alone, before any passage is read, so that all passages can be
    read side by side. ``texts`` are the passages in their order. Blocks.

    >>> DocumentNames(["Ann Lee sat.", "So Ann Lee rose.", "Lee ran. Lee fell."]).fuller(2)
    ['Ann Lee']
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts: list[str] = []
        places: defaultdict[str, list[int]] = defaultdict(list)
        written: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for place, text in enumerate(texts):
            self._texts.append(f" {key(text)} ")
            found = [mention for mention in find_mentions("", text) if mention.kind == "name"]
            for name in sorted({mention.key for mention in found}):
                places[name].append(place)
            for mention in found:
                if " " in mention.key and mention.key == key(mention.text):
                    written[mention.key][one_line(mention.text)] += 1
        often = {name: where for name, where in places.items() if len(where) >= _OFTEN}
        self._short = {name for name in often if " " not in name}
        self._long = {
            name: where
            for name, where in often.items()
            if name in written and not _is_part_of_another(name, often)
        }
        self._spellings = {name: written[name].most_common(1)[0][0] for name in self._long}

    def fuller(self, place: int) -> list[str]:
        """The names that a shorter one in the passage at ``place`` may stand for.

        The one that was named last before it comes first.
        """
        text = self._texts[place]
        words = self._short.intersection(text.split())
        told: Counter[str] = Counter()
        names = []
        nearest = sorted((_distance(where, place), name) for name, where in self._long.items())
        for _, name in nearest:
            shared = words.intersection(name.split())
            enough = any(told[word] >= _MOST_OF_A_WORD for word in shared)
            if shared and not enough and f" {name} " not in text:
                told.update(shared)
                names.append(self._spellings[name])
        return names[:_MOST_NAMES]


def _is_part_of_another(name: str, often: Mapping[str, Sequence[int]]) -> bool:
    """Whether ``name`` stands in no more passages than a longer name that it is a part of."""
    return any(
        f" {name} " in f" {other} " and other != name and len(where) >= len(often[name])
        for other, where in often.items()
    )


def _distance(places: Sequence[int], place: int) -> tuple[bool, int]:
    """How far before ``place`` the last of ``places`` is; after all of these, how far behind."""
    before = bisect_left(places, place)
    return (False, place - places[before - 1]) if before else (True, places[0] - place)


class ShownPassages:
    """Stored passages as ``model`` reads them. Blocks.

    >>> [(passage, shown)] = ShownPassages(index, "openai:gpt-4o-mini").of([id])
    """

    def __init__(self, index: Index, model: str) -> None:
        self._catalogue = index.catalogue
        self._counts = {row["id"]: row["passages"] for row in index.catalogue.documents()}
        self._model = model
        self._names: dict[str, Mapping[str, Sequence[str]]] = {}

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


def as_shown(title: str, text: str, before: str, names: Sequence[str], count: int) -> Shown:
    """A passage of a document of ``count`` passages."""
    return Shown(as_excerpt(title) if count > _FEW_PASSAGES else title, text, before, names)


def surroundings(before: str, names: Sequence[str]) -> list[Excerpt]:
    """The lines before a passage and the names in its document, as the prompts show them."""
    shown: list[Excerpt] = []
    if before:
        shown.append({"id": "before", "title": "the lines before text 1", "text": before})
    if names:
        shown.append(
            {
                "id": "names",
                "title": "longer names",
                "text": "; ".join(names),
            }
        )
    return shown
