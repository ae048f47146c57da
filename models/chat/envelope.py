"""Envelope of a reply: why it ended, whether it was refused, what it cost."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from ...language.analyser import count_tokens
from ...prompts.lenient import clean

_MOST_TOKENS = 100_000_000
_CUT_OFF = {"length", "max_tokens", "MAX_TOKENS"}


@dataclass(frozen=True)
class Envelope:
    """The text of one reply, whether the model refused or ran out of room, and its tokens.

    Of those that came in, so many were ``cached`` by the server.
    """

    text: str
    refusal: str | None
    cut_off: bool
    input_tokens: int
    output_tokens: int
    cached: int


def read_envelope(message: BaseMessage, sent: Sequence[BaseMessage]) -> Envelope:
    """The reply to ``sent`` in ``message``, whatever types a server gave its parts.

    A part of a wrong type is ignored; token numbers that no server can mean are counted here.
    """
    text, usage = _text(message), getattr(message, "usage_metadata", None)
    details = usage.get("input_token_details") if isinstance(usage, Mapping) else None
    finish = message.response_metadata.get("finish_reason")
    finish = finish if isinstance(finish, str) else ""
    refusal = message.additional_kwargs.get("refusal")
    if not isinstance(refusal, str):
        refusal = "it gave no reason" if refusal and not text else ""
    return Envelope(
        text=text,
        refusal=refusal or ("content filter" if finish == "content_filter" else None),
        cut_off=finish in _CUT_OFF,
        input_tokens=tokens_in(usage, "input_tokens")
        or sum(count_tokens(part.text) for part in sent),
        output_tokens=tokens_in(usage, "output_tokens") or count_tokens(text),
        cached=tokens_in(details, "cache_read"),
    )


def text_in(content: Any) -> str:
    """The text of a message's ``content``, which may be a list of parts."""
    parts = content if isinstance(content, list) else [content]
    texts = [
        part.get("text") if isinstance(part, dict) and part.get("type", "text") == "text" else part
        for part in parts
    ]
    return "".join(text for text in texts if isinstance(text, str))


def tokens_in(usage: Any, name: str) -> int:
    """The number of tokens called ``name``; 0 where ``usage`` holds none that can be meant."""
    given = usage.get(name) if isinstance(usage, Mapping) else None
    if isinstance(given, bool) or not isinstance(given, int | float):
        return 0
    return int(given) if 0 < given <= _MOST_TOKENS else 0


def _text(message: BaseMessage) -> str:
    text = text_in(message.content)
    if not isinstance(message, AIMessage):  # a server may give a reply any role
        return clean(text)
    if message.tool_calls:
        try:
            text = json.dumps(message.tool_calls[0]["args"])
        except RecursionError:
            text = ""
    elif message.invalid_tool_calls:
        text = message.invalid_tool_calls[0]["args"] or ""
    # Pieces of a stream may end between the halves of a surrogate pair; half a one cannot be sent.
    return clean(text)
