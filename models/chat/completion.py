"""Completions of a server that speaks OpenAI's protocol, and its errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage

from .envelope import text_in, tokens_in
from .request import asked_pause

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
        choice = data["choices"][0]
        message = choice["message"]
        usage = data.get("usage")
        sent, received = tokens_in(usage, "prompt_tokens"), tokens_in(usage, "completion_tokens")
        return AIMessage(
            text_in(message.get("content")),
            additional_kwargs={"refusal": message.get("refusal")},
            response_metadata={"finish_reason": choice.get("finish_reason")},
            usage_metadata={
                "input_tokens": sent,
                "output_tokens": received,
                "total_tokens": sent + received,
            },
        )
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        words = f"no chat completion: {text[:_LONGEST_BODY]}"
        raise RequestError(words, 200, _error_in(data)) from error


def _parsed(text: str) -> Any:
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
