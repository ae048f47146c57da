"""What a run streams besides its state: the text of answers, and what a graph inside tells."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessageChunk
from langgraph.config import get_config, get_stream_writer
from langgraph.graph.message import push_message
from langgraph.pregel import Pregel

from ..context import Context, QuestionContext

ANSWER_STEP = "answer"
MESSAGE = "message"
_Write = Callable[[Any], None]


class AnswerStream:
    """Passes the text of an answer on to the caller: ``{"step": "answer", "text", "id"}``.

    Pieces of the same id add up; another id begins the answer anew, after a reply of no use.
    """

    def __init__(self, write: _Write) -> None:
        self._write = write
        self._text = ""
        self._id = ""
        self.begin()

    def begin(self) -> None:
        """A reply begins; what came of an earlier one is void."""
        if self._text or not self._id:
            self._id, self._text = f"answer-{uuid.uuid4()}", ""

    def add(self, piece: str) -> None:
        """The next piece of the answer's text."""
        self._text += piece
        _tell({"step": ANSWER_STEP, "text": piece, "id": self._id}, self._write)

    def end(self, answer: str) -> None:
        """The answer as it became: what was not streamed of it is added."""
        if not answer.startswith(self._text):
            self.begin()
        if answer != self._text:
            self.add(answer[len(self._text) :])


def answer_stream(context: Context) -> AnswerStream | None:
    """Where the text of the answer goes; None where the caller does not follow it."""
    wanted = isinstance(context, QuestionContext) and context.stream_answer
    return AnswerStream(get_stream_writer()) if wanted or _messages_are_followed() else None


async def pass_on(
    graph: Pregel[Any, Any, Any, Any],
    given: dict[str, Any],
    context: QuestionContext,
    write: _Write,
    method: str,
) -> dict[str, Any]:
    """The output of ``graph``; what it streams goes to the caller, with the name of the method.

    Under ``message`` it has the id of the answer that was streamed, if one was.
    """
    result: dict[str, Any] = {}
    id = ""
    part: Any
    async for mode, part in graph.astream(
        given,
        context=context,
        stream_mode=["custom", "values"],
        output_keys=graph.output_channels,
    ):
        if mode == "values":
            result = part
            continue
        id = part.get("id", id)
        _tell({**part, "method": method}, write)
    return {**result, MESSAGE: id}


def _tell(event: dict[str, Any], write: _Write) -> None:
    """Writes an event; a piece of an answer goes to those who follow messages as well."""
    write(event)
    if event["step"] == ANSWER_STEP and "text" in event and _messages_are_followed():
        push_message(AIMessageChunk(content=event["text"], id=event["id"]), state_key=None)


def _messages_are_followed() -> bool:
    """Whether the run is streamed in the mode ``messages``."""
    from langgraph.pregel._messages import StreamMessagesHandler

    callbacks = get_config().get("callbacks") or []
    handlers = callbacks if isinstance(callbacks, list) else callbacks.handlers
    return any(isinstance(handler, StreamMessagesHandler) for handler in handlers)
