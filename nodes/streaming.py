"""What a graph inside of a graph streams, passed on to the caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph.pregel import Pregel

from ..context import QuestionContext


async def pass_on(
    graph: Pregel[Any, Any, Any, Any],
    given: dict[str, Any],
    context: QuestionContext,
    write: Callable[[Any], None],
    method: str,
) -> dict[str, Any]:
    """The output of ``graph``; its progress goes to ``write``, with the name of the method."""
    result: dict[str, Any] = {}
    part: Any
    async for mode, part in graph.astream(
        given,
        context=context,
        stream_mode=["custom", "values"],
        output_keys=graph.output_channels,
    ):
        if mode == "values":
            result = part
        else:
            write({**part, "method": method})
    return result
