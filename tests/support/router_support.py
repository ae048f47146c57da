"""Questions to the router of each kind, and asking them with the scripted model."""

from __future__ import annotations

from typing import Any

from ragraphs.context import RouterContext
from ragraphs.graphs.router import graph
from scripted_model import FACT, MODEL, NOT_FOUND, QUESTION

MISSING = "In which year was John Fowler born?"
LACKING = {**NOT_FOUND, "quotes": [{"id": "", "quote": FACT}], "missing": [MISSING]}
BORN = "John Fowler was born in Sheffield in 1817."
WHOLE = "What are the main themes across all documents?"
PERHAPS_WHOLE = "Which bridges are described?"
ABOUT = "Tell me about John Fowler."


def ask_at(index: str, question: str = QUESTION, **chosen: Any) -> Any:
    settings = {"index": index, "model": MODEL, "max_retries": 0, **chosen}
    return graph.invoke({"question": question}, context=RouterContext(**settings))


def path_of(result: Any) -> list[str]:
    return [attempt["method"] for attempt in result["path"]]
