"""Answers, and the reading of an index, as tools that the models of agents call."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.constants import TAG_NOSTREAM
from langgraph.pregel import Pregel
from pydantic import BaseModel, Field, ValidationError

from ..index.narrowing import narrowed
from ..index.opening import Index, open_index
from ..index.tools import ReadingTool, ToolResult, text_of, usable_tools
from ..state.answering import AnswerOutput
from ..state.errors import RagraphsError, problem_in
from ..state.filters import joined
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


def tools(index: Index | str, *, where: Mapping[str, Any] | None = None) -> list[BaseTool]:
    """Tools for an agent that reads an index itself: searches, reading, entities, walks, reports.

        agent = create_agent("openai:gpt-4o", tools=ragraphs.tools("notes"))

    ``index`` is a name, opened at each use, or an open index. Whatever filter a model names,
    nothing but the documents that meet ``where`` is read. Tools whose layer the index has not are
    left out. The tool message's artifact has the parts of a result by their ids. Blocks; raises
    IndexNotFoundError, and RagraphsError for a filter of another form.
    """
    narrowed(_opened(index), where)
    offered = usable_tools(_opened(index))
    # Reports are written from all documents.
    return [_as_tool(one, index, where) for one in offered if not (where and one.name == "report")]


def _opened(index: Index | str) -> Index:
    return open_index(index) if isinstance(index, str) else index


def _as_tool(tool: ReadingTool, index: Index | str, where: Mapping[str, Any] | None) -> BaseTool:
    def read(**given: Any) -> tuple[str, ToolResult]:
        try:
            asked = {**given, "where": joined(where, given.get("where"))}
            result = tool.use(_opened(index), asked)
        except RagraphsError as error:
            raise ToolException(str(error)) from error
        return text_of(result), result

    async def read_async(**given: Any) -> tuple[str, ToolResult]:
        return await asyncio.to_thread(read, **given)

    def refuse(error: Exception) -> str:
        return problem_in(cast(ValidationError, error), "argument", tool.arguments.model_fields)

    return StructuredTool.from_function(
        read,
        read_async,
        name=tool.name,
        description=tool.description,
        args_schema=tool.arguments,
        response_format="content_and_artifact",
        handle_tool_error=True,
        handle_validation_error=refuse,
    )
