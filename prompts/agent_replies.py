"""The agent's prompt and its reply: an answer so far, and the tools to use next."""

from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field

from .lenient import Bounds, filled
from .prompt import Prompt
from .replies import Answer, PromptReply

ToolName = Literal[
    "search_meaning", "search_words", "read", "list_documents", "look_up", "walk", "report"
]
TOOL_NAMES: tuple[ToolName, ...] = get_args(ToolName)
LONGEST_QUERY = 400


def _tool(value: Any) -> Any:
    """The tool that a word means; a search where it means none."""
    said = str(value).lower()
    return next((name for name in TOOL_NAMES if name in said), TOOL_NAMES[0])


class ToolUse(PromptReply):
    """One use of a tool."""

    longest: ClassVar[Bounds] = {"query": LONGEST_QUERY}

    tool: Annotated[ToolName, BeforeValidator(_tool)]
    query: Annotated[str, Field(description="What it is asked for, as the tool says.")]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """A bare text is searched for."""
        given = {"query": value} if isinstance(value, str) else value
        return {"tool": "", "query": "", **given} if isinstance(given, dict) else given


def _uses(value: Any) -> Any:
    """One use stands for a list of it, and nothing for none."""
    given = [] if value is None else value
    return [given] if isinstance(given, str | dict) else given


class AgentTurn(Answer):
    """The answer so far, with what it lacks, and the tools to use next: none to end."""

    most: ClassVar[Bounds] = {**Answer.most, "next": 3}

    next: Annotated[
        list[ToolUse],
        BeforeValidator(_uses),
        Field(default_factory=list, description="Tools to use next; empty to end."),
    ]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """Parts that are left out are empty, and the texts do not suffice."""
        return filled(super().tidy(value), quotes=[], answer="", sufficient=False)


NEXT_ACTION = Prompt("next_action", AgentTurn)
