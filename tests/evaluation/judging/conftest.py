"""A copy of an index with communities, and the command that compares answers from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from graphrag_support import build_once
from judging_support import BEST, WORSE, Judged
from shared_stores import copy_of


@pytest.fixture(scope="session")
def communities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with communities; not to be written to."""
    return build_once(tmp_path_factory.mktemp("judged"))


@pytest.fixture
def judged(run: Run, communities: Path, tmp_path: Path, openai: Any) -> Judged:
    """The command on a copy of the index, whose questions and answers are in a file."""
    return Judged(run, copy_of(communities, tmp_path / "index"), openai)


@pytest.fixture
def compared(judged: Judged) -> Callable[..., Any]:
    """Conditions of known worth, compared on questions of one's own."""

    def compare(*arguments: str, conditions: Sequence[str] = (WORSE, BEST), n: int = 8) -> Any:
        Path("own.txt").write_text("".join(f"What is shared, {place}?\n" for place in range(n)))
        named = [word for one in conditions for word in ("--condition", one)]
        return judged("--question-file", "own.txt", *named, *arguments)

    return compare
