"""One request to a chat model, however it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import BaseMessage

from ..meter import AnswerListener

Mode = Literal["json_schema", "function_calling", "plain"]
MODES: tuple[Mode, ...] = ("json_schema", "function_calling", "plain")


@dataclass(frozen=True)
class ChatRequest:
    """Messages, and the schema and the mode of structured output for the reply.

    ``temperature`` is None for a model that rejects any; ``listener`` wants the reply in pieces.
    """

    messages: Sequence[BaseMessage]
    schema: dict[str, Any]
    mode: Mode
    temperature: float | None
    listener: AnswerListener | None = None


def asked_pause(headers: Mapping[str, str]) -> float | None:
    """The seconds that the server asks to wait; a date is not read, for servers hardly send any."""
    try:
        return max(0.0, float(headers["Retry-After"]))
    except (LookupError, ValueError):
        return None
