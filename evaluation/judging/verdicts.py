"""Verdicts: every two answers to a question, compared by criteria in both orders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import NamedTuple

from ...prompts.evaluation import JUDGE_ANSWERS
from ...prompts.prompt import Excerpt, number
from ..asking import Asker, Estimate, gathered
from ..retrieval import Report, unreported

CRITERIA = {
    "comprehensiveness": "how much of what the question asks for the answer covers: which of its "
    "parts, sides and cases. More words on the same point cover no more.",
    "diversity": "how different the views and kinds of insight are that the answer brings "
    "together. An answer may cover every part of the question, and all from one view.",
    "empowerment": "how well the answer helps its reader to understand the matter and to judge it: "
    "by explanations, reasons and examples.",
    "directness": "how specifically and clearly the answer addresses what the question asks.",
}
# What programs and models set into an answer to point at texts: [1], [2, 5–7], [Data: Reports (3)],
# (Text 4), 【1】, [^2]; their forms would tell the judge which method answered.
_MARKER = re.compile(
    r"\s*(?:[\[【]\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*[\]】]"
    r"|[\[(](?:data|texts?|points?|sources?|passages?|reports?|entities|relationships)\b[:\s]"
    r"[^\[\]()]*(?:\([^()]*\)[^\[\]()]*)*[\])])",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\[General knowledge\]\s*")


class ComparisonRequest(NamedTuple):
    """Two answers to a question, to be compared by ``criteria``; ``first`` is shown first."""

    question: str
    first: str
    second: str
    criteria: tuple[str, ...]
    reading: int


class Preference(NamedTuple):
    """Which condition won a question by a criterion; an empty ``winner`` is a tie.

    ``first`` and ``second`` are the conditions in the order in which their answers were shown.
    """

    question: str
    criterion: str
    first: str
    second: str
    reading: int
    winner: str
    reason: str


Answers = Mapping[str, Mapping[str, str]]
"""By question and condition; a condition without an answer is left out."""


def as_shown(answer: str) -> str:
    """``answer`` as the judge sees it: without what its form would tell of its method."""
    return _HEADING.sub("", _MARKER.sub("", answer)).strip()


@dataclass(frozen=True)
class PairwiseJudging:
    """The comparisons of every two of ``conditions``, ``repeats`` times in each order.

    All criteria are asked for at once, or each ``apart``.

    >>> judging = PairwiseJudging(["C0", "text"], repeats=1, apart=False)
    >>> verdicts = await judging.verdicts(asker, answers)
    """

    conditions: Sequence[str]
    repeats: int
    apart: bool

    @property
    def calls_each(self) -> int:
        """The requests for a question with all its answers."""
        return self.comparisons_each * len(self.criteria())

    @property
    def comparisons_each(self) -> int:
        """The comparisons of all its answers, each order by itself."""
        return len(self.conditions) * (len(self.conditions) - 1) * self.repeats

    def requests(self, answers: Answers) -> Iterator[ComparisonRequest]:
        """Requests for all questions; two answers with the same words tie without one."""
        for question, given in answers.items():
            for one, other in combinations([c for c in self.conditions if c in given], 2):
                if given[one] == given[other]:
                    continue
                for reading in range(1, self.repeats + 1):
                    for criteria in self.criteria():
                        yield ComparisonRequest(question, one, other, criteria, reading)
                        yield ComparisonRequest(question, other, one, criteria, reading)

    def equal(self, answers: Answers) -> list[tuple[str, str, str]]:
        """The question and the two conditions of all answers with the same words."""
        return [
            (question, one, other)
            for question, given in answers.items()
            for one, other in combinations([c for c in self.conditions if c in given], 2)
            if given[one] == given[other]
        ]

    async def verdicts(
        self, asker: Asker, answers: Answers, report: Report = unreported
    ) -> list[Preference]:
        """The verdicts that could be had; of a criterion that a reply lacks there is none.

        Raises RagraphsError where the judge cannot be reached, and at a limit of the run.
        """
        works = [partial(_judge, asker, answers, one) for one in self.requests(answers)]
        return [one for told in await gathered("judge", works, report) for one in told]

    async def cost(self, asker: Asker, answers: Answers) -> Estimate:
        """The cost of the comparisons whose replies are not kept yet."""
        asked = [_inputs(answers, one) for one in self.requests(answers)]
        costs = [await asker.missing(JUDGE_ANSWERS, **inputs) for inputs in asked]
        return sum(costs, Estimate())

    def criteria(self) -> list[tuple[str, ...]]:
        """The criteria of each request for a comparison."""
        return [(name,) for name in CRITERIA] if self.apart else [tuple(CRITERIA)]


def _inputs(answers: Answers, request: ComparisonRequest) -> dict[str, str | list[Excerpt]]:
    given = answers[request.question]
    return {
        "question": request.question,
        "texts": number([("answer", given[name]) for name in (request.first, request.second)]),
        "criteria": told_criteria(request.criteria),
        "reading": str(request.reading),
    }


def told_criteria(criteria: Sequence[str]) -> str:
    """The criteria with their meaning, as the judge reads them."""
    return "\n".join(f"- {name}: {CRITERIA[name]}" for name in criteria)


async def _judge(asker: Asker, answers: Answers, request: ComparisonRequest) -> list[Preference]:
    reply = await asker.ask(JUDGE_ANSWERS, **_inputs(answers, request))
    told = reply.verdicts if reply else []
    if len(request.criteria) == 1:
        told = [one.model_copy(update={"criterion": request.criteria[0]}) for one in told[:1]]
    found = []
    for criterion in request.criteria:
        said = [one for one in told if one.criterion == criterion]
        if len({one.winner for one in said}) != 1:
            continue  # none, or several that contradict each other
        winner = ("", request.first, request.second)[said[0].winner]
        found.append(
            Preference(
                request.question,
                criterion,
                request.first,
                request.second,
                request.reading,
                winner,
                said[0].reason,
            )
        )
    return found
