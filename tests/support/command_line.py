"""The command line, run in the process of a test."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest
from ragraphs.cli.main import main

FORTH = "The Forth Bridge was designed by John Fowler and Benjamin Baker."


class Ended(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


def assert_one_sentence(ended: Ended, code: int, words: str) -> None:
    """A command said one sentence, which has ``words``, and ended with ``code``."""
    assert ended.code == code
    assert ended.out == ""
    assert words in ended.err
    message = ended.err.strip()
    assert message.startswith("ragraphs: ") and "\n" not in message
    assert "Traceback" not in message


def started(command: list[str]) -> subprocess.Popen[str]:
    """A running command, which heeds Ctrl-C even where the tests run in the background."""
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def runner(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    main: Callable[[], None] = main,
) -> Run:
    """Runs ``ragraphs ARGUMENTS...``, or another ``main``, with lexical embeddings."""
    monkeypatch.setenv("RAGRAPHS_EMBEDDINGS", "lexical")
    monkeypatch.setenv("RAGRAPHS_PRICES", "")  # so that a flag's file does not outlive the test

    def run(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["ragraphs", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return Ended(int(ended.value.code or 0), *capsys.readouterr())

    return run
