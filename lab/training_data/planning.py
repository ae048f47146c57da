"""Choices for training data from a question set, and the sources that it is made from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ragraphs.context import QuestionContext
from ragraphs.evaluation.datasets import Dataset, LabelledQuestion
from ragraphs.evaluation.retrieval import Report, unreported
from ragraphs.index.opening import Index

Kind = Literal["deeprag", "crag", "hops"]
Form = Literal["messages", "preferences", "pairs"]
Match = Literal["em", "containment"]

METHODS: dict[Kind, str] = {"deeprag": "deeprag", "crag": "crag", "hops": "hoprag"}
FORMS: dict[Kind, tuple[Form, ...]] = {
    "deeprag": ("messages", "preferences"),
    "crag": ("messages", "pairs"),
    "hops": ("messages",),
}


class Choices(NamedTuple):
    """How training data are made.

    Trajectories of deeprag have at most ``steps``, and cost at most ``most_calls`` a question; they
    are right by ``match``. Of the requests of hops at which nothing is necessary, ``empty`` are
    kept for each of the others, drawn by ``seed``.
    """

    kind: Kind
    form: Form = "messages"
    steps: int = 4
    most_calls: int = 40
    match: Match = "em"
    empty: float = 1.0
    seed: int = 0
    report: Report = unreported


@dataclass(frozen=True)
class Sources:
    """A question set, its index, and the ``method`` that it is asked with, in its ``context``."""

    dataset: Dataset
    index: Index
    method: str
    context: QuestionContext

    @property
    def prompts(self) -> Path | None:
        """The folder of prompts that take the place of our own, if there is one."""
        return self.index.operator.prompts

    def source(self, question: LabelledQuestion, **more: Any) -> dict[str, Any]:
        """Where an example is from, which trainers do not read."""
        name = self.index.short_name
        return {"question": question.id, "method": self.method, "index": name, **more}
