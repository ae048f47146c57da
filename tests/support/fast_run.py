"""What of a matrix is tried in the fast run; the rest is marked slow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def fast(values: Iterable[Any], *kept: Any) -> list[Any]:
    """The values of a parameter, all but the ``kept`` marked slow.

    @pytest.mark.parametrize("method", fast(METHODS, "basic", "deeprag"))
    """
    return [
        value if value in kept else pytest.param(value, marks=pytest.mark.slow) for value in values
    ]
