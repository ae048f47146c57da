"""A reply that arrives in pieces, and whose answer is passed on while it arrives."""

from __future__ import annotations

from typing import Any, cast

import httpx
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, message_chunk_to_message
from langchain_core.messages.ai import add_ai_message_chunks
from langchain_core.runnables import Runnable, RunnableConfig

from ..meter import AnswerListener
from .limit import current_turn
from .partial_json import PartialString

ANSWER_KEY = "answer"


class NothingStreamedError(Exception):
    """The server sent no pieces."""


class BrokenStreamError(Exception):
    """The pieces ended before the reply did, or held no text."""


async def streamed(
    chat: Runnable[Any, Any],
    messages: list[BaseMessage],
    config: RunnableConfig,
    listener: AnswerListener,
) -> AIMessage:
    """The whole reply; ``listener`` gets the text of its key ``answer`` piece by piece.

    Raises NothingStreamedError, BrokenStreamError, and the errors of the request itself.
    """
    reader, turn = PartialString(ANSWER_KEY), current_turn()
    chunks: list[AIMessageChunk] = []
    listener.begin()
    try:
        async for chunk in chat.astream(messages, config):
            chunks.append(chunk)
            text = _text_of(chunk)
            if text and turn is not None:
                turn.heard()
            if piece := reader.feed(text):
                listener.add(piece)
    except httpx.TransportError as error:
        raise BrokenStreamError(str(error)) from error
    except Exception as error:
        if chunks:
            raise BrokenStreamError(str(error)) from error
        if isinstance(error, ValueError):  # LangChain raises it for a stream without pieces
            raise NothingStreamedError(str(error)) from error
        raise
    whole = add_ai_message_chunks(chunks[0], *chunks[1:])
    if not (whole.text or whole.tool_call_chunks):
        raise BrokenStreamError("The streamed reply was empty.")
    return cast(AIMessage, message_chunk_to_message(whole))


def _text_of(chunk: AIMessageChunk) -> str:
    """The piece of JSON in ``chunk``: of the text, or of the arguments of the first tool call."""
    if chunk.tool_call_chunks:
        first = [call for call in chunk.tool_call_chunks if not call["index"]]
        return "".join(call["args"] or "" for call in first)
    return chunk.text
