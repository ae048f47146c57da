"""Reading files in a process of their own, which is ended by time, by memory, and on demand."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from types import TracebackType

from .load import load
from .process import Process, taken
from .types import DEFAULT_LIMITS, PLAIN, Limits, LoadedDocument, LoadError, LoadFailure
from .worker import End, Event, ReadRequest, beginnings


class ReadingStoppedError(Exception):
    """Reading was stopped by whoever began it."""


class FileReader:
    """Reads files one after another, all but plain text in a process of its own.

    The process begins with the first file that needs it, and is kept for the next reader.

    >>> with FileReader() as reader:
    ...     titles = [loaded.title for loaded in reader.load(Path("report.pdf"))]
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._process: Process | None = None
        self._stopped = False

    def __enter__(self) -> FileReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def load(
        self, path: Path, *, name: str | None = None, root: Path | None = None
    ) -> Iterator[LoadedDocument | LoadFailure]:
        """The documents of a file as ``load`` gives them, but that blocks may be read only once.

        They are read before the next document is asked for. Blocks; raises ReadingStoppedError.
        """
        if path.suffix.lower() in PLAIN:
            yield from load(path, name=name, root=root, limits=self._limits)
            return
        request = ReadRequest(path, name or path.name, root, self._limits, self._seconds(path))
        events = self._events(request)
        try:
            yield from _documents(events, request.name)
        finally:
            events.close()

    def beginnings(self, path: Path, rows: int, *, root: Path | None = None) -> Iterator[str]:
        """The first block of each of the first ``rows`` documents of a file; none of a broken one.

        Blocks; raises ReadingStoppedError.
        """
        if path.suffix.lower() in PLAIN:
            yield from beginnings(path, root, self._limits, rows)
            return
        request = ReadRequest(path, path.name, root, self._limits, self._seconds(path), rows)
        try:
            yield from (event for event in self._events(request) if isinstance(event, str))
        except LoadError:
            return

    def stop(self) -> None:
        """Ends what another thread is reading, which raises ReadingStoppedError there."""
        self._stopped = True
        if process := self._process:
            process.kill()

    def close(self) -> None:
        """Keeps the process for the next reader. Blocks."""
        process, self._process = self._process, None
        if process:
            process.keep()

    def _seconds(self, path: Path) -> float:
        try:
            return self._limits.seconds_for(path.stat().st_size)
        except OSError:
            return self._limits.seconds_for(0)

    def _events(self, request: ReadRequest) -> Generator[Event, None, None]:
        """Events of reading a file, until its end. Raises LoadError and ReadingStoppedError."""
        goes_on, left = False, request.seconds
        try:
            process = self._asked(request)
            while not goes_on:
                began = monotonic()
                events = self._answer(process, request, left)
                left -= monotonic() - began  # without the time for which nobody asks for more
                for event in events:
                    if isinstance(event, End):
                        goes_on = event.goes_on
                        return
                    yield event
        finally:
            if not goes_on and self._process:
                self._process.end()
                self._process = None

    def _asked(self, request: ReadRequest) -> Process:
        try:
            process = self._process = self._process or taken()
            if self._stopped:
                raise ReadingStoppedError
            process.ask(request)
        except (OSError, EOFError) as error:
            if self._stopped:
                raise ReadingStoppedError from error
            raise LoadError(
                f"{request.name} was not read, because the program that reads it could not be "
                "begun; try again when the machine has more memory."
            ) from error
        return process

    def _answer(self, process: Process, request: ReadRequest, seconds: float) -> list[Event]:
        try:
            return process.answer(seconds)
        except EOFError as error:
            if self._stopped:
                raise ReadingStoppedError from error
            raise process.reason(request.name, request.limits) from error


class _Blocks:
    """The blocks of a document, read once; ``after`` is the event that ended them."""

    def __init__(self, events: Iterator[Event]) -> None:
        self.after: Event | None = None
        self._blocks = self._read(events)

    def __iter__(self) -> Iterator[str]:
        return self._blocks

    def _read(self, events: Iterator[Event]) -> Iterator[str]:
        for event in events:
            if isinstance(event, LoadError):
                raise event
            if not isinstance(event, str):
                self.after = event
                return
            yield event

    def end(self) -> Event | None:
        """Passes over the blocks that nobody read, and returns ``after``."""
        with suppress(LoadError):
            deque(self._blocks, maxlen=0)
        return self.after


def _documents(events: Iterator[Event], name: str) -> Iterator[LoadedDocument | LoadFailure]:
    try:
        event = next(events, None)
        while event is not None:
            if isinstance(event, LoadedDocument) and not event.id:
                blocks = _Blocks(events)
                yield replace(event, blocks=blocks)
                event = blocks.end() or next(events, None)
                continue
            if isinstance(event, LoadError):
                yield LoadFailure(name, str(event))
            elif isinstance(event, LoadedDocument | LoadFailure):
                yield event
            event = next(events, None)
    except LoadError as error:
        yield LoadFailure(name, str(error))
