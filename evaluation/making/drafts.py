"""Questions on their way into a set, and why they are rejected."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from ...state.records import Passage

Kind = Literal["fact", "two_hop", "unanswerable"]


class Reason(StrEnum):
    """Why a passage, or a pair of passages, gave no question."""

    NO_REPLY = "no usable reply"
    NOTHING = "nothing to ask"
    QUOTE = "a supporting sentence does not stand in its passage"
    TELLS = "the question tells its answer"
    TELLS_BRIDGE = "the question names the bridge"
    NO_BRIDGE = "the first passage does not name the bridge"
    NO_ANSWER = "the second passage does not hold the answer"
    TWICE = "the question was asked before"
    UNCLEAR = "the question does not say what it is about"
    DISAGREES = "the checker answered otherwise"
    UNANSWERED = "the checker found no answer"
    ONE_SUFFICES = "one passage alone answers the question"
    OTHERS_DISAGREE = "with other passages of the index the checker answered otherwise"
    ANSWERED = "the index answers the question"


@dataclass(frozen=True)
class Draft:
    """A question of a ``kind``, written from its ``own`` passages.

    ``golds`` are the answer and its aliases, ``quotes`` a supporting sentence of each own passage,
    ``parts`` the single questions of a chain with their answers, and ``others`` the ids of further
    passages that support the answer.
    """

    kind: Kind
    question: str
    own: tuple[Passage, ...]
    golds: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    parts: tuple[tuple[str, str], ...] = ()
    others: tuple[str, ...] = ()

    def row(self, number: int) -> dict[str, Any]:
        """The row of ``questions.jsonl``; ``number`` is its place among questions of its kind."""
        own = [passage["id"] for passage in self.own]
        return {
            "id": f"{self.kind}-{number}",
            "question": self.question,
            "answer": self.golds[0] if self.golds else "",
            "aliases": list(self.golds[1:]),
            "type": self.kind,
            "supporting": [*own, *self.others] if self.golds else [],
            **self._decomposition(),
            "quotes": [
                {"passage": id, "quote": quote} for id, quote in zip(own, self.quotes, strict=False)
            ],
        }

    def _decomposition(self) -> Mapping[str, Any]:
        if not self.parts:
            return {}
        pairs = zip(self.parts, self.own, strict=True)
        parts = [
            {"question": question, "answer": answer, "supporting": [passage["id"]]}
            for (question, answer), passage in pairs
        ]
        return {"decomposition": parts}


Written = Draft | Reason


async def through(
    written: Sequence[Written], step: Callable[[Sequence[Draft]], Awaitable[Sequence[Written]]]
) -> list[Written]:
    """``written`` with the outcome of ``step`` in the place of each draft; reasons stay."""
    drafts = [one for one in written if isinstance(one, Draft)]
    outcomes = iter(await step(drafts) if drafts else [])
    return [next(outcomes) if isinstance(one, Draft) else one for one in written]
