"""A pseudo-terminal in which a command runs, and a person who reads and types."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
_PATIENCE = 60  # seconds


class Terminal:
    """A running command, all that it has shown, and the keys that reach it."""

    def __init__(self, command: list[str], environment: Mapping[str, str], width: int) -> None:
        self._keys, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        self._running = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color", **environment},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0) and None,
        )
        os.close(theirs)
        self.shown = ""
        self._seen = 0

    def types(self, keys: str) -> None:
        """Types ``keys``; \\n is the return key, \\x03 Ctrl-C, \\x04 Ctrl-D."""
        os.write(self._keys, keys.encode())

    def sees(self, text: str) -> str:
        """Waits for ``text``; gives all from the last text on to it, without escapes."""
        until = time.monotonic() + _PATIENCE
        while (at := self._plain.find(text, self._seen)) < 0:
            assert time.monotonic() < until and self._reads(), f"No {text!r}: {self._plain!r}"
        start, self._seen = self._seen, at + len(text)
        return self._plain[start : self._seen]

    def ends(self) -> tuple[int, str]:
        """The exit code, and the rest of what is shown."""
        while self._reads():
            pass
        return self._running.wait(_PATIENCE), self._plain[self._seen :]

    @property
    def _plain(self) -> str:
        return _ESCAPES.sub("", self.shown)

    def _reads(self) -> bool:
        """Reads what there is, or waits a moment; False at the end."""
        if not select.select([self._keys], [], [], 1)[0]:
            return self._running.poll() is None
        try:
            data = os.read(self._keys, 65_536)
        except OSError:  # the other side is closed
            return False
        self.shown += data.decode(errors="replace")
        return bool(data)

    def close(self) -> None:
        """Ends the command, whatever it does."""
        self._running.kill()
        self._running.wait()
        os.close(self._keys)


@contextmanager
def at_terminal(
    command: list[str], environment: Mapping[str, str] | None = None, width: int = 80
) -> Iterator[Terminal]:
    """A command in a terminal of ``width`` columns."""
    terminal = Terminal(command, environment or {}, width)
    try:
        yield terminal
    finally:
        terminal.close()
