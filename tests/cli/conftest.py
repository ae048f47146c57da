"""Fixtures of the command line: an index of a few documents, and a model that follows a script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import FORTH, Run
from scripted_model import DOCUMENTS, Script
from snapshots import Snapshots
from stub_openai import OpenAIStub


@pytest.fixture
def index(run: Run, openai: OpenAIStub, snapshots: Snapshots) -> None:
    """An index of the documents' passages alone, while a server stands in for OpenAI's."""
    Path("corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in DOCUMENTS))
    snapshots.fill(".ragraphs", lambda: run("index", "corpus.jsonl", "--layers", "passages"))


@pytest.fixture
def docs() -> Path:
    """A folder of two documents."""
    folder = Path.cwd() / "docs"
    folder.mkdir()
    (folder / "forth.txt").write_text(FORTH)
    (folder / "sonata.md").write_text("# Sonata\n\nA sonata is a piece of music.")
    return folder


@pytest.fixture
def script(openai: OpenAIStub) -> Script:
    """The model that the server plays."""
    return Script(openai)
