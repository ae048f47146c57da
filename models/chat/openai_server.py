"""Requests to a server that speaks OpenAI's protocol, by the shortest way.

LangChain and openai's client take ten times as much processor time for a request as the code here.
With a fast server of one's own that adds up over the thousands of requests of an index.
"""

from __future__ import annotations

import json
import logging
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import aiohttp
import httpx
from langchain_core.messages import AIMessage
from pydantic import SecretStr
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from ..failures import kind_of
from ..meter import attempt, current_meter
from .body import ACCEPTED, BodyError, Inflated
from .completion import RequestError, completion, failure
from .request import ChatRequest, limit_in

logger = logging.getLogger("ragraphs.models")

_ROLES = {"system": "system", "human": "user", "ai": "assistant"}
_LONGEST_PAUSE = 60
_backoff = wait_exponential(multiplier=0.5, max=8) + wait_random(0, 0.25)


class OpenAIServer:
    """Chat completions of the model ``model`` at ``base_url``, in the mode ``json_schema``, whole.

    After a passing failure a request is sent again up to ``max_retries`` times; each attempt takes
    at most ``timeout`` seconds. One instance belongs to one event loop.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        key: SecretStr,
        *,
        timeout: float,
        max_retries: int,
        most: int,
    ) -> None:
        self._model = model
        self._address = f"{base_url.rstrip('/')}/chat/completions"
        self._key = key
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._tls = httpx.create_ssl_context() if urlsplit(base_url).scheme == "https" else True
        self._most = most
        self._session: aiohttp.ClientSession | None = None
        self._retrying = AsyncRetrying(
            stop=_Stop(max_retries + 1),
            wait=_pause,
            retry=retry_if_exception(lambda e: isinstance(e, RequestError) and e.passes),
            before_sleep=_log_retry,
            reraise=True,
        )

    @property
    def secrets(self) -> list[SecretStr]:
        """The keys that this client holds."""
        return [self._key]

    async def complete(self, request: ChatRequest) -> AIMessage:
        """The reply. Raises RequestError, and NoReplyError where it may not be sent once more."""
        body = json.dumps(self._body(request)).encode()
        return await self._retrying.copy()(self._attempt, body)  # its own, for it keeps state

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._session is not None:
            await self._session.close()

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        schema = dict(request.schema)
        named = {"name": schema.pop("title"), "description": schema.pop("description")}
        body = {
            "model": self._model,
            "messages": [
                {"role": _ROLES[message.type], "content": message.content}
                for message in request.messages
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {**named, "schema": schema, "strict": True},
            },
        }
        if request.temperature is not None:
            body["temperature"] = request.temperature
        return body | limit_in(request)

    async def _attempt(self, body: bytes) -> AIMessage:
        async with attempt():
            return await self._sent(body)

    async def _sent(self, body: bytes) -> AIMessage:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._most, ssl=self._tls),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                headers={
                    "Accept-Encoding": ACCEPTED,
                    "Authorization": f"Bearer {self._key.get_secret_value()}",
                    "Content-Type": "application/json",
                    "User-Agent": "ragraphs",
                },
                timeout=self._timeout,
                trust_env=bool(getproxies()),
            )
        try:
            # A redirected POST would arrive as a GET, and fail there for another reason.
            post = self._session.post(self._address, data=body, allow_redirects=False)
            async with post as response:
                text = await _body(response)
        except TimeoutError as error:
            raise RequestError("The request timed out.") from error
        except (aiohttp.ClientError, OSError) as error:
            raise RequestError(str(error)) from error
        if response.status != 200:
            raise failure(response.status, response.headers, text)
        return completion(text)


async def _body(response: aiohttp.ClientResponse) -> str:
    """The text of the body. Raises RequestError where it is too large."""
    try:
        body = Inflated(response.headers.get("Content-Encoding"))
        parts = [body.feed(part) async for part in response.content.iter_any()]
    except BodyError as error:
        raise RequestError(f"{error}.", response.status) from error
    return b"".join(parts).decode(errors="replace")


def _pause(state: RetryCallState) -> float:
    """The seconds until the next attempt: as the server asked, or longer each time."""
    error = state.outcome and state.outcome.exception()
    asked = error.pause if isinstance(error, RequestError) else None
    return _backoff(state) if asked is None else min(asked, _LONGEST_PAUSE)


class _Stop(stop_after_attempt):
    """Ends the attempts also where the question must end before the next one."""

    def __call__(self, state: RetryCallState) -> bool:
        deadline = current_meter().deadline
        is_late = deadline is not None and state.upcoming_sleep >= deadline.left
        return is_late or super().__call__(state)


def _log_retry(state: RetryCallState) -> None:
    error = state.outcome and state.outcome.exception()
    if isinstance(error, BaseException):
        logger.debug("attempt %d failed: %s", state.attempt_number, kind_of(error))
