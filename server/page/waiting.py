"""Runs that wait for a person, held in the memory of this process."""

from __future__ import annotations

import time
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from ...context import RouterContext
from ...models.caller import caller_name
from ...nodes.confirming import allowed_texts
from ...nodes.crag.search_web import MOST_QUERIES, confirmed_queries
from ...nodes.deeprag.confirm import confirmed_plan
from ...state.errors import RagraphsError

_MOST = 100
_SECONDS = 3600.0
_GONE = (
    "This run is not held here any more: an hour has passed, the server was started anew, or "
    "another of its processes holds it. Ask the question again."
)
_BAD_QUERIES = f"Give one to {MOST_QUERIES} queries, none of them empty; or do not search the web."
_BAD_STEP = "Give one sub-question in words; or look up none."
_BAD_PLAN = (
    "Give one to {most} sub-questions, each another one and none the question itself, in which #1 "
    "stands for the answer of the first; or look up none of them."
)


@dataclass(frozen=True)
class WaitingRun:
    """A run of ``graph``, which keeps its own checkpoints, and what it ``shows`` its caller."""

    graph: Any
    context: RouterContext
    shows: dict[str, Any]
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    since: float = field(default_factory=time.monotonic)
    caller: str = field(default_factory=caller_name)

    def told(self) -> dict[str, Any]:
        """The run as the page shows it: its kind, the sentence and the items to be confirmed."""
        web = "queries" in self.shows
        return {
            "run": self.id,
            "kind": "web" if web else "plan",
            "message": self.shows["message"],
            "items": self.shows["queries" if web else "questions"],
            "most": MOST_QUERIES if web else self.shows["most"],
        }

    def check(self, items: list[str] | bool) -> None:
        """Raises RagraphsError for ``items`` that the run would not take for an answer."""
        shows = self.shows
        clear: list[Any] | None
        if "queries" in shows:
            clear, problem = confirmed_queries(items, shows["queries"]), _BAD_QUERIES
        elif "question" in shows:
            clear = confirmed_plan(items, shows["questions"], shows["question"], shows["most"])
            problem = _BAD_PLAN.format(most=shows["most"])
        else:
            clear, problem = allowed_texts(items, shows["questions"], 1), _BAD_STEP
        if clear is None:
            raise RagraphsError(problem)


class WaitingRuns:
    """At most a hundred runs that wait, each for at most an hour; the oldest are given up first.

    runs = WaitingRuns()
    runs.hold(run)
    runs.waiting(run.id).check(["my own words"])
    """

    def __init__(self, most: int = _MOST, seconds: float = _SECONDS) -> None:
        self._most, self._seconds = most, seconds
        self._runs: OrderedDict[str, WaitingRun] = OrderedDict()

    def hold(self, run: WaitingRun) -> None:
        """Keeps ``run``."""
        self._runs[run.id] = run
        self._give_up()

    def waiting(self, id: str) -> WaitingRun:
        """The caller's run ``id``. Raises RagraphsError where it is not held any more."""
        self._give_up()
        if (run := self._runs.get(id)) is None or run.caller != caller_name():
            raise RagraphsError(_GONE)
        return run

    def take(self, run: WaitingRun) -> None:
        """Gives ``run`` out of hand, since it goes on."""
        self._runs.pop(run.id, None)

    def _give_up(self) -> None:
        oldest = time.monotonic() - self._seconds
        while self._runs:
            first = next(iter(self._runs.values()))
            if len(self._runs) <= self._most and first.since >= oldest:
                break
            del self._runs[first.id]
