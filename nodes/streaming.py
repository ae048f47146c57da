"""Events that a run streams besides its state: the text of answers, and progress."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessageChunk
from langgraph.config import get_config, get_stream_writer
from langgraph.graph.message import push_message

from ..context import Context, QuestionContext

ANSWER_STEP = "answer"
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
        retell({"step": ANSWER_STEP, "text": piece, "id": self._id}, self._write)

    def end(self, answer: str) -> None:
        """Ends the stream: emits whatever of the final answer was not streamed yet."""
        if not answer.startswith(self._text):
            self.begin()
        if answer != self._text:
            self.add(answer[len(self._text) :])


def answer_stream(context: Context) -> AnswerStream | None:
    """Where the text of the answer goes; None where the caller does not follow it."""
    wanted = isinstance(context, QuestionContext) and context.stream_answer
    return AnswerStream(get_stream_writer()) if wanted or _messages_are_followed() else None


def retell(event: dict[str, Any], write: _Write) -> None:
    """Passes an event on; a piece of an answer goes to those who follow messages as well."""
    write(event)
    if event["step"] == ANSWER_STEP and "text" in event and _messages_are_followed():
        push_message(AIMessageChunk(content=event["text"], id=event["id"]), state_key=None)


def _messages_are_followed() -> bool:
    """Whether the run is streamed in the mode ``messages``.

    LangGraph tells it in no public way; where its handler has another place, nobody follows.
    """
    try:
        from langgraph.pregel._messages import StreamMessagesHandler
    except ImportError:
        return False
    callbacks = get_config().get("callbacks") or []
    handlers = callbacks if isinstance(callbacks, list) else callbacks.handlers
    return any(isinstance(handler, StreamMessagesHandler) for handler in handlers)
