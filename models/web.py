"""Search of the web."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..context import Settings


@dataclass(frozen=True)
class Page:
    """One result of a web search."""

    url: str
    title: str
    text: str


class WebSearchError(Exception):
    """The search failed; the message says how in one sentence."""


class WebSearch(Protocol):
    """Whatever searches the web."""

    async def search(self, query: str, most: int) -> list[Page]:
        """At most ``most`` pages, best first. Raises WebSearchError."""
        ...


class TavilySearch:
    """Tavily's search API, or a server that speaks it."""

    def __init__(self, key: str, base_url: str | None = None, timeout: float = 20) -> None:
        self._key = key
        self._base_url = base_url
        self._timeout = timeout

    async def search(self, query: str, most: int) -> list[Page]:
        """At most ``most`` pages, best first. Raises WebSearchError."""
        from tavily import AsyncTavilyClient

        client = AsyncTavilyClient(self._key, api_base_url=self._base_url)
        try:
            found = await client.search(query, max_results=most, timeout=self._timeout)
        except Exception as error:
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            raise WebSearchError(f"The web search for {query!r} failed ({reason}).") from error
        finally:
            await client.close()
        return [
            Page(str(row.get("url", "")), str(row.get("title") or ""), str(row["content"]))
            for row in found.get("results", [])[:most]
            if str(row.get("content") or "").strip()
        ]


def web_search(operator: Settings) -> WebSearch | None:
    """The web search that the operator has a key for, or none."""
    if operator.tavily_api_key is None:
        return None
    return TavilySearch(operator.tavily_api_key.get_secret_value(), operator.tavily_base_url)
