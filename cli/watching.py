"""Following folders: a run after every change, for `ragraphs index` and `ragraphs serve`."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import chain
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Event, Thread

from ..context import IndexContext
from ..settings import settings
from ..state.errors import RagraphsError
from . import show
from .flags import WrongUsageError
from .running import run_index

_QUIET, _LONGEST, _LOOK = 200, 2000, 500  # ms without a change, of gathering, between two looks
_PAUSES = (5.0, 15.0, 60.0)  # seconds before a run that failed is tried again


def folders_to_follow(sources: Sequence[str]) -> list[Path]:
    """The folders that ``sources`` name. Raises RagraphsError for others, or without watchfiles."""
    folders = [Path(os.path.abspath(settings().base / Path(one).expanduser())) for one in sources]
    for source, folder in zip(sources, folders, strict=True):
        if not folder.is_dir():
            raise WrongUsageError(
                f"--watch follows folders, and {source!r} is none; name the folder that it is in."
            )
    if not folders:
        raise WrongUsageError("--watch follows folders; name one or more.")
    if find_spec("watchfiles") is None:
        raise RagraphsError(
            "--watch needs a package that is not installed: pip install 'ragraphs[watch]'."
        )
    return folders


def bring_up_to_date(times: Iterable[None], changes: Changes, run: Callable[[], None]) -> None:
    """Does ``run`` at all ``times``, such as ``changes``, and once more where it failed."""
    failed = 0
    for _ in times:
        try:
            run()
            failed = 0
        except RagraphsError as error:
            pause = _PAUSES[min(failed, len(_PAUSES) - 1)]
            show.problem(f"{error} It is tried again in {pause:.0f} s, or at the next change.")
            failed += 1
            changes.come_back(pause)


@contextmanager
def following(sources: Sequence[str], index: str) -> Iterator[None]:
    """Keeps ``index`` up to date with folders in a process of its own, while the block lasts.

    It takes no processor from the threads of this one, and ends with it, however that ends.
    """
    folders = folders_to_follow(sources)
    process = get_context("spawn").Process(target=_follow_alone, args=(folders, index), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join()


def _follow_alone(folders: Sequence[Path], index: str) -> None:
    """Follows folders until the process that has begun this one ends, or SIGTERM."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the other process's to tell
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    context = IndexContext(index=index)
    changes = Changes(folders, context.folder)

    def end() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            changes.stop()

    def run() -> None:
        run_index({"sources": list(map(str, folders))}, context, waits=True)

    Thread(target=end, daemon=True).start()
    with suppress(KeyboardInterrupt), changes.followed():
        bring_up_to_date(chain([None], changes), changes, run)


class Changes:
    """Whether anything in ``folders`` has changed since it was asked last.

    Files below ``without`` and hidden ones do not count. Iterating waits for the next change; those
    that come together are one, and none that comes while a caller is at work is lost.
    """

    def __init__(self, folders: Sequence[Path], without: Path) -> None:
        self._folders, self._without = folders, Path(os.path.abspath(without))
        self._changed, self._follows, self._stopped = Event(), Event(), Event()
        self._failure: Exception | None = None
        self._again = float("inf")

    def __iter__(self) -> Iterator[None]:
        while not self._stopped.is_set():
            # In pieces, since on Windows nothing else ends it.
            if not self._changed.wait(_LOOK / 1000) and time.monotonic() < self._again:
                continue
            self._raise_failure()
            self._again = float("inf")
            self._changed.clear()
            yield

    def come_back(self, seconds: float) -> None:
        """Has a change come after so many seconds at the latest."""
        self._again = time.monotonic() + seconds

    def stop(self) -> None:
        """Ends iterating, and all looking for changes."""
        self._stopped.set()

    @contextmanager
    def followed(self) -> Iterator[Changes]:
        """Looks for changes while the block lasts: of all that comes after its begin, none is lost.

        Raises RagraphsError where the system does not allow it.
        """
        thread = Thread(target=self._follow, name="ragraphs-watch", daemon=True)
        thread.start()
        try:
            self._follows.wait()
            self._raise_failure()
            self._changed.clear()  # whoever enters looks at all there is
            yield self
        finally:
            self.stop()
            thread.join()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise RagraphsError(
                f"The folders cannot be followed ({self._failure}); where the system has no more "
                "watches, raise its limit, or set WATCHFILES_FORCE_POLLING=true."
            ) from self._failure

    def _follow(self) -> None:
        try:
            while not self._stopped.is_set():
                self._follow_once()
        except Exception as error:
            self._failure = error
        self._changed.set()
        self._follows.set()

    def _follow_once(self) -> None:
        """Follows the folders until one of them is another one, or there is none."""
        from watchfiles import watch

        known = self._identities()
        if None in known:
            self._stopped.wait(_LOOK / 1000)
            return
        first = True
        for changes in watch(
            *self._folders,
            watch_filter=None,
            debounce=_LONGEST,
            step=_QUIET,
            rust_timeout=_LOOK,
            yield_on_timeout=True,
            stop_event=self._stopped,
        ):
            if first or any(self._counts(Path(path)) for _, path in changes):
                self._changed.set()
            first = False
            self._follows.set()
            if self._identities() != known:
                self._changed.set()
                break

    def _identities(self) -> list[tuple[int, int] | None]:
        """Device and inode of each folder; None for one that is gone."""
        return [_identity(folder) for folder in self._folders]

    def _counts(self, path: Path) -> bool:
        if path.is_relative_to(self._without):
            return False
        below = [path.relative_to(one).parts for one in self._folders if path.is_relative_to(one)]
        hidden = [any(part.startswith(".") for part in parts) for parts in below]
        return not hidden or not all(hidden)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
