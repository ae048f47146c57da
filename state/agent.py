"""States of the agent graph, and the records of what it did."""

from __future__ import annotations

from typing_extensions import TypedDict

from .answering import AnswerOutput, QuestionState, StopReason


class PlannedAction(TypedDict):
    """A tool that is to be used next, and what it is asked for."""

    tool: str
    query: str


class AgentAction(PlannedAction):
    """A tool that was used in a turn; ``turn`` counts from 1.

    ``found`` are the ids of the passages that it found, the first ``new`` of which were not read
    before, and ``told`` is what else it said.
    """

    turn: int
    found: list[str]
    new: int
    told: str


class AgentOutput(AnswerOutput):
    """The output of the agent graph: also every use of a tool, in order."""

    actions: list[AgentAction]


class AgentState(QuestionState, AgentOutput):
    """The state of the agent graph, whose ``evidence`` are the texts read, in that order.

    ``turns`` counts the replies. ``shown`` are the texts of the next turn that were not kept, by
    their numbers, with the numbers of the sentences of each (none: all), and ``kept`` the numbers
    of the sentences that replies pointed at. ``claimed`` says that the last one called them
    sufficient, and ``bound`` what else ended the turns.
    """

    pending: list[PlannedAction]
    turns: list[int]
    shown: dict[str, list[int]]
    kept: list[str]
    claimed: bool
    bound: StopReason | None
