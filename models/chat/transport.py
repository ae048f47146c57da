"""The HTTP client of the models that are asked through LangChain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx


class PunctualClient(httpx.AsyncClient):
    """Waits ``seconds`` for a whole reply, even for one that arrives drop by drop."""

    def __init__(self, seconds: float, most_connections: int) -> None:
        super().__init__(limits=httpx.Limits(max_connections=most_connections), timeout=seconds)
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
