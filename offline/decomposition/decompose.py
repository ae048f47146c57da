"""Splitting a question into sub-questions by its grammar, in English and Korean."""

from __future__ import annotations

from ...algorithms.deeprag.sub_questions import SubQuestion, acyclic
from ...language.analyser import LONGEST_GRAMMAR, is_korean, one_line
from .english import decompose_english
from .korean import decompose_korean

_MOST = 24


def decompose(question: str, most: int = _MOST) -> tuple[SubQuestion, ...]:
    """The sub-questions of ``question`` in an order in which they can be answered.

    Comparisons give a chain of questions for each thing compared, conjunctions one for each
    clause, nested descriptions ("the director of the film that ...") a chain whose members refer
    back as #1, #2, several subjects and axes a grid. A question that asks for one fact, or that is
    longer than ``LONGEST_GRAMMAR`` characters, gives one: itself.
    """
    if len(question) > LONGEST_GRAMMAR:
        return (SubQuestion(question, ()),)
    text = one_line(question)
    texts = (decompose_korean if is_korean(text) else decompose_english)(text)
    return acyclic(texts, question, most) or (SubQuestion(question, ()),)
