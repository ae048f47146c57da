"""In which words an index was made: what a model read or wrote by prompts that changed since."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from ..models.protocol import OFFLINE
from ..offline import version
from ..prompts import indexing
from ..prompts.prompt import Prompt
from ..stores.readings import ReadingKind
from .opening import Index

MANNER = "manner"  # property: how reports on communities are to be written
_READ_BY: Mapping[ReadingKind, tuple[Prompt[Any], ...]] = {
    "questions": (indexing.READ_PASSAGE, indexing.WRITE_QUESTIONS),
    "facts": (indexing.READ_PASSAGE, indexing.EXTRACT_FACTS, indexing.GLEAN_CHECK, indexing.GLEAN),
}
_READING = {prompt for prompts in _READ_BY.values() for prompt in prompts}
_WRITING = [p for p in vars(indexing).values() if isinstance(p, Prompt) and p not in _READING]


class Outdated(TypedDict):
    """How many replies are to earlier words of a prompt, and the tokens sent for them."""

    replies: int
    tokens: int


def reading_words(
    index: Index, reader: str, kinds: Iterable[ReadingKind]
) -> dict[ReadingKind, str]:
    """A hash of the words by which ``reader`` would read, for each of ``kinds``. Blocks.

    The offline reader is not told anything; its version stands for them.
    """
    if reader == OFFLINE:
        return dict.fromkeys(kinds, version.VERSION)
    return {kind: _words(index, _READ_BY[kind]) for kind in kinds}


def known_as(reader: str) -> str:
    """The name of ``reader`` in the stamps of layers; the offline reader's has its version."""
    return f"{reader} {version.VERSION}" if reader == OFFLINE else reader


def manner_of(index: Index, reader: str) -> str:
    """How reports are to be written, if the index was tuned; rules cannot be told. Blocks."""
    return "" if reader == OFFLINE else index.catalogue.property(MANNER) or ""


def _words(index: Index, prompts: Iterable[Prompt[Any]]) -> str:
    said = "".join(prompt.words(index.operator.prompts) for prompt in prompts)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def outdated_readings(index: Index, readers: Mapping[ReadingKind, str], reader: str) -> int:
    """How many passages were read in other words, or by another version, than today's. Blocks."""
    words = reading_words(index, reader, readers)
    outdated: set[str] = set()
    for kind, label in readers.items():
        wanted = set(index.readings.missing(kind, label, words[kind]))
        outdated |= wanted - set(index.readings.missing(kind, label))
    return len(outdated)


def outdated_writing(index: Index) -> Outdated:
    """The replies of which summaries and reports are made, to other words than today's. Blocks."""
    folder = index.operator.prompts
    counts = [index.replies.outdated(prompt.name, prompt.words(folder)) for prompt in _WRITING]
    return {"replies": sum(n for n, _ in counts), "tokens": sum(tokens for _, tokens in counts)}


def forget_outdated(index: Index) -> None:
    """Deletes the replies to earlier words, once all that an index is made of is new. Blocks."""
    for prompt in (*_READING, *_WRITING):
        index.replies.forget_outdated(prompt.name, prompt.words(index.operator.prompts))
