"""Graders of passages and strips, each with its own calibrated thresholds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from importlib import resources
from typing import NamedTuple, Protocol

from ..algorithms.crag.grading import GraderParameters, features, grade
from ..context import GraderName
from ..prompts.prompt import Excerpt, Prompt
from ..prompts.replies import Scores
from .embeddings import Embedder
from .meter import current_meter
from .protocol import OFFLINE, LanguageModel, NoReplyError
from .query_vectors import embed_queries

_MISSING = -1.0

# Read on import, because a grader is opened on the event loop, where nothing may block.
_CALIBRATED: dict[str, GraderParameters] = json.loads(
    resources.files(__package__).joinpath("grader.json").read_text(encoding="utf-8")
)


class Thresholds(NamedTuple):
    """The scores in [−1, 1] from which CRAG calls texts correct, and below which incorrect."""

    upper: float
    lower: float


# The paper's for PopQA, its setting with open questions over encyclopedic passages.
MODEL_THRESHOLDS = Thresholds(0.59, -0.99)


class Grading(NamedTuple):
    """One score in [−1, 1] for each text, and the thresholds for such scores."""

    scores: list[float]
    thresholds: Thresholds


class Grader(Protocol):
    """Scores texts for a question.

    >>> grader = open_grader("similarity", model, embedder)
    >>> scores, thresholds = await grader.grade(GRADE_PASSAGES, "Who?", texts)
    """

    async def grade(
        self, prompt: Prompt[Scores], question: str, texts: Sequence[Excerpt]
    ) -> Grading:
        """A score for each text."""
        ...


class SimilarityGrader:
    """Scores by keywords and embeddings, calibrated on public question sets; no model call."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._parameters = _CALIBRATED["semantic" if embedder.semantic else "lexical"]
        self.thresholds = Thresholds(self._parameters["upper"], self._parameters["lower"])

    async def grade(
        self, prompt: Prompt[Scores], question: str, texts: Sequence[Excerpt]
    ) -> Grading:
        """A score for each text; ``prompt`` makes no difference."""
        scores = await asyncio.to_thread(self.scores, question, texts)
        return Grading(scores, self.thresholds)

    def scores(self, question: str, texts: Sequence[Excerpt]) -> list[float]:
        """One score in [−1, 1] for each text. Blocks."""
        shown = [f"{text['title']}\n{text['text']}" for text in texts]
        if not shown:
            return []
        cosines = self._embedder.embed(shown) @ embed_queries(self._embedder, [question])[0]
        return [
            self.score(question, text["title"], text["text"], float(cosine))
            for text, cosine in zip(texts, cosines, strict=True)
        ]

    def score(self, question: str, title: str, text: str, cosine: float) -> float:
        """The score in [−1, 1] of a text whose ``cosine`` with the question is known."""
        return grade(features(question, title, text, cosine), self._parameters)


class ModelGrader:
    """Scores by one call of a language model for all texts.

    A text that the reply leaves out counts −1, with a warning; if there is no reply at all, or it
    grades none of the texts, ``fallback`` grades, with a warning.
    """

    def __init__(self, model: LanguageModel, thresholds: Thresholds, fallback: Grader) -> None:
        self._thresholds = thresholds
        self._model = model
        self._fallback = fallback

    async def grade(
        self, prompt: Prompt[Scores], question: str, texts: Sequence[Excerpt]
    ) -> Grading:
        """A score for each text."""
        meter = current_meter()
        try:
            reply = await self._model.run(prompt, question=question, texts=texts)
        except NoReplyError as error:
            meter.warn(f"{error} The similarity grader took over.")
            return await self._fallback.grade(prompt, question, texts)
        given = {entry.id: entry.score for entry in reply.scores}
        missing = [text["id"] for text in texts if text["id"] not in given]
        if texts and len(missing) == len(texts):
            meter.warn("The model graded none of the texts. The similarity grader took over.")
            return await self._fallback.grade(prompt, question, texts)
        if missing:
            meter.warn(f"The model graded {len(texts) - len(missing)} of {len(texts)} texts.")
        return Grading([given.get(text["id"], _MISSING) for text in texts], self._thresholds)


def open_grader(kind: GraderName, model: LanguageModel, embedder: Embedder) -> Grader:
    """The grader of this ``kind``; the offline reader grades by similarity either way."""
    similarity = SimilarityGrader(embedder)
    if kind == "similarity":
        return similarity
    thresholds = similarity.thresholds if model.name == OFFLINE else MODEL_THRESHOLDS
    return ModelGrader(model, thresholds, similarity)
