"""Checking a statement without a model: only a sentence in its own words decides it."""

from __future__ import annotations

from collections.abc import Sequence

from ..language.analyser import sentences
from ..language.answer_types import roots
from ..language.values import NEGATION
from ..prompts.prompt import Excerpt
from ..prompts.replies import Quote
from ..prompts.statement_replies import StatementVerdict
from ..state.answering import Verdict
from .finder import CHOICE, DOUBT


def judge_statement(question: str, texts: Sequence[Excerpt]) -> StatementVerdict:
    """The verdict on the statement ``question``; not enough unless a sentence repeats it."""
    for text in texts:
        for sentence in sentences(text["text"]):
            if (verdict := _verdict(question, sentence.plain)) != "not enough":
                quote = Quote(id=text["id"], quote=sentence.text)
                return StatementVerdict(quotes=[quote], verdict=verdict, missing=[])
    return StatementVerdict(quotes=[], verdict="not enough", missing=[])


def _verdict(statement: str, sentence: str) -> Verdict:
    """By the words of both in their order, and by words that make a fact of them or none."""
    said, told = roots(statement), roots(sentence)
    starts = range(len(told) - len(said) + 1)
    if not said or not any(told[start : start + len(said)] == said for start in starts):
        return "not enough"
    if any(bool(sign.search(statement)) != bool(sign.search(sentence)) for sign in (DOUBT, CHOICE)):
        return "not enough"
    if bool(NEGATION.search(statement)) == bool(NEGATION.search(sentence)):
        return "supported"
    return "refuted" if len(said) == len(told) else "not enough"
