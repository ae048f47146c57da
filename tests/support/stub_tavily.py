"""A local server that speaks Tavily's search protocol."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from http_stub import HttpStub, Response

KEY = "tvly-stub-0123456789"


class TavilyStub(HttpStub):
    """Finds ``pages``, each (url, title, content), for every query; ``whole`` ones by address."""

    def __init__(self) -> None:
        super().__init__(self._otherwise)
        self.pages: list[tuple[str, str, str]] = []
        self.whole: dict[str, str] = {}

    @property
    def queries(self) -> list[str]:
        return [body["query"] for body in self.bodies]

    def _otherwise(self, path: str, body: Any) -> Response:
        rows: list[dict[str, Any]] = [
            {"url": url, "title": title, "content": content, "score": 0.9}
            for url, title, content in self.pages
        ]
        if body.get("include_raw_content"):
            rows = [row | {"raw_content": self.whole.get(row["url"])} for row in rows]
        return Response({"query": body["query"], "results": rows, "response_time": 0.1})


@contextmanager
def serving_tavily() -> Iterator[TavilyStub]:
    """A running server."""
    stub = TavilyStub()
    try:
        yield stub
    finally:
        stub.close()
