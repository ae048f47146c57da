"""Search of the web."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import SecretStr

from ..prompts.lenient import clean, shortened
from ..settings import Settings
from .documents import evidence_of
from .failures import explain

if TYPE_CHECKING:
    from langchain_core.retrievers import BaseRetriever

    from ..state.own import Documents, OwnWeb, WebFunction

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
    """Tavily's search API, or a server that speaks it; ``whole`` pages, or excerpts of them.

    >>> search = TavilySearch(SecretStr("tvly-..."))
    >>> pages = await search.search("length of the Elbe", most=5)
    """

    def __init__(
        self,
        key: SecretStr,
        base_url: str | None = None,
        timeout: float = 20,
        *,
        whole: bool = False,
    ) -> None:
        self._key = key
        self._whole = whole
        self._base_url = base_url
        self._timeout = timeout

    async def search(self, query: str, most: int) -> list[Page]:
        """At most ``most`` pages, best first. Raises WebSearchError."""
        from tavily import AsyncTavilyClient

        client = AsyncTavilyClient(self._key.get_secret_value(), api_base_url=self._base_url)
        try:
            async with asyncio.timeout(self._timeout):
                found = await client.search(
                    query,
                    max_results=most,
                    include_raw_content=self._whole or None,
                    timeout=self._timeout,
                )
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
            shortened(clean(text), _LONGEST_TEXT),
        )
        for row in rows[:most]
        if isinstance(row, dict)
        and (text := str(row.get("raw_content") or row.get("content") or "")).strip()
    ]


class OwnSearch:
    """A search that the caller's program handed over: a retriever, or a function."""

    def __init__(self, own: BaseRetriever | WebFunction) -> None:
        self._own = own

    async def search(self, query: str, most: int) -> list[Page]:
        """At most ``most`` pages, best first. Raises WebSearchError."""
        try:
            documents = await self._documents(query)
            return [
                Page(
                    text["document"][:_LONGEST_NAME],
                    shortened(text["title"], _LONGEST_NAME),
                    shortened(text["text"], _LONGEST_TEXT),
                )
                for text in evidence_of(documents)[:most]
            ]
        except Exception as error:
            reason = explain(error)
            raise WebSearchError(f"The web search for {query!r} failed ({reason}).") from error

    async def _documents(self, query: str) -> Documents:
        from langchain_core.retrievers import BaseRetriever

        if isinstance(self._own, BaseRetriever):
            return await self._own.ainvoke(query)
        if inspect.iscoroutinefunction(self._own):
            found: Documents = await self._own(query)
            return found
        found = await asyncio.to_thread(self._own, query)  # type: ignore[arg-type]
        return await found if inspect.isawaitable(found) else found


def web_search(
    operator: Settings, own: OwnWeb | None = None, *, whole: bool = False
) -> WebSearch | None:
    """The caller's ``own`` web search, else the one that the operator has a key for, or None.

    The caller's says by itself how much of a page it gives; of the other one come ``whole`` pages.
    """
    if own is not None:
        return None if own is False else OwnSearch(own)
    if not operator.tavily_api_key:
        return None
    return TavilySearch(operator.tavily_api_key, operator.tavily_base_url, whole=whole)
