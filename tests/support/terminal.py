"""A pseudo-terminal in which a command runs, and a person who reads and types."""

from __future__ import annotations

import codecs
import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

_PIECE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|(\x1b\[?[0-9;?]*$)|(.)", re.DOTALL)
_PATIENCE = 60  # seconds
_AGAIN = 3  # seconds, after which a person presses a key once more
# The command gets the terminal as its own, and heeds Ctrl-C even where the tests run in the
# background. (`preexec_fn` would do the same, but may hang where the tests have threads.)
_LAUNCHER = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Screen:
    """Lines as they stand after all that was shown: what was erased or written over is gone.

    It scrolls without end, and each character takes one column.
    """

    def __init__(self) -> None:
        self.lines: list[list[str]] = [[]]
        self._row = self._column = 0
        self._begun = ""

    def show(self, text: str) -> None:
        """Writes ``text``, and obeys the escapes in it."""
        pieces = list(_PIECE.finditer(self._begun + text))
        self._begun = (pieces and pieces[-1][3]) or ""
        for number, command, _, character in map(re.Match.groups, pieces):
            if character:
                self._put(character)
            elif command == "A":
                self._row = max(0, self._row - int(number or 1))
            elif command == "K":
                del self.lines[self._row][0 if number == "2" else self._column :]

    def _put(self, character: str) -> None:
        if character == "\r":
            self._column = 0
        elif character == "\n":
            self._row += 1
            if self._row == len(self.lines):
                self.lines.append([])
        elif character == "\b":
            self._column = max(0, self._column - 1)
        elif character.isprintable():
            line = self.lines[self._row]
            line += " " * (self._column - len(line))
            line[self._column : self._column + 1] = character
            self._column += 1


_SIZES = ("COLUMNS", "LINES")


class Terminal:
    """A running command, all that it has shown, and the keys that reach it."""

    def __init__(self, command: list[str], environment: Mapping[str, str], width: int) -> None:
        self._keys, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        # They would go over the size of the terminal.
        plain = {name: value for name, value in os.environ.items() if name not in _SIZES}
        self._running = subprocess.Popen(
            [sys.executable, "-c", _LAUNCHER, *command],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**plain, "TERM": "xterm-256color", **environment},
            start_new_session=True,
        )
        os.close(theirs)
        self._screen = Screen()
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._seen = (0, 0)  # a line, and a place in it

    def types(self, keys: str) -> None:
        """Types ``keys``; \\n is the return key, \\x03 Ctrl-C, \\x04 Ctrl-D."""
        os.write(self._keys, keys.encode())

    def sees(self, text: str) -> str:
        """Waits for ``text``; gives all from the last text on to it."""
        self.waits(lambda: text in self.unseen, repr(text))
        found = self.unseen.partition(text)[0] + text
        line, place = self._seen
        begun = found.rpartition("\n")[2]
        self._seen = (line + found.count("\n"), len(begun) + place * ("\n" not in found))
        return found

    def stops(self, text: str) -> str:
        """Presses Ctrl-C where a line is read, as often as it takes, until ``text`` is there.

        Python's input() misses one that comes between its prompt and its wait for a key.
        """
        pressed = float("-inf")

        def there() -> bool:
            nonlocal pressed
            if text not in self.unseen and time.monotonic() - pressed > _AGAIN:
                pressed = time.monotonic()
                self.types("\x03")
            return text in self.unseen

        self.waits(there, repr(text))
        return self.sees(text)

    def waits(self, until: Callable[[], object], name: str = "end") -> None:
        """Waits until ``until()`` is true; one that never comes is told by ``name``."""
        latest = time.monotonic() + _PATIENCE
        while not until():
            assert time.monotonic() < latest and self._reads(), f"No {name}: {self.unseen!r}"

    def ends(self) -> tuple[int, str]:
        """The exit code, and the rest of what is shown."""
        while self._reads():
            pass
        return self._running.wait(_PATIENCE), self.unseen

    @property
    def unseen(self) -> str:
        """All that stands after the last text that was seen."""
        line, place = self._seen
        first, *others = ("".join(one) for one in self._screen.lines[line:])
        return "\n".join([first[place:], *others])

    def _reads(self) -> bool:
        """Reads what there is, or waits a moment; False at the end."""
        if not select.select([self._keys], [], [], 0.1)[0]:
            return self._running.poll() is None
        try:
            data = os.read(self._keys, 65_536)
        except OSError:  # the other side is closed
            return False
        self._screen.show(self._decoder.decode(data))
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
