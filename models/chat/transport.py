"""The HTTP client of the language models."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.request import getproxies

import httpx


class PunctualClient(httpx.AsyncClient):
    """Waits ``seconds`` for a whole reply, even for one that arrives drop by drop."""

    def __init__(self, seconds: float, most_connections: int) -> None:
        limits = httpx.Limits(max_connections=most_connections)
        # With a transport of one's own httpx would not heed the proxies of the environment.
        transport = None if getproxies() else _Lanes(most_connections)
        super().__init__(limits=limits, transport=transport, timeout=seconds)
        self._seconds = seconds

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """The reply. Raises httpx.ReadTimeout when it is not there in time."""
        deadline = asyncio.get_running_loop().time() + self._seconds
        async with _in_time(deadline, request):
            response = await super().send(request, **options)
        if not response.is_closed:
            assert isinstance(response.stream, httpx.AsyncByteStream)
            response.stream = _Streamed(response.stream, deadline, request)
        return response


@asynccontextmanager
async def _in_time(deadline: float, request: httpx.Request) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout_at(deadline):
            yield
    except TimeoutError as error:
        raise httpx.ReadTimeout("no whole reply in time", request=request) from error


class _Streamed(httpx.AsyncByteStream):
    """The body of a response that is read as it arrives, until the deadline."""

    def __init__(
        self, body: httpx.AsyncByteStream, deadline: float, request: httpx.Request
    ) -> None:
        self._body = body
        self._deadline = deadline
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts = aiter(self._body)
        while True:
            async with _in_time(self._deadline, self._request):
                part = await anext(parts, None)
            if part is None:
                return
            yield part

    async def aclose(self) -> None:
        """Closes the body."""
        await self._body.aclose()


class _Lanes(httpx.AsyncBaseTransport):
    """A pool of its own for each of ``count`` requests at a time.

    A shared pool asks all its connections how they are whenever a request begins or ends.
    """

    def __init__(self, count: int) -> None:
        verify = httpx.create_ssl_context()  # takes as long as several requests
        self._all = [httpx.AsyncHTTPTransport(verify=verify) for _ in range(count)]
        self._idle = list(self._all)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The response; its lane is free again when its body was read or let go."""
        lane = self._idle.pop() if self._idle else self._all[0]
        try:
            response = await lane.handle_async_request(request)
        except BaseException:
            self._free(lane)
            raise
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Body(response.stream, self, lane)
        return response

    async def aclose(self) -> None:
        """Closes all connections."""
        for lane in self._all:
            await lane.aclose()

    def _free(self, lane: httpx.AsyncHTTPTransport) -> None:
        if lane not in self._idle:
            self._idle.append(lane)


class _Body(httpx.AsyncByteStream):
    """The body of a response, which frees its lane when it is closed."""

    def __init__(
        self, body: httpx.AsyncByteStream, lanes: _Lanes, lane: httpx.AsyncHTTPTransport
    ) -> None:
        self._body = body
        self._lanes = lanes
        self._lane = lane

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._body:
            yield part

    async def aclose(self) -> None:
        """Closes the body."""
        await self._body.aclose()
        self._lanes._free(self._lane)
