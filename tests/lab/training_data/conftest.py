"""The command ``lab.training_data``."""

from __future__ import annotations

from functools import partial

import pytest
from command_line import Run, runner
from ragraphs.cli.main import main

from lab.training_data.__main__ import commands


@pytest.fixture
def training_data(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``python -m lab.training_data ARGUMENTS...`` in this process."""
    return runner(monkeypatch, capsys, partial(main, commands, "python -m lab.training_data"))
