"""The threads in which a server's event loop does what blocks."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from ..models.meter import current_meter

T = TypeVar("T")
_INDEXING = 6  # the steps of two runs side by side


class Threads(ThreadPoolExecutor):
    """Threads for questions and pages; what a run of indexing does has others of its own.

    So a run whose work hangs takes no thread from those who ask.

    asyncio.get_running_loop().set_default_executor(Threads())
    """

    def __init__(self) -> None:
        super().__init__(thread_name_prefix="ragraphs-serve")
        self._indexing = ThreadPoolExecutor(_INDEXING, thread_name_prefix="ragraphs-indexing")

    def submit(self, work: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Begins ``work`` in a thread, by whether the caller is a node of an indexing run."""
        if current_meter().indexing:
            return self._indexing.submit(work, *args, **kwargs)
        return super().submit(work, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the threads, once their work is done."""
        self._indexing.shutdown(wait, cancel_futures=cancel_futures)
        super().shutdown(wait, cancel_futures=cancel_futures)
