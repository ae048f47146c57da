"""The memory of processes, and their processor time."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

_SECONDS_BETWEEN_LOOKS = 0.2


class Memory(NamedTuple):
    """The memory of a process in MiB: all that is resident, and its part that mirrors files.

    The system takes the mirrors of files back as soon as it needs room.
    """

    resident: float
    of_files: float

    @property
    def own(self) -> float:
        """The memory that the process alone holds, in MiB."""
        return self.resident - self.of_files


def processor_seconds() -> float:
    """The processor time of this process and of its ended children, in seconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def memory_of(process: int | str = "self") -> Memory:
    """The memory of the process with that id. Reads /proc, which Linux alone has."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    resident, of_files = (int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssFile"))
    return Memory(resident, of_files)


def processor_seconds_of(process: int) -> float:
    """The processor time of another process and of its children. Reads /proc, as Linux has it."""
    used = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            if process in (int(folder.name), int(fields[1])):
                used += int(fields[11]) + int(fields[12])
    return used / os.sysconf("SC_CLK_TCK")


@contextmanager
def watched_memory() -> Iterator[Callable[[], Memory]]:
    """A function that gives the peak of this process's memory since then, looked at often."""
    highest = [0.0, 0.0]
    ended = threading.Event()

    def look() -> None:
        now = memory_of()
        highest[:] = max(highest[0], now.resident), max(highest[1], now.own)

    def look_often() -> None:
        while not ended.wait(_SECONDS_BETWEEN_LOOKS):
            look()

    def peak() -> Memory:
        look()
        return Memory(highest[0], highest[0] - highest[1])

    threading.Thread(target=look_often, daemon=True).start()
    try:
        yield peak
    finally:
        ended.set()
