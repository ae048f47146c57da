"""The HTTP client of the models that are asked through LangChain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from ..meter import attempt, current_meter
from ..protocol import NoReplyError
from .body import ACCEPTED, BodyError, Inflated
from .request import asked_pause

_FINAL = {"x-should-retry": "false"}  # openai's client obeys it


class PunctualClient(httpx.AsyncClient):
    """Waits ``seconds`` for a whole reply, even for one that arrives drop by drop.

    Of a body that is too large it takes no more than the bound, and raises httpx.DecodingError.
    """

    def __init__(self, seconds: float, most_connections: int) -> None:
        super().__init__(
            headers={"Accept-Encoding": ACCEPTED},
            limits=httpx.Limits(max_connections=most_connections),
            timeout=seconds,
        )
        self._seconds = seconds

    async def send(
        self, request: httpx.Request, *, stream: bool = False, **options: Any
    ) -> httpx.Response:
        """The reply. Raises httpx.ReadTimeout when it is not there in time.

        A refusal of ours where a limit forbids one more attempt: openai's client would catch the
        error, and try again.
        """
        try:
            async with attempt():
                return await self._sent(request, stream, **options)
        except NoReplyError:
            return httpx.Response(403, headers=_FINAL, request=request)

    async def _sent(self, request: httpx.Request, stream: bool, **options: Any) -> httpx.Response:
        deadline = asyncio.get_running_loop().time() + self._seconds
        async with _in_time(deadline, request):
            response = await super().send(request, stream=True, **options)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        if _comes_too_late(asked_pause(response.headers)):
            response.headers.update(_FINAL)
        encoding = response.headers.pop("Content-Encoding", None)  # it is decompressed here
        response.stream = _Streamed(response.stream, encoding, deadline, request)
        if not stream:
            try:
                await response.aread()
            finally:
                await response.aclose()
        return response


def _comes_too_late(pause: float | None) -> bool:
    deadline = current_meter().deadline
    return pause is not None and deadline is not None and pause >= deadline.left


@asynccontextmanager
async def _in_time(deadline: float, request: httpx.Request) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout_at(deadline):
            yield
    except TimeoutError as error:
        raise httpx.ReadTimeout("no whole reply in time", request=request) from error


class _Streamed(httpx.AsyncByteStream):
    """The body of a response, decompressed as it arrives, until the deadline."""

    def __init__(
        self,
        body: httpx.AsyncByteStream,
        encoding: str | None,
        deadline: float,
        request: httpx.Request,
    ) -> None:
        self._body = body
        self._encoding = encoding
        self._deadline = deadline
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts = aiter(self._body)
        try:
            body = Inflated(self._encoding)
            while True:
                async with _in_time(self._deadline, self._request):
                    part = await anext(parts, None)
                if part is None:
                    return
                yield body.feed(part)
        except BodyError as error:
            raise httpx.DecodingError(str(error), request=self._request) from error

    async def aclose(self) -> None:
        """Closes the body."""
        await self._body.aclose()
