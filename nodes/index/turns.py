"""Waiting for one's turn to write an index; small changes that wait are made in one run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from langgraph.config import get_stream_writer

from ...context import IndexContext
from ...state.index import IndexState
from ..run import Run, Update

_MOST = 100  # documents and files that a run takes along


@dataclass(eq=False)
class Change:
    """A change to an index: ``tell`` gets its progress, and ``made`` the update of its run."""

    state: IndexState
    tell: Callable[[dict[str, Any]], None] = field(default_factory=get_stream_writer)
    made: asyncio.Future[Update] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def waits(self) -> bool:
        """Whether it waits its turn where others write."""
        return self.state.get("wait") is not False

    @property
    def size(self) -> int:
        """The number of documents and files that it reads or removes; more than any for triples."""
        size = sum(len(self.state[key]) for key in ("inline", "files", "gone"))
        return size + (_MOST + 1) * bool(self.state["triple_files"])


class WritingTurn:
    """A run that waits for its turn to write, or writes: its own change, and those taken along."""

    def __init__(self, own: Change) -> None:
        self.changes = [own]
        self.has_waited = False
        self._ahead: int | None = None
        self._most = 0

    def tell(self, event: dict[str, Any]) -> None:
        """Tells everybody whose change it is of the progress."""
        for change in self.changes:
            change.tell(event)

    def wait(self, ahead: int) -> None:
        """Notes that so many writers are ``ahead``, and tells how many of the most have ended."""
        self.has_waited, self._most = True, max(self._most, ahead)
        if ahead != self._ahead:
            self._ahead = ahead
            self.tell(self._place())

    def take_along(self, change: Change) -> bool:
        """Whether ``change`` is made, too: it is small, as all others that are taken along."""
        if sum(one.size for one in [*self.changes[1:], change]) > _MOST:
            return False
        self.changes.append(change)
        if self._ahead is not None:
            change.tell(self._place())
        return True

    def _place(self) -> dict[str, Any]:
        done = self._most - (self._ahead or 0)
        return {"step": "wait_for_turn", "done": done, "total": self._most}


_waiting: dict[Hashable, WritingTurn] = {}


async def made_along(change: Change, run: Run[IndexContext]) -> Update | None:
    """The update of ``change`` where a run that waited has made it along with its own.

    None where no run of the same index and settings waits, or the one that does fails.
    """
    turn = _waiting.get(_alike(run)) if change.waits else None
    if turn is None or not turn.take_along(change):
        return None
    try:
        await asyncio.wait([change.made])
    except asyncio.CancelledError:
        if change in turn.changes:
            turn.changes.remove(change)
        raise
    return None if change.made.cancelled() else change.made.result()


@asynccontextmanager
async def turn_of(own: Change, run: Run[IndexContext]) -> AsyncIterator[WritingTurn]:
    """The turn of a run, which has the lock of the index; small changes are taken along."""
    key, turn = _alike(run), WritingTurn(own)
    if own.waits:
        _waiting.setdefault(key, turn)
    try:
        async with run.index.writing(turn.wait if own.waits else None):
            _forget(key, turn)
            yield turn
    finally:
        _forget(key, turn)
        for change in turn.changes:
            change.made.cancel()  # nothing where it has been made


def _forget(key: Hashable, turn: WritingTurn) -> None:
    if _waiting.get(key) is turn:
        del _waiting[key]


def _alike(run: Run[IndexContext]) -> Hashable:
    """The index and the settings of a run, which others have to share to be made along with it."""
    given = run.context
    settings = given.model_dump_json(), frozenset(given.model_fields_set), given.own
    return run.index.location, asyncio.get_running_loop(), *settings
