"""The question set, a model that answers and judges, and a way to read results."""

from __future__ import annotations

import json
from typing import Any

import pytest
from question_set import write_set
from statements_support import Judge


@pytest.fixture
def judge(openai) -> Judge:
    """The model."""
    openai.answer = Judge()
    return openai.answer


@pytest.fixture
def question_set() -> str:
    """The folder of the question set."""
    write_set()
    return "set"


@pytest.fixture
def measure(run):
    """Runs a command of `ragraphs evaluate`, and gives what it prints with ``--json``."""

    def measured(*arguments: str) -> Any:
        ended = run("evaluate", *arguments, "--json")
        assert (ended.code, ended.err) == (0, ""), ended
        return json.loads(ended.out)

    return measured
