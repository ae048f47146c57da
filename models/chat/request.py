"""One request to a chat model, however it is sent."""

from __future__ import annotations

from collections.abc import Sequence
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
