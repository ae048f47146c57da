"""ToG-2's prompts and their replies."""

from typing import Annotated, ClassVar

from pydantic import Field

from .lenient import Bounds
from .prompt import Prompt
from .replies import KeptTexts, PromptReply


class RelationScore(PromptReply):
    """How likely one relation is to lead to the answer."""

    longest: ClassVar[Bounds] = {"id": 20}
    id: Annotated[str, Field(description="Number of the relation, such as 1.2.")]
    score: Annotated[float, Field(ge=0, le=1, description="1 states or leads to it, 0.5 may.")]


class RelationScores(PromptReply):
    """The relations that are worth following."""

    scores: list[RelationScore]


class Judgement(PromptReply):
    """Whether texts answer a question, and if not, what to look for."""

    longest: ClassVar[Bounds] = {"clue": 1000}

    sufficient: Annotated[bool, Field(description="Whether the texts state all facts needed.")]
    clue: Annotated[str, Field(description="Search query for what is missing; else empty.")]


KEEP_TOPICS = Prompt("keep_topics", KeptTexts)
SCORE_RELATIONS = Prompt("score_relations", RelationScores)
JUDGE_EVIDENCE = Prompt("judge_evidence", Judgement)
