"""One request to a chat model, however it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from langchain_core.messages import BaseMessage

from ..meter import AnswerListener

Mode = Literal["json_schema", "function_calling", "plain"]


class ReplyLimit(NamedTuple):
    """The most tokens of a reply, under the name by which the server knows such a limit."""

    name: str
    tokens: int


@dataclass(frozen=True)
class ChatRequest:
    """Messages, and the schema and the mode of structured output for the reply.

    ``temperature`` is None for a model that rejects any; ``listener`` wants the reply in pieces.
    Without a ``limit`` only the server ends a reply. It is asked for whole where it ``may_stream``
    no more. Where grades are ``is_weighed``, the probabilities of its tokens are asked for.
    """

    messages: Sequence[BaseMessage]
    schema: dict[str, Any]
    mode: Mode
    temperature: float | None
    listener: AnswerListener | None = None
    limit: ReplyLimit | None = None
    may_stream: bool = True
    is_weighed: bool = False


def limit_in(request: ChatRequest) -> dict[str, int]:
    """The field of OpenAI's protocol that limits the reply."""
    return {request.limit.name: request.limit.tokens} if request.limit is not None else {}


def asked_pause(headers: Mapping[str, str]) -> float | None:
    """The seconds that the server asks to wait; a date is not read, for servers hardly send any."""
    try:
        return max(0.0, float(headers["Retry-After"]))
    except (LookupError, ValueError):
        return None
