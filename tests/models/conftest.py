"""A language model over a local server, with a real reply table."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ragraphs.models.meter import Meter, start_meter


@pytest.fixture
def metering() -> Callable[..., Meter]:
    """Starts a meter with an optional limit of calls; to be called in the test's own task."""
    return lambda calls_left=None: start_meter(calls_left)
