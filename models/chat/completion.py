"""Completions of a server that speaks OpenAI's protocol, and its errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from langchain_core.messages import AIMessage

from .envelope import text_in, tokens_in
from .request import asked_pause
from .weighing import weighed

_PASSING = {408, 409, 429}
_LONGEST_BODY = 2000


class RequestError(Exception):
    """A failed request, with the status and the words of the server, where it gave any."""

    def __init__(
        self,
        message: str,
        status: int | None = None,
        said: Mapping[str, str] | None = None,
        pause: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status_code = status
        self.body = said
        self.code = (said or {}).get("code")
        self.pause = pause

    @property
    def passes(self) -> bool:
        """Whether the same request may succeed a little later."""
        status = self.status_code
        return status is None or status in _PASSING or status >= 500

    @property
    def loads(self) -> bool:
        """Whether the server does not answer yet because it loads its model."""
        return self.status_code == 503 and "loading" in str(self).lower()


class RequestTimeoutError(RequestError):
    """A request that was given up."""


class NoConnectionError(RequestError):
    """Nobody answers at the address; this passes where somebody did before."""

    def __init__(self, message: str, *, passes: bool) -> None:
        super().__init__(message)
        self._passes = passes

    @property
    def passes(self) -> bool:
        """Whether the same request may succeed a little later."""
        return self._passes


class EventReader:
    """Joins the events of a streamed completion.

    >>> reader = EventReader()
    >>> async for part in response.content.iter_any():
    ...     reader.feed(part)
    >>> reply = reader.whole()
    """

    def __init__(self) -> None:
        self._rest = b""
        self._parts: dict[str, list[str]] = {"content": [], "refusal": []}
        self._tokens: list[Any] = []
        self._finish: Any = None
        self._usage: Any = None
        self._ended = False

    def feed(self, part: bytes) -> bool:
        """Takes the next bytes; whether any of the text is among them. Raises RequestError."""
        *lines, self._rest = (self._rest + part).split(b"\n")
        events = [line[5:].strip() for line in lines if line.startswith(b"data:")]
        try:
            return any([self._read(event) for event in events])
        except (TypeError, AttributeError):
            words = b" ".join(events)[:_LONGEST_BODY].decode(errors="replace")
            raise RequestError(f"no chat completion: {words}", 200) from None

    def _read(self, event: bytes) -> bool:
        data = _parsed(event)
        if not isinstance(data, dict):
            self._ended |= event == b"[DONE]"
            return False
        if data.get("error"):
            raise _failed(data)
        self._usage = data.get("usage") or self._usage
        choice: dict[str, Any] = next(iter(data.get("choices") or ()), {})
        self._finish = choice.get("finish_reason") or self._finish
        self._tokens += _tokens_in(choice)
        delta = choice.get("delta") or {}
        for name, parts in self._parts.items():
            if text := text_in(delta.get(name)):
                parts.append(text)
        return bool(delta)

    def whole(self) -> AIMessage:
        """The reply. Raises RequestError where it broke off."""
        if not (self._ended or self._finish):
            raise RequestError("the reply broke off")
        message = {name: "".join(parts) or None for name, parts in self._parts.items()}
        choice = {
            "message": message,
            "finish_reason": self._finish,
            "logprobs": {"content": self._tokens},
        }
        return _message({"choices": [choice], "usage": self._usage})


def failure(status: int, headers: Mapping[str, str], text: str) -> RequestError:
    """The error that a response with another status than 200 tells."""
    words = text.strip()[:_LONGEST_BODY]
    if not words or words.startswith("<"):  # a page, for people
        words = f"Error code: {status}"
    if place := headers.get("Location"):
        words = f"it redirects to {place[:_LONGEST_BODY]}: set its address to that"
    pause = asked_pause(headers)
    return RequestError(words, status, _error_in(_parsed(text)), pause)


def completion(text: str) -> AIMessage:
    """The reply in the body of a response. Raises RequestError where there is none."""
    data = _parsed(text)
    try:
        return _message(data)
    except (LookupError, TypeError, AttributeError, ValueError):
        words = f"no chat completion: {text[:_LONGEST_BODY]}"
        if text.lstrip().startswith("<"):
            words = "a page and no chat completion; set OPENAI_BASE_URL to the address of its API"
            words += ", which mostly ends in /v1"
        raise RequestError(words, 200, _error_in(data)) from None


def _message(data: Any) -> AIMessage:
    choice = data["choices"][0]
    message = choice["message"]
    usage = data.get("usage")
    sent, received = tokens_in(usage, "prompt_tokens"), tokens_in(usage, "completion_tokens")
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    return AIMessage(
        weighed(text_in(message.get("content")), _tokens_in(choice)),
        additional_kwargs={"refusal": message.get("refusal")},
        response_metadata={"finish_reason": choice.get("finish_reason")},
        usage_metadata={
            "input_tokens": sent,
            "output_tokens": received,
            "total_tokens": sent + received,
            "input_token_details": {"cache_read": tokens_in(details, "cached_tokens")},
        },
    )


def _tokens_in(choice: Any) -> list[Any]:
    """The tokens with their probabilities; none where the server does not tell."""
    told = choice.get("logprobs")
    tokens = told.get("content") if isinstance(told, dict) else None
    return tokens if isinstance(tokens, list) else []


def _failed(data: dict[str, Any]) -> RequestError:
    """The error in an event, by its code where that is a status."""
    said = _error_in(data)
    code = data["error"].get("code") if isinstance(data["error"], dict) else None
    is_status = isinstance(code, int) and code in set(HTTPStatus)
    return RequestError(
        said.get("message") or str(data)[:_LONGEST_BODY], code if is_status else 500, said
    )


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _error_in(data: Any) -> dict[str, str]:
    """The words in ``error`` of a reply, or in the reply itself, by their names."""
    said = data.get("error", data) if isinstance(data, dict) else None
    if isinstance(said, str):
        return {"message": said}
    found = said.items() if isinstance(said, dict) else ()
    return {name: words for name, words in found if isinstance(words, str)}
