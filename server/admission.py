"""How much a server does at once; who comes beyond that is refused before it costs anything."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, TypeVar

from starlette.datastructures import State
from starlette.requests import Request

from ..models.caller import calling
from ..models.day import count_request
from ..models.figures import PLACES, REFUSED, note
from ..settings import settings
from ..state.errors import RagraphsError, UnavailableError

T = TypeVar("T")
_own: ContextVar[Slot | None] = ContextVar("own", default=None)

_QUESTIONS_WAIT = 2.0  # seconds
_RUNS = 2  # of indexing at once: what they do takes the processor from questions
_RUNS_WAIT = 20.0
_MOST_RUNS_WAIT = 100
_UPLOADS = 2  # at once: the small files of each are in memory until they are kept
_UPLOADS_WAIT = 5.0
_AGAIN = (2, 6)  # seconds, by chance: those who were refused together shall not return together
_BUSY = "The server is at work on as many {of} as it takes at once; send this again in {again} s."


class BusyError(UnavailableError):
    """The server does as much as it does at once; it may be asked ``again`` after so many s."""

    status = 503

    def __init__(self, of: str) -> None:
        self.again = random.randint(*_AGAIN)
        super().__init__(_BUSY.format(of=of, again=self.again))


class QuotaError(BusyError):
    """The caller has asked as often as it may today."""

    status = 429

    def __init__(self, most: int) -> None:
        self.again = 86_400 - int(time.time()) % 86_400
        UnavailableError.__init__(
            self,
            f"Your limit for today ({most:,} requests) is reached; it begins anew at 00:00 UTC.",
        )


class LeftError(RagraphsError):
    """The client has left, and nobody reads why there is no answer."""

    def __init__(self) -> None:
        super().__init__("The client left before the answer came.")


class Slots:
    """At most ``most`` requests at work; more of them wait ``seconds`` for their turn.

    No more may wait than work, or than ``waiting``. Where ``admit`` raises, none is taken.

    async with places.taken():
        ...
    """

    def __init__(
        self,
        most: int,
        seconds: float,
        of: str,
        waiting: int | None = None,
        admit: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._admit = admit
        self._free = asyncio.Semaphore(most)
        self._most, self._seconds, self._of = waiting or most, seconds, of
        self._waiting = 0

    @asynccontextmanager
    async def taken(self, most: float | None = None) -> AsyncIterator[None]:
        """A place for as long as the block lasts."""
        place = await self.take(most)
        try:
            yield
        finally:
            place.free()

    async def take(self, most: float | None = None) -> Slot:
        """A place, in the order in which they were asked for, after ``most`` seconds at the latest.

        Raises BusyError without one, and QuotaError where the caller may have none today.
        """
        try:
            slot = await self._taken_in(self._seconds if most is None else min(most, self._seconds))
            try:
                if self._admit is not None:
                    await self._admit()
            except BaseException:
                slot.free()
                raise
        except BusyError as error:
            note(REFUSED, of=self._of, reason="busy" if error.status == 503 else "quota")
            raise
        _own.set(slot)
        return slot

    async def _taken_in(self, seconds: float) -> Slot:
        """A place after ``seconds`` at the latest. Raises BusyError without one."""
        if self._waiting >= self._most:
            raise BusyError(self._of)
        self._count_waiting(1)
        try:
            async with asyncio.timeout(seconds):
                await self._free.acquire()
        except TimeoutError:
            raise BusyError(self._of) from None
        finally:
            self._count_waiting(-1)
        note(PLACES, of=self._of, state="working")
        return Slot(self._release)

    def _count_waiting(self, more: int) -> None:
        self._waiting += more
        note(PLACES, more, of=self._of, state="waiting")

    def _release(self) -> None:
        note(PLACES, -1, of=self._of, state="working")
        self._free.release()


class Slot:
    """A place that is taken."""

    def __init__(self, release: Callable[[], None]) -> None:
        self._release: Callable[[], None] | None = release

    def free(self, _: Any = None) -> None:
        """Lets the next request have it; where it is free already, this does nothing."""
        release, self._release = self._release, None
        if release is not None:
            release()


def give_way(event: Mapping[str, Any]) -> None:
    """Lets others have the place of this request where ``event`` says that its run only waits.

    When its turn to write the index has come, it works without one: no other run does there.
    """
    if event.get("step") == "wait_for_turn" and (slot := _own.get()) is not None:
        slot.free()


async def _count_question() -> None:
    """Takes a question off the caller's quota. Raises QuotaError where none is left."""
    caller = calling.get()
    if caller is None or caller.requests is None:
        return
    if not await asyncio.to_thread(count_request, settings(), caller):
        raise QuotaError(caller.requests)


def open_places(state: State) -> None:
    """Gives an application its places, in the event loop that serves it."""
    most = settings().questions
    state.questions = Slots(most, _QUESTIONS_WAIT, "questions", admit=_count_question)
    state.runs = Slots(_RUNS, _RUNS_WAIT, "runs of indexing", _MOST_RUNS_WAIT)
    state.uploads = Slots(_UPLOADS, _UPLOADS_WAIT, "uploads")


def questions_of(app: Any) -> Slots:
    """The places for questions to ``app``."""
    places: Slots = app.state.questions
    return places


def runs_of(app: Any) -> Slots:
    """The places for indexing by ``app``."""
    places: Slots = app.state.runs
    return places


def uploads_to(app: Any) -> Slots:
    """The places for uploads to ``app``."""
    places: Slots = app.state.uploads
    return places


async def while_heard(
    request: Request, places: Slots, work: Coroutine[Any, Any, T], most: float | None = None
) -> T:
    """The result of ``work``, done once it has a place; where the client leaves, it ends.

    It waits for the place ``most`` seconds at the latest. Raises BusyError, and LeftError.
    """
    working = asyncio.create_task(apart(work, places, most))
    leaving = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise LeftError
        return working.result()
    finally:
        leaving.cancel()
        working.cancel()


async def _gone(request: Request) -> None:
    """Waits until the client of a request whose body is read closes the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def apart(work: Coroutine[Any, Any, T], places: Slots | None, most: float | None = None) -> T:
    """The result of ``work``, done in a task of its own once it has one of ``places``.

    The task ends with the caller's. AnyIO, which cancels again and again until a task has ended,
    would not let a graph end its nodes.
    """
    working = asyncio.create_task(_placed(work, places, most))
    try:
        await asyncio.wait([working])
        return working.result()
    finally:
        working.cancel()


async def _placed(work: Coroutine[Any, Any, T], places: Slots | None, most: float | None) -> T:
    try:
        async with places.taken(most) if places else nullcontext():
            return await work
    finally:
        work.close()  # where its turn did not come
