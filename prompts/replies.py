"""The replies that the prompts ask for: small, typed, and read leniently.

A list keeps its good items when some are malformed; comparing its length with the raw list's tells
how many were left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from .lenient import Names, renamed


class PromptReply(BaseModel):
    """The base of every reply: lists keep their good items, objects may use ``other_names``."""

    model_config = ConfigDict(
        coerce_numbers_to_str=True, str_strip_whitespace=True, defer_build=True
    )
    other_names: ClassVar[Names] = {}

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """``value`` in the form of the fields, where it differs in form only."""
        return renamed(value, cls.other_names) if cls.other_names else value

    @model_validator(mode="before")
    @classmethod
    def _tidied(cls, value: Any) -> Any:
        return cls.tidy(value)

    @field_validator("*", mode="wrap")
    @classmethod
    def _keep_good_items(cls, value: Any, validate: Callable[[Any], Any]) -> Any:
        try:
            return validate(value)
        except ValidationError:
            if not isinstance(value, list):
                raise
            kept: list[Any] = []
            for item in value:
                with suppress(ValidationError):
                    kept.extend(validate([item]))
            if not kept:
                raise
            return kept


def _bare_number(value: Any) -> Any:
    """``[1]``, ``Text 1`` and ``1.0`` name text 1."""
    digits = re.search(r"\d+", str(value)) if isinstance(value, str | float) else None
    return digits.group() if digits else value


TextNumber = Annotated[str, BeforeValidator(_bare_number)]


class Score(PromptReply):
    """How relevant one numbered text is."""

    id: Annotated[TextNumber, Field(description="Number of the text.")]
    score: Annotated[
        float, Field(ge=-1, le=1, description="-1 irrelevant ... 1 contains the answer.")
    ]


class Scores(PromptReply):
    """One score for every numbered text."""

    scores: list[Score]


class Queries(PromptReply):
    """Web search queries."""

    queries: Annotated[list[str], Field(description="One to three queries of keywords.")]


class Quote(PromptReply):
    """A sentence copied from a numbered passage."""

    id: Annotated[TextNumber, Field(description="Number of the passage.")]
    quote: Annotated[str, Field(description="The sentence, copied word for word.")]


class Answer(PromptReply):
    """An answer with the sentences that support it."""

    quotes: Annotated[list[Quote], Field(description="Sentences that support the answer.")]
    sufficient: Annotated[bool, Field(description="Whether the passages contain the answer.")]
    answer: Annotated[str, Field(description="The answer, in the question's language.")]


class PassageQuestions(PromptReply):
    """The questions of one passage (HopRAG's in-coming and out-coming questions)."""

    incoming: Annotated[list[str], Field(description="Questions that the passage answers.")]
    outgoing: Annotated[list[str], Field(description="Questions that it raises.")]


class HopLabel(PromptReply):
    """What following one question promises."""

    id: Annotated[str, Field(description="Number of the follow-up question, such as 1.2.")]
    label: Literal["necessary", "indirect"]


class HopLabels(PromptReply):
    """The follow-up questions that are worth following."""

    labels: list[HopLabel]


class KeptTexts(PromptReply):
    """The numbered texts to keep."""

    keep: Annotated[list[TextNumber], Field(description="Numbers of the texts, best first.")]


class RelationScore(PromptReply):
    """How likely one relation is to lead to the answer."""

    id: Annotated[str, Field(description="Number of the relation, such as 1.2.")]
    score: Annotated[float, Field(ge=0, le=1, description="0 of no use ... 1 needed.")]


class RelationScores(PromptReply):
    """The relations that are worth following."""

    scores: list[RelationScore]


class Judgement(PromptReply):
    """Whether texts answer a question, and if not, what to look for."""

    sufficient: Annotated[bool, Field(description="Whether the texts state all facts needed.")]
    clue: Annotated[str, Field(description="Search query for what is missing; else empty.")]


class MethodChoice(PromptReply):
    """The method that should answer a question."""

    method: Annotated[str, Field(description="Label of the method.")]
    reason: Annotated[str, Field(description="Why, in one short sentence.")] = ""


class StandAloneQuestion(PromptReply):
    """A question that can be understood without the conversation before it."""

    question: Annotated[str, Field(min_length=1, description="The rewritten question.")]
