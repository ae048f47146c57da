"""Small JSON documents that servers of models tell about themselves."""

from __future__ import annotations

import json
from typing import Any

import httpx

from .body import ACCEPTED, BodyError, Inflated

_LARGEST = 2_000_000


async def fetch_json(client: httpx.AsyncClient, url: str) -> Any:
    """The JSON at ``url``; None where nobody answers in time, with 200 and with JSON."""
    try:
        headers = {"Accept": "application/json", "Accept-Encoding": ACCEPTED}
        async with client.stream("GET", url, headers=headers) as response:
            if response.status_code != httpx.codes.OK:
                return None
            body = Inflated(response.headers.get("Content-Encoding"), _LARGEST)
            parts = [body.feed(part) async for part in response.aiter_raw()]
        return json.loads(b"".join(parts))
    except (httpx.HTTPError, httpx.InvalidURL, BodyError, ValueError, RecursionError):
        return None


def rows_in(data: Any, name: str) -> list[dict[str, Any]]:
    """The objects in the list called ``name`` of a document, whatever else stands in it."""
    rows = data.get(name) if isinstance(data, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
