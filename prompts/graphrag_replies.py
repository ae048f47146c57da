"""GraphRAG's prompts and their replies: reports, points, the answers made of them."""

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from .lenient import Bounds, Names, bounded, numbers_in
from .prompt import Prompt
from .replies import Answer, CitedAnswer, KeptTexts, Missing, PromptReply, TextNumber


def _up_to(most: float) -> BeforeValidator:
    """Reads a number from 0 to ``most`` leniently; any other value is left to be refused."""

    def read(value: Any) -> Any:
        number = bounded(value, 0.0, most)
        return value if number is None else number

    return BeforeValidator(read)


Rating = Annotated[float, _up_to(10.0), Field(ge=0, le=10.0)]
Importance = Annotated[float, _up_to(100.0), Field(ge=0, le=100.0)]
Numbers = Annotated[list[TextNumber], BeforeValidator(numbers_in)]


class ReportFinding(PromptReply):
    """One thing worth knowing about a community."""

    longest: ClassVar[Bounds] = {"statement": 2000}

    statement: Annotated[str, Field(min_length=1, description="One or two sentences.")]
    evidence: Annotated[
        Numbers, Field(default_factory=list, description="Numbers of the lines it rests on.")
    ]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        return {"statement": value} if isinstance(value, str) else value


class CommunityReport(PromptReply):
    """A report on a group of entities that belong together."""

    longest: ClassVar[Bounds] = {"title": 300, "summary": 4000}
    most: ClassVar[Bounds] = {"findings": 50}

    title: Annotated[str, Field(min_length=1, description="Up to eight words, with names.")]
    summary: Annotated[str, Field(min_length=1, description="Up to four sentences.")]
    rating: Annotated[Rating, Field(description="0 of no weight ... 10 what all turns on.")] = 5.0
    findings: Annotated[
        list[ReportFinding], Field(default_factory=list, description="The most important first.")
    ]


class ReplyPoint(PromptReply):
    """One point towards the answer."""

    longest: ClassVar[Bounds] = {"point": 4000}

    point: Annotated[str, Field(min_length=1, description="One or two sentences.")]
    score: Annotated[Importance, Field(description="0 does not help ... 100 is the answer.")]
    evidence: Annotated[
        Numbers, Field(default_factory=list, description="Numbers of the texts it comes from.")
    ]


class Points(PromptReply):
    """What a batch of texts contributes to the answer; empty when nothing."""

    most: ClassVar[Bounds] = {"points": 100}

    points: list[ReplyPoint]


class CombinedAnswer(PromptReply):
    """The answer made of numbered points."""

    other_names: ClassVar[Names] = {
        "used": ("evidence", "points", "texts"),
        "sufficient": (),
        "answer": (),
        "missing": (),
        "general": (),
    }
    used: Annotated[
        Numbers, Field(default_factory=list, description="Numbers of the points in the answer.")
    ]
    sufficient: Annotated[bool, Field(description="Whether the points answer the question.")]
    answer: Annotated[str, Field(description="The answer, in the question's language.")]
    missing: Annotated[
        Missing, Field(default_factory=list, description="Questions that the points do not answer.")
    ]
    general: Annotated[str, Field(description="What is known besides, if asked for.")] = ""


class FollowUp(PromptReply):
    """A question to look up next."""

    longest: ClassVar[Bounds] = {"question": 1000}

    question: Annotated[str, Field(min_length=1, description="Understandable by itself.")]
    score: Annotated[Importance, Field(description="0 of no use ... 100 needed.")] = 50.0

    @classmethod
    def tidy(cls, value: Any) -> Any:
        return {"question": value} if isinstance(value, str) else value


class PrimedAnswer(PromptReply):
    """A first answer from the reports, and what to look up next (DRIFT)."""

    most: ClassVar[Bounds] = {"points": 100, "follow_ups": 20}

    points: Annotated[list[ReplyPoint], Field(description="Points of the first answer.")]
    follow_ups: Annotated[
        list[FollowUp], Field(default_factory=list, description="At most five questions.")
    ]


class LocalAnswer(CitedAnswer):
    """An answer to one follow-up question, its worth, and what to look up next (DRIFT)."""

    score: Annotated[Importance, Field(description="0 does not help ... 100 is the answer.")]
    follow_ups: Annotated[
        list[FollowUp], Field(default_factory=list, description="At most three questions.")
    ]


RATE_REPORTS = Prompt("rate_reports", KeptTexts)
MAP_TEXTS = Prompt("map_texts", Points)
COMBINE_POINTS = Prompt("combine_points", CombinedAnswer)
LOCAL_ANSWER = Prompt("local_answer", Answer)
PRIME = Prompt("prime", PrimedAnswer)
FOLLOW_UP = Prompt("follow_up", LocalAnswer)
