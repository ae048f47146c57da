"""Doing several things at once, and ending them together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")

# A thread keeps the memory that its largest work took; Python runs one of them at a time anyway.
FEW_THREADS = ThreadPoolExecutor(2, thread_name_prefix="ragraphs-work")


async def side_by_side(*parts: Coroutine[Any, Any, Any]) -> None:
    """Does all ``parts`` at once; the first failure ends the others, and is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for part in parts:
                group.create_task(part)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def to_its_end(work: Callable[..., T], *arguments: Any, threads: Executor = FEW_THREADS) -> T:
    """The result of blocking work, done in one of ``threads``.

    A caller that is cancelled waits for it, so that nothing is written after a run has ended.
    """
    loop = asyncio.get_running_loop()
    thread = loop.run_in_executor(threads, copy_context().run, work, *arguments)
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        await asyncio.wait([thread])
        raise
