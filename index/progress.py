"""Progress of a long step, told to the caller's stream."""

from __future__ import annotations

from collections.abc import Callable

from langgraph.config import get_stream_writer

from ..models.meter import current_meter

Progress = Callable[[float, int], None]
_LARGE = 1_000_000  # bytes after which the same file is told of again


def progress_of(step: str) -> Progress:
    """A function that tells the caller's stream how many of how many parts of a step are done.

    Outside of any graph it tells nobody.
    """
    try:
        write = get_stream_writer()
    except RuntimeError:
        return lambda done, total: None

    def report(done: float, total: int) -> None:
        pace = current_meter().pace
        told = {"pace": _told(*pace, total - done)} if pace and done < total else {}
        write({"step": step, "done": done, "total": total, **told})

    return report


class FileProgress:
    """Progress within the file behind the first ``done`` of ``total``, told in fractions of one.

    within = FileProgress(report, 3, 10, file.stat().st_size)
    within.add(passage)
    """

    def __init__(self, report: Progress, done: int, total: int, size: int) -> None:
        self._report, self._done, self._total, self._size = report, done, total, size
        self._read = 0
        self._next = self._step = max(size // 100, _LARGE)

    def add(self, text: str) -> None:
        """Counts a part of the file's text, which is told of at every hundredth of a large file."""
        self._read += len(text.encode(errors="replace"))
        if self._next <= self._read < self._size:
            self._next = self._read + self._step
            self._report(round(self._done + self._read / self._size, 4), self._total)


def _told(at_once: int, seconds: float, left: float) -> str:
    """The pace of a server of one's own, with the time for ``left`` more parts."""
    number = "one reply" if at_once == 1 else f"{at_once} replies"
    minutes = round(left * seconds / at_once / 60)
    ends = f"; about {minutes} minute{'s' * (minutes > 1)} left" if minutes else ""
    return f"{number} at a time, {seconds:.2g} s each{ends}"
