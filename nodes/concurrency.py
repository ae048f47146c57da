"""Doing several things at once, and ending them together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def side_by_side(*parts: Coroutine[Any, Any, Any]) -> None:
    """Does all ``parts`` at once; the first failure ends the others, and is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for part in parts:
                group.create_task(part)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def to_its_end(work: Callable[..., T], *arguments: Any) -> T:
    """The result of blocking work, done in a thread.

    A caller that is cancelled waits for it, so that nothing is written after a run has ended.
    """
    thread = asyncio.create_task(asyncio.to_thread(work, *arguments))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        await asyncio.wait([thread])
        raise
