"""Libraries that only evaluations need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..state.errors import RagraphsError


@contextmanager
def evaluate_extra() -> Iterator[None]:
    """Says how to install a library of the extra ``evaluate`` whose import fails in the block."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise RagraphsError(
            f"{error.name} is not installed; run: pip install 'ragraphs[evaluate]'"
        ) from error
