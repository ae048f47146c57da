"""The part of a matrix that the fast run tries; the rest is marked slow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def fast(values: Iterable[Any], *kept: Any) -> list[Any]:
    """The values of a parameter, or of several as tuples, all but the ``kept`` marked slow.

    @pytest.mark.parametrize("method", fast(METHODS, "basic", "deeprag"))
    """
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    kept = tuple(value if isinstance(value, tuple) else (value,) for value in kept)
    return [pytest.param(*row, marks=() if row in kept else pytest.mark.slow) for row in rows]
