"""The commands of ``lab.experiments``, and a small question set in the working folder."""

from __future__ import annotations

from functools import partial

import pytest
from command_line import Run, runner
from question_set import write_set
from ragraphs.cli.main import main

from lab.experiments.__main__ import experiments


@pytest.fixture
def question_set() -> str:
    """The folder of the question set."""
    write_set()
    return "set"


@pytest.fixture
def experiment(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``python -m lab.experiments ARGUMENTS...`` in this process."""
    return runner(monkeypatch, capsys, partial(main, experiments, "python -m lab.experiments"))
