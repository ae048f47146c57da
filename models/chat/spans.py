"""The span of a request to a chat model, by OpenTelemetry's conventions for generative AI."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager

from langchain_core.messages import BaseMessage

from ...settings import settings
from ..tracing import Attributes, Note, span
from .envelope import Envelope
from .request import ChatRequest

_ROLES = {"human": "user", "ai": "assistant"}


def model_span(model: str, request: ChatRequest) -> AbstractContextManager[Note]:
    """The span of ``request`` to the model called ``provider:name``."""
    provider, _, name = model.rpartition(":")
    attributes: dict[str, str | int | float | bool] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider or "unknown",
        "gen_ai.request.model": name,
        "gen_ai.output.type": "json",
        "ragraphs.reply": request.schema["title"],
    }
    if request.temperature is not None:
        attributes["gen_ai.request.temperature"] = request.temperature
    if settings().trace_texts:
        attributes["gen_ai.input.messages"] = _messages(request.messages)
    return span(f"chat {name}", attributes, of_client=True)


def told_of(reply: Envelope) -> Attributes:
    """Span attributes of ``reply``: its tokens, and where texts are traced, its text."""
    attributes: dict[str, str | int | float | bool] = {
        "gen_ai.usage.input_tokens": reply.input_tokens,
        "gen_ai.usage.output_tokens": reply.output_tokens,
    }
    if settings().trace_texts:
        attributes["gen_ai.output.messages"] = json.dumps([_part("assistant", reply.text)])
    return attributes


def _messages(messages: Sequence[BaseMessage]) -> str:
    return json.dumps([_part(_ROLES.get(one.type, one.type), one.text) for one in messages])


def _part(role: str, text: str) -> dict[str, object]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}
