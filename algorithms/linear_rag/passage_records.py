"""Records that the passage graph is made of: the names and terms of each passage."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...language.analyser import sentences, terms
from ...language.mentions import aliases, find_mentions
from ...language.mentions import key as key_of


class PassageRecord(NamedTuple):
    """One passage as the graph reads it: plain data, computed once and stored by the caller.

    ``titles`` are the keys of the title, whole and shortened (``mentions.aliases``); ``mentions``
    are (sentence, key, certain) with ``certain`` false for dates and numbers; ``terms`` are the
    index terms of each sentence (there is at least one), ``title_terms`` of the title. ``starts``
    are the first characters of the sentences in the text.
    """

    titles: tuple[str, ...]
    mentions: tuple[tuple[int, str, bool], ...]
    terms: tuple[tuple[str, ...], ...]
    title_terms: tuple[str, ...]
    starts: tuple[int, ...] = ()


def sentence_texts(title: str, text: str) -> list[str]:
    """The sentences of ``text`` as they are to be embedded, ``title`` in front; at least one."""
    return [titled(title, sentence) for sentence in split(text)]


def titled(title: str, sentence: str) -> str:
    """A sentence as it is to be embedded, under the ``title`` of its passage."""
    return f"{title}: {sentence}" if title else sentence


def passage_record(title: str, text: str) -> PassageRecord:
    """Analyses one passage; its sentences are the ``sentence_texts``, in that order."""
    return PassageRecord(
        titles=tuple(aliases(title)),
        mentions=tuple(
            (m.sentence, m.key, m.kind in {"name", "quoted"}) for m in find_mentions(title, text)
        ),
        terms=tuple(_terms(text)),
        title_terms=tuple(terms(title)),
        starts=tuple(sentence.start for sentence in sentences(text)),
    )


def split(text: str) -> list[str]:
    """The sentences of ``text`` as they are compared, without markup; at least one."""
    return [sentence.plain for sentence in sentences(text)] or [text]


def _terms(text: str) -> Iterator[tuple[str, ...]]:
    """The terms of each sentence, and of the heading or code before it, which is none."""
    end, last = 0, len(text)
    found = sentences(text)
    for place, sentence in enumerate(found, start=1):
        after = text[sentence.end : last] if place == len(found) else ""
        yield tuple(terms(f"{text[end : sentence.start]} {sentence.plain} {after}"))
        end = sentence.end
    if not found:
        yield tuple(terms(text))


class NamedSpan(NamedTuple):
    """Characters ``[start, end)`` of a text that name the entity ``name``."""

    start: int
    end: int
    name: str


def with_entities(record: PassageRecord, text: str, spans: Iterable[NamedSpan]) -> PassageRecord:
    """``record`` with mentions of the entities that the entities layer found in ``text``.

    Each is added as written there and by the entity's name, under which its aliases meet.
    """
    mentions = dict.fromkeys(record.mentions)
    for start, end, name in spans:
        place = max(bisect_right(record.starts, start) - 1, 0)
        for found in (key_of(text[start:end]), key_of(name)):
            if found:
                mentions[place, found, not found.replace(" ", "").isdigit()] = None
    return record._replace(mentions=tuple(mentions))
