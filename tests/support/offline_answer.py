"""The short answer of the reader without a model."""

from __future__ import annotations

from ragraphs.offline.reading import read


def answer(question: str, title: str, text: str) -> str:
    """The short answer to ``question`` from one text; empty where it has none."""
    return read(question, [{"id": "p1", "title": title, "text": text}]).answer
