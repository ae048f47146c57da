"""Finding the spellings of entities in a text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from ...language.analyser import strip_particle
from ...language.folding import folded
from ...language.mentions import SIGNS, normalised

_WORD = re.compile(r"[^\W_]+")
_HANGUL = re.compile(r"[가-힣]")
_STOP = re.compile(r"[.!?;:]\s|\n\s*\n")
_ARTICLES = frozenset({"the", "a", "an"})
_MARKS = frozenset(f"'’.{SIGNS}")
_LONGEST_PARTICLE = 6
_LONGEST_ACRONYM = 5
_LONGEST_NAME = 24  # words
_VARIED = 3  # words of the longest name with a sign or an apostrophe that the text leaves out
_JOINED = 3  # letters of the longest part that an apostrophe sets off: "Shi'ite", "O'Brien"


class EntitySpan(NamedTuple):
    """Characters ``[start, end)`` of a text that may name ``entity``."""

    entity: str
    start: int
    end: int


class _Word(NamedTuple):
    start: int
    end: int
    folded: str
    capital: bool


class SpellingIndex:
    """Finds spellings in texts; ``spellings`` maps them to the entities they may mean.

    Whole words only, with any spaces and punctuation between them; case, accents and a leading
    article do not matter, but one word that is written with a capital must be so in the text. A
    Korean name may be followed by a particle, which is left out.
    """

    def __init__(self, spellings: Mapping[str, Collection[str]]) -> None:
        self._entities: dict[tuple[str, ...], set[str]] = {}
        self._capital: dict[tuple[str, ...], bool] = {}
        for spelling, entities in spellings.items():
            words = list(_words(spelling))
            if len(words) > 1 and words[0].folded in _ARTICLES:
                words = words[1:]
            folded = tuple(word.folded for word in words)
            capital = len(words) == 1 and words[0].capital
            for form in _with_initials(folded, spelling):
                self._entities.setdefault(form, set()).update(entities)
                self._capital[form] = self._capital.get(form, True) and (capital or form != folded)
        self._entities.pop((), None)
        self._longest: dict[str, int] = {}  # by first word
        for form in self._entities:
            self._longest[form[0]] = max(len(form), self._longest.get(form[0], 1))

    def find(self, text: str, any_case: bool = False) -> list[EntitySpan]:
        """All occurrences by position; the longest hides those inside it."""
        words = list(_words(text)) if self._entities else []
        spans: list[EntitySpan] = []
        after = 0
        for place, word in enumerate(words):
            if place < after or not (word.folded in self._longest or _stems(word.folded)):
                continue
            longest = self._longest.get(word.folded, 1)
            for reading, end in _readings(words, place, longest):
                entities = self._entities.get(reading)
                if not entities or not _runs_on(text, words[place : place + len(reading)]):
                    continue
                if any_case or word.capital or not self._capital[reading]:
                    spans.extend(EntitySpan(one, word.start, end) for one in sorted(entities))
                    after = place + len(reading)
                    break
        return spans


def possible_names(text: str) -> set[str]:
    """The normalised names of all spellings that a ``SpellingIndex`` may find in ``text``.

    Of at most 24 words. They are many more than there are; a store says which it has.
    """
    words = list(_words(text))
    names: set[str] = set()
    for place, word in enumerate(words):
        for reading, end in _readings(words, place, _LONGEST_NAME):
            names.update(_written(reading))
            start = word.start
            while start and text[start - 1] in SIGNS:
                start -= 1
            while end < len(text) and text[end] in SIGNS:
                end += 1
            if not _MARKS.isdisjoint(text[start:end]):
                names.add(normalised(text[start:end]))
    names.discard("")
    return names


def _written(folded: tuple[str, ...]) -> Iterator[str]:
    """The normalised names of a run of words: apart, with an apostrophe, with a sign."""
    name = " ".join(folded)
    if folded[0] in _ARTICLES or any(len(word) == 1 for word in folded):
        name = normalised(name)
    yield name
    if len(folded) > _VARIED:
        return
    for a, b in pairwise(range(len(folded))):
        if min(len(folded[a]), len(folded[b])) <= _JOINED:
            yield normalised(" ".join((*folded[:a], folded[a] + folded[b], *folded[b + 1 :])))
    for sign in (*SIGNS, "++"):
        yield f"{name} {sign}"


def _with_initials(folded: tuple[str, ...], spelling: str) -> Iterator[tuple[str, ...]]:
    """The words themselves and, for "U.S." or "US", the other way to write them."""
    yield folded
    letters = re.sub(r"[\s.]", "", spelling)
    if letters.isascii() and letters.isupper() and 2 <= len(letters) <= _LONGEST_ACRONYM:
        joined = letters.lower()
        if folded == (joined,):
            yield tuple(joined)
        elif folded == tuple(joined):
            yield (joined,)


def _words(text: str) -> Iterator[_Word]:
    for match in _WORD.finditer(text):
        written, (start, end) = match[0], match.span()
        if written in ("s", "S") and text[start - 1 : start] in ("'", "’"):
            continue
        yield _Word(start, end, folded(written), not written[0].islower())


def _readings(
    words: list[_Word], place: int, longest: int
) -> Iterator[tuple[tuple[str, ...], int]]:
    """Runs of words from ``place`` on, the longest first, with their end; without particles too."""
    whole = tuple(word.folded for word in words[place : place + longest])
    for length in range(len(whole), 0, -1):
        folded, last = whole[:length], words[place + length - 1]
        yield folded, last.end
        for stem in _stems(last.folded):
            yield (*folded[:-1], stem), last.start + len(stem)


@lru_cache(maxsize=50_000)
def _stems(word: str) -> tuple[str, ...]:
    """A word that ends in Hangul, without each particle that it may end in."""
    if not _HANGUL.fullmatch(word[-1]):
        return ()
    cuts = range(len(word) - 1, max(0, len(word) - 1 - _LONGEST_PARTICLE), -1)
    return tuple(word[:cut] for cut in cuts if strip_particle("가가" + word[cut:]) == "가가")


def _runs_on(text: str, words: list[_Word]) -> bool:
    """Whether no sentence ends between the words; short ones ("St.", "J.") are abbreviations."""
    return all(
        b.start - a.end <= 3 and (a.end - a.start <= 3 or not _STOP.match(text[a.end : b.start]))
        for a, b in pairwise(words)
    )
