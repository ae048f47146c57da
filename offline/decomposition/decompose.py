"""Splitting a question into sub-questions by its grammar, in English and Korean."""

from __future__ import annotations

from ...algorithms.deeprag.sub_questions import SubQuestion, acyclic
from ...language.analyser import LONGEST_GRAMMAR, is_korean, one_line
from .english import decompose_english
from .korean import decompose_korean

_MOST = 24


def decompose(question: str, most: int = _MOST) -> tuple[SubQuestion, ...]:
    """The sub-questions of ``question`` in an order in which they can be answered.

    Nested descriptions ("the director of the film that ...") give a chain whose members refer back
    as #1, #2, comparisons a chain for each thing, several subjects and axes a grid. A question for
    one fact, or longer than ``LONGEST_GRAMMAR`` characters, gives itself.
    """
    if len(question) > LONGEST_GRAMMAR:
        return (SubQuestion(question, ()),)
    text = one_line(question)
    texts = (decompose_korean if is_korean(text) else decompose_english)(text)
    return acyclic(texts, question, most) or (SubQuestion(question, ()),)


def independent_parts(question: str) -> list[str]:
    """The sub-questions of ``question`` where none needs the answer of another; else nothing."""
    parts = decompose(question)
    needed = len(parts) < 2 or any(part.depends_on for part in parts)
    return [] if needed else [part.text for part in parts]
