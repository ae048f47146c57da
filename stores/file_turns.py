"""The lock file of an index in a folder, and the queue of those who want it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import RLock

from filelock import FileLock, Timeout

from .schema import LOCK

_GUARD = "queue"
_LONGEST = 10.0  # seconds to wait for the others' look at the queue


class FileTurn:
    """One writer's place before the lock file of the index in ``folder``, and then the lock.

    A place is a file with a number, locked while its process lives; so a writer that was killed
    holds nobody up. Whoever looks at the files, or makes one, does so alone. All methods block.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
        self._number = 0
        self._place: FileLock | None = None
        self._has_ended = False
        self._one_at_a_time = RLock()

    def join(self) -> None:
        """Takes the last place of the queue."""
        with self._one_at_a_time, self._alone():
            if not self._has_ended:
                self._number = max(self._taken(), default=0) + 1
                self._place = self._place_of(self._number)
                self._place.acquire()

    def ahead(self) -> int:
        """The number of writers that came before this one and have not ended."""
        with self._one_at_a_time, self._alone():
            return sum(number < self._number for number in self._taken())

    def take(self) -> bool:
        """Whether the lock is now this writer's."""
        with self._one_at_a_time:
            if not self._has_ended:
                with suppress(Timeout):
                    self._lock.acquire()
                    return True
            return False

    def end(self) -> None:
        """Gives back lock and place for good, also where a thread is just about to take them."""
        with self._one_at_a_time:
            self._has_ended = True
            self._lock.release()
            if self._place is not None:
                with self._alone():
                    self._place.release()
                    self._path(self._number).unlink(missing_ok=True)

    def _taken(self) -> Iterator[int]:
        """The numbers of all places but this one's; files of writers that were killed are removed.

        To be called alone.
        """
        for path in self._folder.glob(f"{LOCK}.*"):
            number = path.suffix[1:]
            if number.isdecimal() and int(number) != self._number:
                try:
                    with self._place_of(int(number)):
                        pass
                    path.unlink(missing_ok=True)
                except Timeout:
                    yield int(number)

    def _alone(self) -> FileLock:
        return FileLock(self._folder / f"{LOCK}.{_GUARD}", timeout=_LONGEST, thread_local=False)

    def _place_of(self, number: int) -> FileLock:
        return FileLock(self._path(number), timeout=0, thread_local=False)

    def _path(self, number: int) -> Path:
        return self._folder / f"{LOCK}.{number}"
