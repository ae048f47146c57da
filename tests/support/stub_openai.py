"""A local server that speaks OpenAI's protocol: chat completions and embeddings."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from http_stub import HttpStub, Response

_PIECE = 7
KEY = "sk-stub-0123456789abcdef"


class OpenAIStub(HttpStub):
    """Answers chat completions with ``answer(body)``, in the way the request asks for.

    A streamed reply comes in pieces of a few characters; before each but the first, ``between`` is
    called with the pieces that were sent. It tells of more slots than any test uses.
    """

    def __init__(self) -> None:
        super().__init__(self._otherwise)
        self.documents["/props"] = Response({"total_slots": 64})
        self.answer: Callable[[Any], Any] = lambda _: {"queries": ["one"]}
        self.modes = {"json_schema", "function_calling", "plain"}
        self.streams = True
        self.between: Callable[[list[str]], Any] = lambda sent: None

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def chats(self) -> list[Any]:
        return [r.body for r in self.requests if r.path.endswith("/chat/completions")]

    def _otherwise(self, path: str, body: Any) -> Response:
        if path.endswith("/embeddings"):
            texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
            return embeddings([[3.0, 4.0, float(len(text))] for text in texts])
        mode = mode_of(body)
        if mode not in self.modes:
            return failure(400, f"'{_FIELD[mode]}' is not supported by this server.")
        if body.get("stream") and not self.streams:
            return failure(400, "'stream' is not supported by this server.")
        answer = self.answer(body)
        if isinstance(answer, Response):
            return answer
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        if body.get("stream"):
            return Response(events=streamed(body, text, self.between))
        reply = tool_call(body, text) if mode == "function_calling" else chat(text)
        reply.body["usage"] = usage_of(body)
        return reply


_FIELD = {"json_schema": "response_format", "function_calling": "tools", "plain": "messages"}


def mode_of(body: Any) -> str:
    """The mode of structured output that a request asks for."""
    if "response_format" in body:
        return "json_schema"
    return "function_calling" if "tools" in body else "plain"


def usage_of(body: Any) -> dict[str, int]:
    """107 tokens, and a plausible number where more than 4000 characters were sent."""
    characters = sum(len(message["content"] or "") for message in body["messages"])
    size = 100 if characters <= 4000 else characters // 4
    return {"prompt_tokens": size, "completion_tokens": 7, "total_tokens": size + 7}


def chat(text: str | None, finish: str = "stop", usage: bool = True, **message: Any) -> Response:
    """A chat completion; ``message`` goes into the message."""
    reply = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
    }
    if usage:
        reply["usage"] = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
    return Response(reply)


def tool_call(body: Any, arguments: str, finish: str = "tool_calls") -> Response:
    """A chat completion that calls the tool the request offers."""
    name = body["tools"][0]["function"]["name"]
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return chat(None, finish, tool_calls=[call])


def streamed(
    body: Any, text: str, between: Callable[[list[str]], Any] = lambda sent: None
) -> Iterator[str]:
    """The events of a chat completion, or of a tool call, in pieces of a few characters."""
    shown = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "stub"}
    sent: list[str] = []
    for place in range(0, len(text), _PIECE):
        if sent:
            between(sent)
        sent.append(text[place : place + _PIECE])
        delta: dict[str, Any] = {"content": sent[-1]}
        if mode_of(body) == "function_calling":
            function: dict[str, Any] = {"arguments": sent[-1]}
            call: dict[str, Any] = {"index": 0, "function": function}
            if not place:
                function["name"] = body["tools"][0]["function"]["name"]
                call |= {"id": "1", "type": "function"}
            delta = {"tool_calls": [call]}
        choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}
        yield json.dumps({**shown, "choices": [choice]})
    yield json.dumps({**shown, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    if body.get("stream_options", {}).get("include_usage"):
        yield json.dumps({**shown, "choices": [], "usage": usage_of(body)})
    yield "[DONE]"


def failure(status: int, message: str, seconds: float = 0, **headers: str) -> Response:
    """An error in OpenAI's form."""
    body = {"error": {"message": message, "type": "error", "code": None, "param": None}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(body, status, named, seconds)


def embeddings(rows: list[list[float]]) -> Response:
    """A reply of the embeddings endpoint."""
    data = [
        {"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return Response({"object": "list", "model": "stub", "data": data, "usage": usage})


@contextmanager
def serving_openai() -> Iterator[OpenAIStub]:
    """A running server."""
    stub = OpenAIStub()
    try:
        yield stub
    finally:
        stub.close()


def long_replies(monkeypatch: Any, tokens: int) -> None:
    """Has the server take some time, and say that each reply took ``tokens``."""
    told = usage_of

    def usage(body: Any) -> dict[str, int]:
        time.sleep(0.05)
        return {**told(body), "completion_tokens": tokens}

    monkeypatch.setattr("stub_openai.usage_of", usage)
