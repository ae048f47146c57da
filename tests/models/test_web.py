"""Searching the web by a Tavily-compatible server."""

from __future__ import annotations

import pytest
from http_stub import Response
from pydantic import SecretStr
from ragraphs.models.web import Page, TavilySearch, WebSearchError, web_search
from ragraphs.settings import Settings
from stub_tavily import KEY

PAGES = [("https://a.example/1", "One", "First."), ("https://a.example/2", "Two", "Second.")]


@pytest.fixture
def search(tavily):
    return TavilySearch(SecretStr(KEY), tavily.url, timeout=0.5).search


async def test_pages_come_in_order_and_the_key_goes_along(tavily, search):
    tavily.pages = PAGES
    assert await search("bridges", 5) == [Page(*page) for page in PAGES]
    assert tavily.bodies[0]["query"] == "bridges" and tavily.bodies[0]["max_results"] == 5
    assert tavily.requests[0].headers["Authorization"] == f"Bearer {KEY}"


async def test_whole_pages_take_the_place_of_excerpts_where_they_are_wanted_and_there(tavily):
    tavily.pages, tavily.whole = PAGES, {PAGES[0][0]: f"Whole.\x00 {'long ' * 20_000}"}
    found = {}
    for whole in (False, True):
        search = TavilySearch(SecretStr(KEY), tavily.url, whole=whole)
        found[whole] = await search.search("bridges", 5)
    assert found[False] == [Page(*page) for page in PAGES]
    first, second = found[True]
    assert first.text.startswith("Whole.") and "\x00" not in first.text
    assert len(first.text) <= 50_000 and second == Page(*PAGES[1])


async def test_a_server_that_sends_too_many_is_cut_to_the_limit(tavily, search):
    tavily.pages = PAGES
    assert len(await search("bridges", 1)) == 1


async def test_nothing_found_is_an_empty_list(search):
    assert await search("bridges", 5) == []


async def test_results_without_text_are_left_out(tavily, search):
    rows = [{"url": "u", "content": None}, {"title": "t"}, {"content": " "}, "text", None]
    rows.append({"content": "kept", "title": None, "url": None})
    tavily.queue = [Response({"results": rows})]
    assert await search("bridges", 9) == [Page("", "", "kept")]


@pytest.mark.parametrize("status", [400, 401, 403, 429, 432, 500, 503])
async def test_an_error_is_one_sentence_that_names_the_query(tavily, search, status):
    tavily.queue = [Response({"detail": {"error": f"No, {KEY}."}}, status)]
    said = r"^The web search for 'bridges' failed \(.+\)\.$"
    with pytest.raises(WebSearchError, match=said) as error:
        await search("bridges", 5)
    assert KEY not in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "body", [b"<html>", b"", b"[]", b"null", b'{"results": null}', b'{"results": {}}']
)
async def test_a_malformed_reply_is_one_sentence(tavily, search, body):
    tavily.queue = [Response(body)]
    with pytest.raises(WebSearchError, match="failed"):
        await search("bridges", 5)


@pytest.mark.parametrize("slow", [{"seconds": 10}, {"drip": 0.2}], ids=["silent", "drop by drop"])
async def test_a_slow_server_is_given_up_in_time(tavily, search, slow):
    tavily.queue = [Response({"results": []}, **slow)]
    with pytest.raises(WebSearchError, match="failed"):
        await search("bridges", 5)


async def test_a_refused_connection_is_one_sentence():
    search = TavilySearch(SecretStr(KEY), "http://127.0.0.1:9").search
    with pytest.raises(WebSearchError, match="onnect"):
        await search("bridges", 5)


@pytest.mark.parametrize("environment", [{}, {"TAVILY_API_KEY": ""}])
def test_without_a_key_there_is_no_web(monkeypatch, environment):
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    assert web_search(Settings()) is None
