"""The process that reads files: requests come in by its input, the text of files goes out."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import struct
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

from ...state.records import Metadata
from .blocks import sliced
from .load import load
from .types import DocumentBlock, Limits, LoadedDocument, LoadError, LoadFailure

_MESSAGE_CHARACTERS = 256 * 1024
_LARGE_SHARE = 0.2  # of the memory allowed: a process that took more begins anew
_LENGTH = struct.Struct(">I")
MOST_BYTES = 256 * 1024 * 1024  # of a message
READY: list[object] = []  # the first message: from now on time counts
NO_MEMORY = 3  # the code with which a process ends that took too much of it


class ReadRequest(NamedTuple):
    """A file to read in at most ``seconds``: all of it, or of some ``rows`` only the beginnings.

    The other fields are the arguments of ``load``.
    """

    path: Path
    name: str
    root: Path | None
    limits: Limits
    seconds: float
    rows: int = 0


class End(NamedTuple):
    """The end of a file; ``goes_on`` tells whether the process reads another."""

    goes_on: bool


# A document of a file of rows is whole; the blocks of any other follow it.
Event = LoadedDocument | LoadFailure | LoadError | str | End


def main() -> None:
    """Reads files until nobody asks any more, or whoever asked is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks decides what ends with it
    requests, answers = _taken(0, os.O_RDONLY, "rb"), _taken(1, os.O_WRONLY, "wb")
    asked: queue.Queue[ReadRequest] = queue.Queue()
    threading.Thread(target=_listen, args=(requests, asked), daemon=True).start()
    write(answers, READY)
    goes_on = True
    while goes_on:
        request = asked.get()
        _limit(request)
        for events in _messages(_events(request)):
            write(answers, events)
            goes_on = not any(isinstance(each, End) and not each.goes_on for each in events)


def write(file: IO[bytes], message: object) -> None:
    """Writes a message, which ``read`` reads."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    file.write(_LENGTH.pack(len(data)) + data)
    file.flush()


def read(file: IO[bytes]) -> object:
    """The next message. Raises EOFError where there is none, or it is too long to be one."""
    head = file.read(_LENGTH.size)
    length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else MOST_BYTES + 1
    if length > MOST_BYTES:
        raise EOFError
    data = file.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


def _taken(descriptor: int, flags: int, mode: str) -> IO[bytes]:
    """The file behind ``descriptor``, for this process alone: libraries print into nothing."""
    file = os.fdopen(os.dup(descriptor), mode)
    nothing = os.open(os.devnull, flags)
    os.dup2(nothing, descriptor)
    os.close(nothing)
    return file


def _listen(requests: IO[bytes], asked: queue.Queue[ReadRequest]) -> None:
    with suppress(EOFError, OSError):
        while isinstance(request := read(requests), ReadRequest):
            asked.put(request)
    os._exit(0)  # whoever asked is gone, whatever is being read


def _limit(request: ReadRequest) -> None:
    """Has the system end this process where it takes more time or memory than it may."""
    try:
        import resource
    except ImportError:  # Windows, where only the time is watched, from outside
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime + request.seconds) + 2
    _lower(resource.RLIMIT_CPU, seconds)
    _lower(resource.RLIMIT_CORE, 0)
    if sys.platform == "linux":
        _lower(resource.RLIMIT_DATA, request.limits.file_bytes)
    else:
        most = request.limits.file_bytes
        threading.Thread(target=_watch_memory, args=(most,), daemon=True).start()


def _lower(kind: int, most: int) -> None:
    import resource

    hard = resource.getrlimit(kind)[1]
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (allowed, hard))


def _watch_memory(most: int) -> None:
    while _memory() <= most:
        time.sleep(0.1)
    os._exit(NO_MEMORY)


def _memory() -> int:
    """The memory of this process, in bytes; where only its peak is told, that; else 0."""
    # On Linux the peak counts what the process had that began this one.
    with suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _events(request: ReadRequest) -> Iterator[Event]:
    limits = request.limits
    try:
        if request.rows:
            yield from beginnings(request.path, request.root, limits, request.rows)
        else:
            loading = load(request.path, name=request.name, root=request.root, limits=limits)
            for loaded in loading:
                yield from _told(loaded)
    except MemoryError:
        yield no_memory(request.name, limits)
        yield End(goes_on=False)
        return
    yield End(goes_on=_memory() <= limits.file_bytes * _LARGE_SHARE)


def beginnings(path: Path, root: Path | None, limits: Limits, rows: int) -> Iterator[str]:
    """The first block of each of the first ``rows`` documents of a file that can be read."""
    with suppress(LoadError):
        for loaded in islice(load(path, root=root, limits=limits), rows):
            if isinstance(loaded, LoadedDocument):
                yield from islice(sliced(loaded.blocks), 1)


def no_memory(name: str, limits: Limits) -> LoadError:
    """The error for a file that took too much memory."""
    return LoadError(
        f"{name} takes more than {limits.file_bytes // 2**20:,} MB of memory to read, so it was "
        "left out; split it, or raise RAGRAPHS_FILE_MEGABYTES."
    )


def _told(loaded: LoadedDocument | LoadFailure) -> Iterator[Event]:
    if isinstance(loaded, LoadFailure) or loaded.id:
        yield loaded
        return
    yield replace(loaded, blocks=())
    try:
        yield from sliced(loaded.blocks)
    except LoadError as error:
        yield error


def _messages(events: Iterable[Event]) -> Iterator[list[Event]]:
    """The events in messages of about the same length."""
    message: list[Event] = []
    length = 0
    for event in events:
        message.append(event)
        length += _length(event)
        if length > _MESSAGE_CHARACTERS or isinstance(event, End):
            yield message
            message, length = [], 0


def _length(event: Event) -> int:
    if isinstance(event, LoadedDocument):
        return 200 + sum(map(_length, event.blocks)) + _size(event.metadata)
    if isinstance(event, DocumentBlock):
        return len(event) + sum(200 + _size(metadata) for _, metadata in event.places)
    return len(event) if isinstance(event, str) else 200


def _size(metadata: Metadata) -> int:
    return sum(len(value) for value in metadata.values() if isinstance(value, str))
