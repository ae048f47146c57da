"""The other end of the process that reads files: it is begun, asked, timed, kept and ended."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Timer
from typing import IO

from . import worker
from .types import Limits, LoadError

_MOST_KEPT = 2
_KEPT_SECONDS = 20.0
_BEGIN_SECONDS = 60.0
_LAST_SECONDS = 5.0
_SIGKILL, _SIGXCPU = (int(getattr(signal, name, 0)) for name in ("SIGKILL", "SIGXCPU"))
# Not as a module: files of the folder that it begins in would be taken for Python's own.
_PROGRAM = f"import sys; sys.path[:] = sys.argv[1:]; from {worker.__name__} import main; main()"
# Libraries for arrays would begin threads, each with memory of its own.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class Process:
    """A process that reads files, one at a time."""

    def __init__(self) -> None:
        self._popen = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ONE_THREAD},
        )
        self._timer: Timer | None = None
        self._is_ready = False
        self.is_late = False

    def ask(self, request: worker.ReadRequest) -> None:
        """Sends a request. Raises OSError or EOFError where the process has ended.

        Blocks until the process has begun.
        """
        if not self._is_ready:
            self.answer(_BEGIN_SECONDS)
            self._is_ready = True
        worker.write(_open(self._popen.stdin), request)

    def answer(self, seconds: float) -> list[worker.Event]:
        """Some events of the file; raises EOFError where the process ends, now or in ``seconds``.

        Blocks. A process that has not answered by then ``is_late``.
        """
        timer = _in_time(seconds, self._end_late)
        try:
            events = worker.read(_open(self._popen.stdout))
        finally:
            timer.cancel()
        if not isinstance(events, list):
            raise EOFError
        return events

    def _end_late(self) -> None:
        self.is_late = True
        self.kill()

    def kill(self) -> None:
        """Ends the process at once, from any thread."""
        self._popen.kill()

    def reason(self, name: str, limits: Limits) -> LoadError:
        """Why the process ended while it read the file ``name``. Blocks for some milliseconds."""
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(_LAST_SECONDS)
        code = self._popen.poll()
        if self.is_late or code == -_SIGXCPU:
            return LoadError(
                f"{name} took too long to read, so it was left out; split it, or raise "
                f"RAGRAPHS_FILE_SECONDS (now {limits.file_seconds:g})."
            )
        if code in (worker.NO_MEMORY, -_SIGKILL):
            return worker.no_memory(name, limits)
        return LoadError(f"{name} broke the program that reads it; save its text as .txt.")

    def end(self) -> None:
        """Ends the process. Blocks for some milliseconds."""
        self._popen.kill()
        for pipe in (self._popen.stdin, self._popen.stdout):
            with suppress(OSError):  # what was not sent yet
                _open(pipe).close()
        self._popen.wait()

    def keep(self) -> None:
        """Keeps the process for a while for whoever needs one; ends it where enough are kept."""
        with _lock:
            if is_kept := len(_kept) < _MOST_KEPT:
                _kept.append(self)
                self._timer = _in_time(_KEPT_SECONDS, self._forget)
        if not is_kept:
            self.end()

    def take(self) -> bool:
        """Whether the process, kept until now, still lives."""
        if self._timer:
            self._timer.cancel()
        return self._popen.poll() is None

    def _forget(self) -> None:
        with _lock:
            if self not in _kept:
                return
            _kept.remove(self)
        self.end()


_kept: list[Process] = []
_lock = Lock()


def taken() -> Process:
    """A process that was kept, or a new one. Raises OSError where none can be begun."""
    while True:
        with _lock:
            kept = _kept.pop() if _kept else None
        if kept is None:
            return Process()
        if kept.take():
            return kept
        kept.end()


def end_kept() -> None:
    """Ends all processes that are kept."""
    with _lock:
        kept, _kept[:] = list(_kept), []
    for process in kept:
        process.take()
        process.end()


def _in_time(seconds: float, action: Callable[[], object]) -> Timer:
    timer = Timer(max(0.0, seconds), action)
    timer.daemon = True
    timer.start()
    return timer


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # both were asked for
    return pipe


atexit.register(end_kept)
if hasattr(os, "register_at_fork"):
    # A fork that asked the process of its parent would take its answers.
    os.register_at_fork(after_in_child=_kept.clear)
