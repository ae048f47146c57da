"""Answers as a tool that the models of agents call."""

from __future__ import annotations

from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.constants import TAG_NOSTREAM
from langgraph.pregel import Pregel
from pydantic import BaseModel, Field

from ..state.answering import AnswerOutput
from ..state.errors import RagraphsError
from ..views.compact import short_answer, short_text

# The agent writes its own answer; pieces of this one would stand among them.
_UNSEEN: RunnableConfig = {"tags": [TAG_NOSTREAM]}


class QuestionArgument(BaseModel, title="Question"):
    """The argument of the tool."""

    query: str = Field(description="One question in full words, without pronouns.")


def answering_tool(graph: Pregel[Any, Any, Any, Any], name: str, description: str) -> BaseTool:
    """A tool that answers by ``graph``. Raises RagraphsError for a graph that answers nothing."""
    if "answer" not in graph.output_channels:
        raise RagraphsError(f"The graph {graph.name} answers no questions, so it is no tool.")

    def answer(query: str) -> tuple[str, AnswerOutput]:
        try:
            found = cast(AnswerOutput, graph.invoke({"question": query}, _UNSEEN))
        except RagraphsError as error:
            raise ToolException(str(error)) from error
        return short_text(short_answer(found)), found

    async def answer_async(query: str) -> tuple[str, AnswerOutput]:
        try:
            found = cast(AnswerOutput, await graph.ainvoke({"question": query}, _UNSEEN))
        except RagraphsError as error:
            raise ToolException(str(error)) from error
        return short_text(short_answer(found)), found

    return StructuredTool.from_function(
        answer,
        answer_async,
        name=name,
        description=description,
        args_schema=QuestionArgument,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )
