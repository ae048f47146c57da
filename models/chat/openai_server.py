"""Requests to a server that speaks OpenAI's protocol, by the shortest way.

LangChain and openai's client take ten times as much processor time for a request as the code here.
With a fast server of one's own that adds up over the thousands of requests of an index.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
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
from .body import ACCEPTED, LARGEST_BODY, BodyError, Inflated
from .completion import (
    EventReader,
    NoConnectionError,
    RequestError,
    RequestTimeoutError,
    completion,
    failure,
)
from .limit import current_turn
from .request import ChatRequest, limit_in
from .served import ServedModel
from .weighing import ASKED

logger = logging.getLogger("ragraphs.models")

_ROLES = {"system": "system", "human": "user", "ai": "assistant"}
_LONGEST_PAUSE = 60
_STREAMED = {"stream": True, "stream_options": {"include_usage": True}}
_NO_TIME = {408, 429, 503}
_NOBODY_SECONDS, _CONNECT_SECONDS = 1, 10
_LOADING_PAUSE = 1.0
_LARGEST_STREAM = 10 * LARGEST_BODY  # a piece of a few letters comes in a large envelope
_backoff = wait_exponential(multiplier=0.5, max=8) + wait_random(0, 0.25)


class OpenAIServer:
    """Chat completions of the model ``model`` at ``base_url``, in the mode ``json_schema``.

    They come in streams, where the server can do so: an attempt is given up when for ``timeout``
    seconds nothing came. After a passing failure a request is sent again up to ``max_retries``
    times, and as long as ``timeout`` to a server that loads its model. Where nobody ever answered
    that is told at once. One instance belongs to one event loop.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        key: SecretStr,
        *,
        served: ServedModel,
        timeout: float,
        max_retries: int,
        most: int,
    ) -> None:
        self._model = model
        self._address = f"{base_url.rstrip('/')}/chat/completions"
        self._key = key
        self._served = served
        self._seconds = timeout
        self._streams = self._weighs = True
        self._tls = httpx.create_ssl_context() if urlsplit(base_url).scheme == "https" else True
        self._most = most
        self._session: aiohttp.ClientSession | None = None
        self._retrying = AsyncRetrying(
            stop=_Stop(max_retries + 1, timeout),
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
        body = self._body(request)
        while True:
            streams = self._streams and request.may_stream
            weighs = self._weighs and request.is_weighed
            asked = body | (_STREAMED if streams else {}) | (ASKED if weighs else {})
            sent = json.dumps(asked).encode()
            try:
                return await self._retrying.copy()(self._attempt, sent)  # its own: it keeps state
            except RequestError as error:
                said = str(error) if error.status_code in {400, 422, 501} else ""
                if weighs and "logprob" in said:
                    self._weighs = False
                elif streams and "stream" in said:
                    self._streams = False
                else:
                    raise

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._session is not None:
            await self._session.close()

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        schema = dict(request.schema)
        named = {"name": schema.pop("title"), "description": schema.pop("description")}
        body: dict[str, Any] = {
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
            try:
                return await self._sent(body)
            except RequestError as error:
                turn, no_time = (
                    current_turn(),
                    isinstance(error, RequestTimeoutError) or error.status_code in _NO_TIME,
                )
                if turn is not None and no_time and not error.loads:
                    turn.limit.slow_down(turn)
                raise

    async def _sent(self, body: bytes) -> AIMessage:
        shared = self._served.shared
        connect = _CONNECT_SECONDS if shared.answered else _NOBODY_SECONDS
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=connect)
        try:
            async with (
                shared.waiting.for_bytes(self._seconds) as heard,
                # A redirected POST would arrive as a GET, and fail there for another reason.
                self._opened().post(
                    self._address, data=body, allow_redirects=False, timeout=timeout
                ) as response,
            ):
                shared.answered = True
                heard()
                if response.status == 200 and response.content_type == "text/event-stream":
                    return await _events(response, heard)
                text = await _body(response)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            words = f"no connection to {self._served.address}: {_reason(error)}"
            raise NoConnectionError(words, passes=shared.answered) from None
        except TimeoutError as error:
            words = f"The request timed out: nothing came for {self._seconds:g} s"
            raise RequestTimeoutError(words) from error
        except (aiohttp.ClientError, OSError) as error:
            raise RequestError(str(error)) from error
        if response.status != 200:
            raise failure(response.status, response.headers, text)
        return completion(text)

    def _opened(self) -> aiohttp.ClientSession:
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
                trust_env=bool(getproxies()),
            )
        return self._session


def _reason(error: Exception) -> str:
    """Why there is no connection, in the words of the system."""
    number = getattr(error, "errno", None) or 0
    return os.strerror(number) if number > 0 else getattr(error, "strerror", "") or "no answer"


async def _events(response: aiohttp.ClientResponse, heard: Callable[[], None]) -> AIMessage:
    """The reply whose pieces arrive as events; each of them is ``heard``."""
    reader, turn = EventReader(), current_turn()
    body = Inflated(response.headers.get("Content-Encoding"), _LARGEST_STREAM)
    try:
        async for part in response.content.iter_any():
            heard()
            if reader.feed(body.feed(part)) and turn is not None:
                turn.heard()
    except BodyError as error:
        raise RequestError(f"{error}.", response.status) from error
    return reader.whole()


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
    assert isinstance(error, RequestError)
    if error.pause is not None:
        return min(error.pause, _LONGEST_PAUSE)
    return _LOADING_PAUSE if error.loads else _backoff(state)


class _Stop(stop_after_attempt):
    """Ends the attempts also where the question must end before the next one.

    A server that loads its model is waited for, ``patience`` seconds long.
    """

    def __init__(self, attempts: int, patience: float) -> None:
        super().__init__(attempts)
        self._patience = patience

    def __call__(self, state: RetryCallState) -> bool:
        error = state.outcome and state.outcome.exception()
        assert isinstance(error, RequestError)
        deadline = current_meter().deadline
        if deadline is not None and state.upcoming_sleep >= deadline.left:
            return True
        if error.loads:
            return (state.seconds_since_start or 0) >= self._patience
        return super().__call__(state)


def _log_retry(state: RetryCallState) -> None:
    error = state.outcome and state.outcome.exception()
    if isinstance(error, BaseException):
        logger.debug("attempt %d failed: %s", state.attempt_number, kind_of(error))
