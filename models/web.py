"""Search of the web."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import SecretStr

from ..prompts.lenient import clean, shortened
from ..settings import Settings
from .failures import explain

_LONGEST_NAME = 1000
_LONGEST_TEXT = 50_000


@dataclass(frozen=True)
class Page:
    """One result of a web search."""

    url: str
    title: str
    text: str


class WebSearchError(Exception):
    """The search failed; the message says how in one sentence."""


class WebSearch(Protocol):
    """Searches the web."""

    async def search(self, query: str, most: int) -> list[Page]:
        """At most ``most`` pages, best first. Raises WebSearchError."""
        ...


class TavilySearch:
    """Tavily's search API, or a server that speaks it.

    >>> search = TavilySearch(SecretStr("tvly-..."))
    >>> pages = await search.search("length of the Elbe", most=5)
    """

    def __init__(self, key: SecretStr, base_url: str | None = None, timeout: float = 20) -> None:
        self._key = key
        self._base_url = base_url
        self._timeout = timeout

    async def search(self, query: str, most: int) -> list[Page]:
        """At most ``most`` pages, best first. Raises WebSearchError."""
        from tavily import AsyncTavilyClient

        client = AsyncTavilyClient(self._key.get_secret_value(), api_base_url=self._base_url)
        try:
            async with asyncio.timeout(self._timeout):
                found = await client.search(query, max_results=most, timeout=self._timeout)
            return _pages(found, most)
        except Exception as error:
            reason = explain(error, [self._key])
            raise WebSearchError(f"The web search for {query!r} failed ({reason}).") from error
        finally:
            await client.close()


def _pages(found: Any, most: int) -> list[Page]:
    """The results in Tavily's reply ``found``. Raises ValueError where it holds no list of them."""
    rows = found.get("results") if isinstance(found, dict) else None
    if not isinstance(rows, list):
        raise ValueError("the reply holds no list of results")
    return [
        Page(
            str(row.get("url") or "")[:_LONGEST_NAME],
            shortened(clean(str(row.get("title") or "")), _LONGEST_NAME),
            shortened(clean(str(row["content"])), _LONGEST_TEXT),
        )
        for row in rows[:most]
        if isinstance(row, dict) and str(row.get("content") or "").strip()
    ]


def web_search(operator: Settings) -> WebSearch | None:
    """The web search that the operator has a key for, or None."""
    if not operator.tavily_api_key:
        return None
    return TavilySearch(operator.tavily_api_key, operator.tavily_base_url)
