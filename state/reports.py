"""The records of GraphRAG's communities: plain data."""

from __future__ import annotations

from typing import NamedTuple

from typing_extensions import TypedDict


class Finding(TypedDict):
    """One thing that a report says, and the ids of the passages that it rests on."""

    statement: str
    passages: list[str]


class Report(TypedDict):
    """A report on a community of entities; ``rating`` is its weight in the corpus, 0 to 10."""

    title: str
    summary: str
    rating: float
    findings: list[Finding]


class Community(NamedTuple):
    """A set of entities; ``level`` is the first at which it stands, ``parent`` is empty at 0.

    ``id`` is a hash of ``members``, which are sorted.
    """

    id: str
    level: int
    parent: str
    members: tuple[str, ...]
