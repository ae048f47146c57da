"""Events that a run streams besides its state: the text of answers, and progress."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.runnables import ensure_config
from langgraph.config import get_stream_writer
from langgraph.constants import TAG_NOSTREAM
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
    """The stream of the run's answer; None where the caller does not follow it."""
    return AnswerStream(get_stream_writer()) if answer_is_followed(context) else None


def answer_is_followed(context: Context) -> bool:
    """Whether the caller follows the text of the answer, as events or as messages."""
    wanted = isinstance(context, QuestionContext) and context.stream_answer
    return wanted or _messages_are_followed()


def retell(event: dict[str, Any], write: _Write) -> None:
    """Passes an event on; a piece of an answer goes to those who follow messages as well."""
    write(event)
    if event["step"] == ANSWER_STEP and "text" in event:
        _push(AIMessageChunk(content=event["text"], id=event["id"]))


def end_message(message: AIMessage, streamed: str) -> None:
    """Gives those who follow messages the rest of ``message`` beyond the text ``streamed``.

    The pieces of its id then add up to the whole message, with its ``additional_kwargs``.
    """
    rest = message.text.removeprefix(streamed)
    extra = message.additional_kwargs
    _push(AIMessageChunk(content=rest, id=message.id, additional_kwargs=extra))


def _push(chunk: AIMessageChunk) -> None:
    if _messages_are_followed():
        push_message(chunk, state_key=None)


def _messages_are_followed() -> bool:
    """Whether the run is streamed in the mode ``messages``, and no caller of it said no to that.

    LangGraph tells it in no public way; where its handler has another place, nobody follows. The
    handler of its third protocol takes whole messages, which it finds in the state by itself.
    """
    try:
        from langgraph.pregel._messages import StreamMessagesHandler
    except ImportError:
        return False
    config = ensure_config()
    if TAG_NOSTREAM in config["tags"]:
        return False
    callbacks = config["callbacks"] or []
    handlers = callbacks if isinstance(callbacks, list) else callbacks.handlers
    return any(type(handler) is StreamMessagesHandler for handler in handlers)
