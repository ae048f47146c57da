"""Splitting a question into sub-questions by its grammar, in English and Korean."""

from __future__ import annotations

from .comparison_questions import ComparisonQuestion, comparison_of
from .comparison_questions_korean import korean_comparison_of
from .decomposition_english import decompose_english
from .decomposition_korean import decompose_korean
from .subquestions import SubQuestion, acyclic
from .text import is_korean

_MOST = 24
_LONGEST = 1000


def decompose(question: str, most: int = _MOST) -> tuple[SubQuestion, ...]:
    """The sub-questions of ``question`` in an order in which they can be answered.

    Comparisons give a chain of questions for each thing compared, conjunctions one for each
    clause, nested descriptions ("the director of the film that ...") a chain whose members refer
    back as #1, #2, several subjects and axes a grid. A question that asks for one fact, or that is
    longer than a thousand characters, gives one: itself.
    """
    if len(question) > _LONGEST:
        return (SubQuestion(question, ()),)
    texts = (decompose_korean if is_korean(question) else decompose_english)(question)
    return acyclic(texts, question, most) or (SubQuestion(question, ()),)


def comparison(question: str) -> ComparisonQuestion | None:
    """What ``question`` compares, English or Korean, or None if it does not compare."""
    if len(question) > _LONGEST:
        return None
    return (korean_comparison_of if is_korean(question) else comparison_of)(question)
