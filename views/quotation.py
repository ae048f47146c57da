"""Passages, and places in them, as the page shows and opens them."""

from __future__ import annotations

from typing import Any

from ..state.records import Citation, Passage


def shown(passage: Passage) -> dict[str, Any]:
    """A passage as lists of the page show it: its place and text, without metadata."""
    return {
        "id": passage["id"],
        "document": passage["document"],
        "title": passage["title"],
        "text": passage["text"],
        "start": passage["start"],
        "end": passage["end"],
    }


def quoted(passage: Passage, quote: str = "") -> Citation:
    """Where ``passage`` says ``quote``; all of the passage, and no quote, where it does not."""
    at = passage["text"].find(quote) if quote else -1
    if at < 0:
        return _citation(passage, passage["start"], passage["end"], "")
    start = passage["start"] + at
    return _citation(passage, start, start + len(quote), quote)


def _citation(passage: Passage, start: int, end: int, quote: str) -> Citation:
    return {
        "passage": passage["id"],
        "document": passage["document"],
        "title": passage["title"],
        "start": start,
        "end": end,
        "quote": quote,
    }
