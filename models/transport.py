"""The HTTP client of the language models."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx


class PunctualClient(httpx.AsyncClient):
    """Waits ``seconds`` for a whole reply, even for one that arrives drop by drop."""

    def __init__(self, seconds: float, most_connections: int) -> None:
        super().__init__(limits=httpx.Limits(max_connections=most_connections), timeout=seconds)
        self._seconds = seconds

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """The reply. Raises httpx.ReadTimeout when it is not there in time."""
        try:
            async with asyncio.timeout(self._seconds):
                return await super().send(request, **options)
        except TimeoutError as error:
            raise httpx.ReadTimeout("no whole reply in time", request=request) from error
