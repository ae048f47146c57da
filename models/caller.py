"""The caller on whose account a server works."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field

from ..state.usage import Ceilings


@dataclass(frozen=True)
class Caller:
    """A caller by ``name``, with the most ``requests``, and ``ceilings`` of models, of a day.

    calling.set(Caller("ada", requests=1000, ceilings=Ceilings(cost=5.0)))
    """

    name: str
    requests: int | None = None
    ceilings: Ceilings = field(default_factory=Ceilings)


calling: ContextVar[Caller | None] = ContextVar("ragraphs_caller", default=None)


def caller_name() -> str:
    """The name of who is calling; empty where the server knows no callers."""
    caller = calling.get()
    return "" if caller is None else caller.name
