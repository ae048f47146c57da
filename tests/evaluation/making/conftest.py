"""An index, a model that writes a set from it, and the set."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from set_writer import SetWriter, write_documents
from snapshots import Snapshots
from stub_openai import OpenAIStub

MODEL = ("--model", "openai:stub", "--max-retries", "0")


@pytest.fixture
def writer(run: Run, openai: OpenAIStub, snapshots: Snapshots) -> SetWriter:
    """A model that writes sets, and an index with hops of the documents that it knows."""
    write_documents()
    layers = ("--layers", "hops,sentences")
    snapshots.fill("notes", lambda: run("index", "docs", "--index", "notes", *layers, "-y"))
    return SetWriter(openai)


@pytest.fixture
def make(run: Run) -> Callable[..., Any]:
    """Makes a set in the folder ``into``, and gives what the command tells."""

    def make(*arguments: str, into: str = "made") -> Any:
        wanted = ("evaluate", "make-set", into, "--index", "notes", *MODEL, *arguments)
        ended = run(*wanted, "--json")
        assert (ended.code, ended.err) == (0, "")
        return json.loads(ended.out)

    return make


@pytest.fixture
def rows() -> Callable[..., list[dict[str, Any]]]:
    """Reads the rows of a file of a set."""

    def rows(name: str = "questions", folder: str = "made") -> list[dict[str, Any]]:
        lines = (Path(folder) / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    return rows
