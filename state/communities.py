"""The records of GraphRAG's communities: plain data."""

from __future__ import annotations

from typing_extensions import TypedDict


class Finding(TypedDict):
    """One thing that a report says, and the ids of the passages that it rests on."""

    statement: str
    passages: list[str]


class Report(TypedDict):
    """What a community of entities is about; ``rating`` is its weight in the corpus, 0 to 10."""

    title: str
    summary: str
    rating: float
    findings: list[Finding]
