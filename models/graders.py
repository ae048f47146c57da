"""Graders of passages and strips, each with its own calibrated thresholds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from importlib import resources
from typing import Literal, NamedTuple, Protocol

from ..algorithms.crag.grading import (
    CrossEncoderParameters,
    GraderParameters,
    features,
    grade,
    platt,
)
from ..prompts.prompt import Excerpt, Prompt
from ..prompts.replies import LARGEST_GRADE, Grades
from .embeddings import DEFAULT_FASTEMBED, Embedder
from .meter import current_meter
from .protocol import OFFLINE, LanguageModel, NoReplyError
from .query_vectors import embed_queries
from .reranker import CrossEncoder

# Read on import, because a grader is opened on the event loop, where nothing may block.
_CALIBRATED: dict[str, GraderParameters] = json.loads(
    resources.files(__package__).joinpath("grader.json").read_text(encoding="utf-8")
)
_USUAL = f"fastembed:{DEFAULT_FASTEMBED}"


class Thresholds(NamedTuple):
    """Meaning of a grader's scores in [−1, 1] for CRAG.

    A passage from ``upper`` on makes a retrieval correct; with all below ``lower`` it is incorrect.
    Of the strips above ``cut``, the ``most`` best are kept.
    """

    upper: float
    lower: float
    cut: float
    most: int


# Between the grades: correct if a text states the answer, ambiguous if one leads to it or is about
# the very thing, incorrect if none is.
MODEL_THRESHOLDS = Thresholds(upper=0.75, lower=-0.25, cut=-0.25, most=10)
_MOST_BY_SIMILARITY = 50  # likeness is no reason to drop a strip that passes the cut
# The scale of a cross-encoder is its own, so that before a fit nothing is claimed and nothing cut.
_UNFITTED: CrossEncoderParameters = {
    "scale": 1.0,
    "shift": 0.0,
    "upper": 2.0,
    "lower": -2.0,
    "cut": -2.0,
}


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
        self, prompt: Prompt[Grades], question: str, texts: Sequence[Excerpt]
    ) -> Grading:
        """A score for each text."""
        ...


def usual_parameters(embedder: Embedder) -> GraderParameters:
    """The parameters for an embedder's kind, on the scale of whose cosines they stand."""
    return _CALIBRATED.get(embedder.name) or _CALIBRATED[_USUAL]


class SimilarityGrader:
    """Scores by keywords and embeddings; no model call.

    The meaning of a cosine differs between embeddings, so that the grader is ``fitted`` to an index
    or, on public question sets, to its embeddings. For embeddings without a fit words alone count,
    and nothing is called incorrect or cut.
    """

    def __init__(self, embedder: Embedder, fitted: GraderParameters | None = None) -> None:
        parameters = fitted or _CALIBRATED.get(embedder.name)
        if parameters is None:
            from .lexical import LexicalEmbedder

            embedder = LexicalEmbedder()
            parameters = {**_CALIBRATED[embedder.name], "lower": -1.0, "cut": -1.0}
        self._embedder = embedder
        self._parameters = parameters
        self.thresholds = Thresholds(
            parameters["upper"], parameters["lower"], parameters["cut"], _MOST_BY_SIMILARITY
        )

    async def grade(
        self, prompt: Prompt[Grades], question: str, texts: Sequence[Excerpt]
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


class CrossEncoderGrader:
    """Scores by a model that reads the question and a text together; no language model.

    Without a fit to the index a grade is 2·P − 1 of the logistic function, no retrieval is called
    correct or incorrect, and no strip is cut.
    """

    def __init__(self, encoder: CrossEncoder, fitted: CrossEncoderParameters | None = None) -> None:
        self._encoder = encoder
        self._parameters = parameters = fitted or _UNFITTED
        self.thresholds = Thresholds(
            parameters["upper"], parameters["lower"], parameters["cut"], _MOST_BY_SIMILARITY
        )

    async def grade(
        self, prompt: Prompt[Grades], question: str, texts: Sequence[Excerpt]
    ) -> Grading:
        """A score for each text; ``prompt`` makes no difference."""
        scores = await asyncio.to_thread(self._encoder.scores, question, texts)
        return Grading([platt(score, self._parameters) for score in scores], self.thresholds)


class ModelGrader:
    """Scores by one call of a language model for all texts, in five grades or between them.

    If there is no reply, or it names texts but none of these, ``fallback`` grades, with a warning.
    """

    def __init__(
        self, model: LanguageModel, fallback: Grader, thresholds: Thresholds = MODEL_THRESHOLDS
    ) -> None:
        self._model = model
        self._fallback = fallback
        self.thresholds = thresholds

    async def grade(
        self, prompt: Prompt[Grades], question: str, texts: Sequence[Excerpt]
    ) -> Grading:
        """A score for each text."""
        meter = current_meter()
        try:
            reply = await self._model.run(prompt, question=question, texts=texts)
        except NoReplyError as error:
            meter.warn(f"{error} The similarity grader took over.")
            return await self._fallback.grade(prompt, question, texts)
        scores = scores_of(reply, texts)
        if scores is None:
            meter.warn("The model named none of the texts. The similarity grader took over.")
            return await self._fallback.grade(prompt, question, texts)
        return Grading(scores, self.thresholds)


def scores_of(reply: Grades, texts: Sequence[Excerpt]) -> list[float] | None:
    """The score in [−1, 1] of each text by a model's reply, −1 for one that is left out.

    None where it names texts, but none of these.
    """
    given = {one.id: 2 * one.grade / LARGEST_GRADE - 1 for one in reply.grades}
    if given and given.keys().isdisjoint(text["id"] for text in texts):
        return None
    return [given.get(text["id"], -1.0) for text in texts]


def open_grader(
    kind: Literal["model", "similarity"],
    model: LanguageModel,
    embedder: Embedder,
    fitted: GraderParameters | None = None,
    thresholds: Thresholds = MODEL_THRESHOLDS,
) -> Grader:
    """The grader of this ``kind``; without a model similarity grades either way.

    ``fitted`` are the parameters of the similarity grader for this index, if there are any, and
    ``thresholds`` are for the model's grades.
    """
    similarity = SimilarityGrader(embedder, fitted)
    by_similarity = kind == "similarity" or model.name == OFFLINE
    return similarity if by_similarity else ModelGrader(model, similarity, thresholds)
