"""The replies to prompts that take an answer apart into statements, and judge each of them."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from ..state.answering import Verdict
from .lenient import Bounds, Names, numbers_in
from .replies import Missing, Pointing, PromptReply, TextNumber

Support = Literal["supported", "contradicted", "not said", "unclear"]

# Words of models that leave no doubt; whatever else they write is unclear.
_WORDS: dict[str, Support] = {
    "supported": "supported",
    "fully supported": "supported",
    "contradicted": "contradicted",
    "refuted": "contradicted",
    "not said": "not said",
    "unsupported": "not said",
    "not supported": "not said",
    "not stated": "not said",
    "not mentioned": "not said",
}


def _support(value: Any) -> Support:
    said = re.sub(r"[\s_-]+", " ", str(value)).strip(" .").casefold()
    return _WORDS.get(said, "unclear")


def _numbers(value: Any) -> Any:
    return [] if value is None else numbers_in(value)


def _verdict(value: Any) -> Verdict:
    said = _support(value)
    decided: dict[Support, Verdict] = {"supported": "supported", "contradicted": "refuted"}
    return decided.get(said, "not enough")


class StatementVerdict(Pointing):
    """Whether texts support or refute a statement, with the sentences that decide it."""

    longest: ClassVar[Bounds] = {"missing": 500}
    most: ClassVar[Bounds] = {**Pointing.most, "missing": 10}

    verdict: Annotated[
        Verdict,
        BeforeValidator(_verdict),
        Field(description="What the sentences say of the statement."),
    ]
    missing: Annotated[
        Missing, Field(default_factory=list, description="Questions that the texts do not answer.")
    ]


class CheckedClaim(PromptReply):
    """A claim of an answer, and whether numbered texts support it."""

    other_names: ClassVar[Names] = {
        "claim": ("statement", "text"),
        "texts": ("text_numbers", "evidence", "sources", "ids"),
        "verdict": ("support", "label", "judgement", "judgment"),
    }
    longest: ClassVar[Bounds] = {"claim": 2000}
    most: ClassVar[Bounds] = {"texts": 100}

    claim: Annotated[str, Field(min_length=1, description="One fact, in a sentence of its own.")]
    texts: Annotated[
        list[TextNumber],
        BeforeValidator(_numbers),
        Field(default_factory=list, description="Numbers of the texts that speak of the fact."),
    ]
    verdict: Annotated[
        Support,
        BeforeValidator(_support),
        WithJsonSchema({"type": "string", "enum": ["supported", "contradicted", "not said"]}),
    ] = "unclear"


class CheckedClaims(PromptReply):
    """All claims of an answer; empty where it claims nothing."""

    other_names: ClassVar[Names] = {"claims": ("statements", "facts")}
    most: ClassVar[Bounds] = {"claims": 300}
    most_tokens: ClassVar[int] = 4096

    claims: Annotated[list[CheckedClaim], Field(description="In the order of the answer.")]


class AnswerStatement(PromptReply):
    """A statement of an answer, and whether the reference answer states it, too."""

    other_names: ClassVar[Names] = {
        "statement": ("claim", "fact", "text"),
        "in_reference": ("in_the_reference", "supported", "found"),
    }
    longest: ClassVar[Bounds] = {"statement": 2000}

    statement: Annotated[str, Field(min_length=1, description="One fact, in its own sentence.")]
    in_reference: Annotated[bool, Field(description="Whether the reference supports it.")]


class ReferenceStatement(PromptReply):
    """A statement of the reference answer, and whether the answer states it, too."""

    other_names: ClassVar[Names] = {
        "statement": ("claim", "fact", "text"),
        "in_answer": ("in_the_answer", "covered", "found"),
    }
    longest: ClassVar[Bounds] = {"statement": 2000}

    statement: Annotated[str, Field(min_length=1, description="One fact, in its own sentence.")]
    in_answer: Annotated[bool, Field(description="Whether the answer covers it.")]


class MatchedStatements(PromptReply):
    """The statements of an answer and of the reference answer, each sought in the other one."""

    most: ClassVar[Bounds] = {"answer": 300, "reference": 300}
    most_tokens: ClassVar[int] = 4096

    answer: Annotated[list[AnswerStatement], Field(description="Statements of the answer.")]
    reference: Annotated[
        list[ReferenceStatement], Field(min_length=1, description="Statements of the reference.")
    ]
