"""Searching the web for what the index does not hold."""

from __future__ import annotations

import asyncio
import hashlib

from langgraph.types import interrupt

from ...context import CragContext
from ...models.meter import current_meter
from ...models.protocol import NoReplyError
from ...models.web import Page, WebSearch, WebSearchError, web_search
from ...prompts.library import REWRITE_QUERY
from ...settings import settings
from ...state.crag import CragState
from ...state.records import Evidence
from ..confirming import allowed_texts
from ..node import node
from ..run import Run, Update

MOST_QUERIES = 3


@node(reserve=2)
async def rewrite(state: CragState, run: Run[CragContext]) -> Update:
    """Turns the question into at most three queries for a web search engine.

    The questions that an earlier answer left open are such queries.
    """
    if missing := state["held"]["missing"]:
        return {"queries": missing[:MOST_QUERIES]}
    reply = await run.ask(
        REWRITE_QUERY,
        otherwise="The web was searched for the question as it stands.",
        model=run.context.small_model,
        question=state["question"],
    )
    found = dict.fromkeys(query for query in (reply.queries if reply else ()) if query)
    return {"queries": list(found)[:MOST_QUERIES] or [state["question"]]}


@node()
async def search_web(state: CragState, context: CragContext) -> Update:
    """Searches the web for every query at once; a page found twice counts once."""
    web = web_search(settings(), context.own.web, whole=context.web_pages)
    if web is None:
        return {"stop_reason": "web_unavailable"}
    queries = _confirmed(state["queries"]) if context.confirm_web else state["queries"]
    if not queries:
        return {"queries": [], "stop_reason": "web_unavailable"}
    results = await asyncio.gather(*(_search(web, query, context.web_results) for query in queries))
    found = {page.url + page.text: page for pages in results if pages for page in pages}
    failed = all(pages is None for pages in results)
    return {
        "queries": queries,
        "pages": [_evidence(rank, page) for rank, page in enumerate(found.values(), start=1)],
        "stop_reason": "web_unavailable" if failed else None,
    }


def _confirmed(queries: list[str]) -> list[str]:
    """The queries that a person allows, shown by ``interrupt``; none with a warning."""
    said = interrupt({"message": "Search the web for these queries?", "queries": queries})
    allowed = confirmed_queries(said, queries)
    if allowed is None:
        current_meter().warn(
            "The web was not searched, because the reply was unclear; resume with true, false, a "
            f"word such as 'yes', or a list of one to {MOST_QUERIES} queries."
        )
    elif not allowed:
        current_meter().warn("The web was not searched, because it was not confirmed.")
    return allowed or []


def confirmed_queries(said: object, queries: list[str]) -> list[str] | None:
    """The queries that the reply ``said`` allows: ``queries`` for a clear yes, none for a no.

    A list of one to three queries stands in their place. None for anything else, which is no
    consent.
    """
    return allowed_texts(said, queries, MOST_QUERIES)


async def _search(web: WebSearch, query: str, most: int) -> list[Page] | None:
    """The pages for one query; None, with a warning, when the search failed."""
    meter = current_meter()
    meter.web_searches += 1
    try:
        async with meter.in_time():
            pages = await web.search(query, most)
    except (WebSearchError, NoReplyError) as error:
        meter.warn(str(error))
        return None
    if not pages:
        meter.warn(f"The web search for {query!r} found nothing.")
    return pages


def _evidence(rank: int, page: Page) -> Evidence:
    digest = hashlib.blake2b(f"{page.url}\n{page.text}".encode(), digest_size=12).hexdigest()
    return {
        "id": f"web:{digest}",
        "document": page.url,
        "title": page.title,
        "text": page.text,
        "start": 0,
        "end": len(page.text),
        "metadata": {"path": page.url},
        "score": 1 / rank,
        "found": "web",
    }
