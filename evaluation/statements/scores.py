"""Scores of an answer against the gold answer, as GraphRAG-Bench has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...prompts.statement_replies import MatchedStatements
from .checking import JudgedClaim

if TYPE_CHECKING:
    from ...models.embeddings import Embedder

_OF_STATEMENTS, _OF_SIMILARITY = 0.75, 0.25


class Matched(NamedTuple):
    """Statements: right and wrong ones of the answer, and covered and missing ones of the gold."""

    right: int
    wrong: int
    covered: int
    missing: int

    @property
    def f1(self) -> float:
        """F1 of the statements: right ones are true positives, wrong ones false, missing lack."""
        return 2 * self.right / (2 * self.right + self.wrong + self.missing) if self.right else 0.0

    @property
    def coverage(self) -> float:
        """The share of the statements of the gold answer that the answer covers."""
        return self.covered / (self.covered + self.missing)


def matched(reply: MatchedStatements) -> Matched:
    """The numbers of statements in a reply, which has one of the gold answer at least."""
    right = sum(one.in_reference for one in reply.answer)
    covered = sum(one.in_answer for one in reply.reference)
    return Matched(right, len(reply.answer) - right, covered, len(reply.reference) - covered)


def accuracy(statements: float, similarity: float) -> float:
    """The answer accuracy of GraphRAG-Bench: three quarters statements, one quarter similarity."""
    return _OF_STATEMENTS * statements + _OF_SIMILARITY * similarity


def faithfulness(claims: Sequence[JudgedClaim]) -> float | None:
    """The share of ``claims`` that the texts support; None without one that has a verdict."""
    judged = [claim["verdict"] for claim in claims if claim["verdict"] != "unclear"]
    return judged.count("supported") / len(judged) if judged else None


def similarities(pairs: Sequence[tuple[str, str]], embedder: Embedder) -> list[float]:
    """(1 + cosine) / 2 of the two texts of each pair; 0 where one is empty. Blocks."""
    known = [pair for pair in pairs if all(text.strip() for text in pair)]
    vectors = embedder.embed([text for pair in known for text in pair])
    found = {
        pair: (1 + float(vectors[2 * place] @ vectors[2 * place + 1])) / 2
        for place, pair in enumerate(known)
    }
    return [found.get(pair, 0.0) for pair in pairs]
