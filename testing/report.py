"""The report on a part: which checks it passed, and whether ragraphs needs them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeVar

from ..language.analyser import one_line, shortened
from ..state.errors import RagraphsError

T = TypeVar("T")
Checking = Callable[[T], Awaitable[None]]
_SECONDS = 120.0
_LONGEST = 300


class PartCheck(NamedTuple):
    """A check by its ``name``, and what it ``says`` of the part; ``problem`` is why it failed.

    Where it is not ``needed``, it tells what the part can do besides.
    """

    name: str
    says: str
    needed: bool
    problem: str = ""


@dataclass(frozen=True)
class PartReport:
    """The checks of a part.

    report = check_retriever(MyRetriever(), "Who designed the Forth Bridge?")
    assert report.capabilities["metadata"], report
    report.require()
    """

    part: str
    checks: tuple[PartCheck, ...]

    @property
    def capabilities(self) -> dict[str, bool]:
        """Whether the part passed each check, by its name."""
        return {check.name: not check.problem for check in self.checks}

    def require(self) -> Self:
        """The report itself. Raises RagraphsError where the part failed a check that is needed."""
        failed = [check for check in self.checks if check.needed and check.problem]
        if failed:
            told = "; ".join(f"{check.name}: {check.problem}" for check in failed)
            raise RagraphsError(f"{self.part} cannot be used by ragraphs ({told}).")
        return self

    def __str__(self) -> str:
        """A line for each check: ``ok``, ``FAIL`` where it is needed, ``no`` where it is not."""
        lines = [self.part]
        for check in self.checks:
            said = "ok" if not check.problem else "FAIL" if check.needed else "no"
            reason = f" ({check.problem})" if check.problem else ""
            lines.append(f"  {said:<4}  {check.name}: {check.says}{reason}")
        return "\n".join(lines)


def require(holds: object, otherwise: str) -> None:
    """Fails a check, for the reason ``otherwise``, unless ``holds``."""
    if not holds:
        raise AssertionError(otherwise)


def report_on(
    part: str, subject: T, needed: Sequence[Checking[T]], more: Sequence[Checking[T]]
) -> PartReport:
    """The report on ``subject``, called ``part``, by the ``needed`` checks and by ``more``.

    It is made in a thread with an event loop of its own, so that any program can ask for it.
    """

    async def checked() -> tuple[PartCheck, ...]:
        return tuple(
            [await _checked(check, subject, check in needed) for check in (*needed, *more)]
        )

    with ThreadPoolExecutor(1) as thread:
        return PartReport(part, thread.submit(asyncio.run, checked()).result())


async def _checked(check: Checking[T], subject: T, needed: bool) -> PartCheck:
    problem = ""
    try:
        async with asyncio.timeout(_SECONDS):
            await check(subject)
    except AssertionError as error:
        problem = str(error)
    except Exception as error:  # whatever somebody's own part raises is what there is to tell
        problem = f"{type(error).__name__}: {error}"
    says = (check.__doc__ or "").rstrip(".")
    name = check.__name__  # type: ignore[attr-defined]
    return PartCheck(name, says, needed, shortened(one_line(problem), _LONGEST))
