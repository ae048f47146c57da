"""A small question set in the working folder."""

from __future__ import annotations

import pytest
from question_set import write_set


@pytest.fixture
def question_set() -> str:
    """The folder of the question set."""
    write_set()
    return "set"
