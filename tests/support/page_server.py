"""Reads the page's routes as a client does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx

Event = tuple[str, Any]


def events_in(lines: Iterator[str]) -> Iterator[Event]:
    """The names and values of server-sent events, as they come."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def followed(url: str, path: str, body: Any) -> list[Event]:
    """All events of a request to ``path``, or ``refused`` with the sentence in their place."""
    with httpx.stream("POST", f"{url}{path}", json=body, timeout=60) as answer:
        if answer.status_code != 200:
            return [("refused", json.loads(answer.read())["detail"])]
        return list(events_in(answer.iter_lines()))
