"""What a model knows without documents."""

from __future__ import annotations

from ..prompts.library import CLOSED_BOOK
from ..prompts.replies import ClosedBookAnswer
from .asking import Asker


async def closed_book(asker: Asker, question: str) -> ClosedBookAnswer | None:
    """The model's answer to ``question`` without documents; None where its reply was no use."""
    return await asker.ask(CLOSED_BOOK, question=question)
