"""Reads passages without a model: highlights, and a short answer where it is nearly certain."""

from __future__ import annotations

from collections.abc import Sequence

from ..language.comparing import Answered, comparison, compute
from ..prompts.prompt import Excerpt
from ..prompts.replies import Answer, Quote
from .finder import find
from .likely import likely
from .lines import Line, Similarity, compared, highlights, lines_of, respelled

_RANKED = frozenset({"least", "greatest", "difference"})


def read(
    question: str, passages: Sequence[Excerpt], similarity: Similarity | None = None
) -> Answer:
    """A short answer with the sentences that state it, if it is certain; else the best sentences.

    ``similarity`` maps sentences to their cosines with the question; without it, words decide.
    """
    lines = lines_of(passages)
    question = respelled(question, lines)
    if similarity is not None:
        lines = compared(question, passages, lines, similarity)
    answer, telling = _certain(question, lines)
    shown = dict.fromkeys(line.number for line in telling or highlights(question, lines))
    quotes = [Quote(id=number) for number in shown]
    return Answer(quotes=quotes, sufficient=bool(answer), answer=answer, missing=[])


def _certain(question: str, lines: Sequence[Line]) -> tuple[str, list[Line]]:
    """The answer that is certain, or computed from certain ones, and its lines; else empty."""
    compared = comparison(question)
    if compared is None:
        found = find(question, lines) or likely(question, lines)
        return (found.answer, [found.line]) if found else ("", [])
    if compared.relation not in _RANKED:
        return "", []
    parts = [part for questions in compared.questions for part in questions]
    told = [found for part in parts if (found := find(part, lines))]
    if len(told) < len(parts):
        return "", []
    answers = [Answered(part, found.answer) for part, found in zip(parts, told, strict=True)]
    computed = compute(question, answers)
    return (computed.answer, [found.line for found in told]) if computed else ("", [])
