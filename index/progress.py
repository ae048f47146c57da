"""Progress of a long step, told to the caller's stream."""

from __future__ import annotations

from collections.abc import Callable

from langgraph.config import get_stream_writer

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
        write({"step": step, "done": done, "total": total})

    return report
