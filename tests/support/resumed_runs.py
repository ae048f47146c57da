"""Runs that wait for a person."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command


class Asking:
    """A run of ``graph`` on a thread, to be resumed."""

    def __init__(self, graph: Any, context: Any, question: str) -> None:
        self._graph = graph.copy({"checkpointer": InMemorySaver()})
        self._context = context
        self._question = question

    def begin(self) -> Any:
        return self._run({"question": self._question})

    def resume(self, said: Any) -> Any:
        return self._run(Command(resume=said))

    def _run(self, given: Any) -> Any:
        thread = {"configurable": {"thread_id": "1"}}
        return self._graph.invoke(given, thread, context=self._context)
