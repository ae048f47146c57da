"""The offline reader: answers every prompt by processing the text, and says that it does.

Deterministic, with no key, no download and no network. Each function below takes a prompt's inputs
and gives the reply that the prompt asks for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from ..algorithms.question_writing import write_questions
from ..algorithms.questions import analyse_question
from ..algorithms.reading import Source, read
from ..algorithms.similarity import hybrid_similarity
from ..algorithms.text import content_words, keywords
from ..prompts.prompt import Excerpt, Prompt
from ..prompts.replies import (
    Answer,
    HopLabel,
    HopLabels,
    PassageQuestions,
    PromptReply,
    Queries,
    Quote,
    Score,
    Scores,
)
from .embeddings import Embedder
from .graders import SimilarityGrader
from .language import OFFLINE, NoReplyError
from .lexical import LexicalEmbedder
from .meter import current_meter

R = TypeVar("R", bound=PromptReply)


class OfflineLanguageModel:
    """Answers prompts without a language model.

    ``embedder`` serves for similarities if it costs nothing; else words alone are compared.
    """

    name = OFFLINE

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder if embedder.local else LexicalEmbedder()
        self._functions: dict[str, Callable[..., PromptReply]] = {
            "grade_passages": self._grade,
            "grade_strips": self._grade,
            "rewrite_query": self._rewrite,
            "answer": self._answer,
            "write_questions": self._write_questions,
            "choose_hops": self._choose_hops,
        }

    async def run(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> R:
        """The reply to ``prompt``. Raises NoReplyError at the limit of requests."""
        meter = current_meter()
        if not meter.take_call():
            raise NoReplyError("budget", "The limit on requests to the model was reached.")
        meter.count(self.name, calls=1)
        function = cast(Callable[..., Any], self._functions[prompt.name])
        return cast(R, await asyncio.to_thread(function, **inputs))

    def _grade(self, question: str, texts: Sequence[Excerpt]) -> Scores:
        scores = SimilarityGrader(self._embedder).scores(question, texts)
        return Scores(
            scores=[
                Score(id=text["id"], score=score) for text, score in zip(texts, scores, strict=True)
            ]
        )

    def _rewrite(self, question: str) -> Queries:
        options = analyse_question(question).options[:3]
        named = {word for option in options for word in content_words(option)}
        asked = [word for word in content_words(question) if word not in named]
        queries = [" ".join([option, *asked]) for option in options]
        return Queries(queries=queries or [" ".join(asked) or question])

    def _answer(self, question: str, texts: Sequence[Excerpt]) -> Answer:
        sources = [Source(text["id"], text["title"], text["text"]) for text in texts]
        reading = read(question, sources, self._similarity(question))
        return Answer(
            quotes=[Quote(id=quote.passage, quote=quote.text) for quote in reading.quotes],
            sufficient=reading.sufficient,
            answer=reading.answer,
        )

    def _write_questions(self, texts: Sequence[Excerpt]) -> PassageQuestions:
        written = write_questions(texts[0]["title"], texts[0]["text"])
        return PassageQuestions(incoming=list(written.incoming), outgoing=list(written.outgoing))

    def _choose_hops(self, question: str, texts: Sequence[Excerpt]) -> HopLabels:
        """The follow-up question of each text that is most like the question (HopRAG, non-LLM)."""
        wanted = keywords(question)
        labels = []
        for text in texts:
            lines = [line.partition(" ") for line in text["text"].split("\n")]
            vectors = self._embedder.embed([question, *(line[2] for line in lines)])
            similarities = [
                hybrid_similarity(wanted, keywords(line[2]), float(cosine))
                for line, cosine in zip(lines, vectors[1:] @ vectors[0], strict=True)
            ]
            best = max(range(len(lines)), key=lambda place: similarities[place])
            labels.append(HopLabel(id=lines[best][0], label="necessary"))
        return HopLabels(labels=labels)

    def _similarity(self, question: str) -> Callable[[list[str]], Sequence[float]] | None:
        if not self._embedder.semantic:
            return None

        def cosines(sentences: list[str]) -> list[float]:
            vectors = self._embedder.embed([question, *sentences])
            return [float(cosine) for cosine in vectors[1:] @ vectors[0]]

        return cosines
