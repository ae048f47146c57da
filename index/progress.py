"""Progress of a long step, told to the caller's stream."""

from __future__ import annotations

from collections.abc import Callable

from langgraph.config import get_stream_writer

from ..models.meter import current_meter

Progress = Callable[[int, int], None]


def progress_of(step: str) -> Progress:
    """A function that tells the caller's stream how many of how many parts of a step are done.

    Outside of any graph it tells nobody.
    """
    try:
        write = get_stream_writer()
    except RuntimeError:
        return lambda done, total: None

    def report(done: int, total: int) -> None:
        pace = current_meter().pace
        told = {"pace": _told(*pace, total - done)} if pace and done < total else {}
        write({"step": step, "done": done, "total": total, **told})

    return report


def _told(at_once: int, seconds: float, left: int) -> str:
    """The pace of a server of one's own, with the time for ``left`` more parts."""
    number = "one reply" if at_once == 1 else f"{at_once} replies"
    minutes = round(left * seconds / at_once / 60)
    ends = f"; about {minutes} minute{'s' * (minutes > 1)} left" if minutes else ""
    return f"{number} at a time, {seconds:.2g} s each{ends}"
