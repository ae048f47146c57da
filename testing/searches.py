"""Checks of a retriever and of a web search of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..models.documents import evidence_of, search_by
from ..models.web import OwnSearch, Page, WebSearch
from ..state.records import Evidence
from .report import PartReport, report_on, require

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    from ..state.own import WebFunction

_MOST = 10
_ODD = ("", "?", '"(', "한국어 질문", "x" * 2000)
_WHOLE = 2000  # characters, more than an excerpt has


class _Retrieval:
    """A retriever, and what it finds for a ``query``."""

    def __init__(self, retriever: BaseRetriever, query: str) -> None:
        self.retriever, self.query = retriever, query
        self._documents: Sequence[Document] | None = None

    async def documents(self) -> Sequence[Document]:
        """The Documents that are found, which are looked for once."""
        if self._documents is None:
            self._documents = await self.retriever.ainvoke(self.query)
        return self._documents

    async def all_have(self, value: Callable[[Document], Any], named: str) -> None:
        """Fails unless there are Documents, and each has the ``value``."""
        documents = await self.documents()
        found = sum(bool(value(one)) for one in documents)
        require(found == len(documents) > 0, f"{found} of {len(documents)} have {named}")

    async def search(self, query: str) -> list[Evidence]:
        """The texts that ragraphs reads for ``query``."""
        return await search_by(self.retriever, query, _MOST)


def check_retriever(retriever: BaseRetriever, query: str) -> PartReport:
    """The report on a retriever for ``build(..., retriever=...)``.

    print(check_retriever(MyRetriever(), "Who designed the Forth Bridge?"))

    ``query`` is a question for which it finds something. It is asked about ten times.
    """
    name = type(retriever).__name__
    needed = (finds, has_texts, is_asked_at_once, takes_any_question)
    more = (is_steady, sources, ids, titles, metadata, scores, places)
    return report_on(name, _Retrieval(retriever, query), needed, more)


async def finds(one: _Retrieval) -> None:
    """Finds Documents for the question."""
    require(await one.documents(), f"nothing was found for {one.query!r}")


async def has_texts(one: _Retrieval) -> None:
    """Each Document has a text, and none is there twice."""
    found, used = await one.documents(), evidence_of(await one.documents())
    require(len(used) == len(found) > 0, f"{len(used)} of {len(found)} can be used")


async def is_asked_at_once(one: _Retrieval) -> None:
    """Four questions at the same time are answered."""
    found = await asyncio.gather(*(one.search(one.query) for _ in range(4)))
    require(all(found), "some found nothing")


async def takes_any_question(one: _Retrieval) -> None:
    """No question is an error: none, signs, Korean, one of 2,000 characters."""
    for query in _ODD:
        await one.search(query)


async def is_steady(one: _Retrieval) -> None:
    """The same question finds the same, so that replies that are kept are used again."""
    first, second = [[text["id"] for text in await one.search(one.query)] for _ in range(2)]
    require(first == second, "the second time it was something else")


async def sources(one: _Retrieval) -> None:
    """Each Document names its source, which citations tell."""
    await one.all_have(lambda d: d.metadata.get("source") or d.metadata.get("document"), "a source")


async def ids(one: _Retrieval) -> None:
    """Each Document has an id of its own; else a hash of its text stands for it."""
    await one.all_have(lambda d: d.id or d.metadata.get("id"), "an id")


async def titles(one: _Retrieval) -> None:
    """Each Document has a title."""
    await one.all_have(lambda d: d.metadata.get("title"), "a title")


async def metadata(one: _Retrieval) -> None:
    """Each Document has metadata that a filter can name."""
    await one.all_have(lambda d: evidence_of([d])[0]["metadata"].keys() - {"source"}, "any")


async def scores(one: _Retrieval) -> None:
    """Each Document has a score; else its rank stands for it."""
    await one.all_have(lambda d: d.metadata.keys() & {"score", "relevance_score"}, "one")


async def places(one: _Retrieval) -> None:
    """Each Document says where in its source it starts."""
    await one.all_have(lambda d: isinstance(d.metadata.get("start"), int), "a start")


class _Web:
    """A web search, and the pages that it finds for a ``query``."""

    def __init__(self, web: WebSearch, query: str) -> None:
        self.web, self.query = web, query
        self._pages: list[Page] = []

    async def pages(self) -> list[Page]:
        """The pages; fails where there are none."""
        self._pages = self._pages or await self.web.search(self.query, _MOST)
        require(self._pages, f"nothing was found for {self.query!r}")
        return self._pages


def check_web(web: BaseRetriever | WebFunction | WebSearch, query: str) -> PartReport:
    """The report on a web search for ``build(..., web=...)``: a retriever, or a function.

    print(check_web(my_search, "length of the Elbe"))

    ``query`` is one for which it finds something. It is asked about ten times.
    """
    search: Any = web if hasattr(web, "search") else OwnSearch(web)
    named = getattr(web, "__name__", type(web).__name__)
    needed = (has_pages, is_searched_at_once, takes_any_query)
    return report_on(named, _Web(search, query), needed, (addresses, page_titles, whole_pages))


async def has_pages(one: _Web) -> None:
    """Finds pages with a text."""
    require(all(page.text.strip() for page in await one.pages()), "a page has no text")


async def is_searched_at_once(one: _Web) -> None:
    """Four queries at the same time are answered."""
    found = await asyncio.gather(*(one.web.search(one.query, 3) for _ in range(4)))
    require(all(found), "some found nothing")
    require(all(len(pages) <= 3 for pages in found), "more pages came than were asked for")


async def takes_any_query(one: _Web) -> None:
    """No query is an error: signs, Korean, one of 2,000 characters."""
    for query in _ODD[1:]:
        await one.web.search(query, 1)


async def addresses(one: _Web) -> None:
    """Each page has its address, which citations tell."""
    named = [page.url.startswith(("https://", "http://")) for page in await one.pages()]
    require(all(named), f"{named.count(True)} of {len(named)} have one")


async def page_titles(one: _Web) -> None:
    """Each page has a title that is not its address."""
    titled = [page.title not in ("", page.url) for page in await one.pages()]
    require(all(titled), f"{titled.count(True)} of {len(titled)} have one")


async def whole_pages(one: _Web) -> None:
    """Pages come whole, and not as excerpts."""
    longest = max(len(page.text) for page in await one.pages())
    require(longest >= _WHOLE, f"the longest text has {longest:,} characters")
