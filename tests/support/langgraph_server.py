"""A running ``langgraph dev`` server, and what a client sees of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from lab.benchmarks.dev_server import DevServer, dev_server


class Server(DevServer):
    """A running server, asked over plain HTTP."""

    def send(self, path: str, body: Any) -> httpx.Response:
        """The response to a request. None may name the folder that the server works in."""
        answer = httpx.post(f"{self.url}{path}", json=body, timeout=60)
        assert str(self.root) not in answer.text
        return answer

    def run(self, graph: str, given: Any, **context: Any) -> Any:
        """The output of a run without a thread, or the error that its client sees."""
        body = {"assistant_id": graph, "input": given, "context": context}
        return self.send("/runs/wait", body).json()

    def refusal(self, graph: str, given: Any, **context: Any) -> str:
        """The sentence that the client of a run that fails can read."""
        answer = self.run(graph, given, **context)
        if "detail" in answer:  # refused before a graph ran
            return str(answer["detail"])
        error = answer["__error__"]
        return str(error["message"])


@contextmanager
def serving(root: Path, *options: str, **environment: str) -> Iterator[Server]:
    """A running server that works in ``root``."""
    with dev_server(root, *options, **environment) as server:
        yield Server(**vars(server))
