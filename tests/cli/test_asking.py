"""`ragraphs ask` beside a `ragraphs serve` of the same index, which answers in its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ragraphs import IndexContext, index_graph
from scripted_model import DOCUMENTS, QUESTION
from tool_server import serving_questions

NAMES = ("notes", "others")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the indexes ``notes`` and ``others``."""
    root = tmp_path_factory.mktemp("indexes")
    for name in NAMES:
        context = IndexContext(index=str(root / name), embeddings="lexical")
        index_graph.invoke({"documents": DOCUMENTS}, context=context)
    return root


@pytest.fixture(scope="module")
def file(root: Path) -> Iterator[Path]:
    """The file that says where ``notes`` is served."""
    with serving_questions(root, "--index", "notes"):
        yield root / "notes" / "serving.json"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The questions that the command line answers itself, with nothing."""
    asked: list[Any] = []

    def fails(given: Any, *_: Any, **__: Any) -> None:
        asked.append(given)
        raise RuntimeError("it does so itself")

    monkeypatch.setattr("ragraphs.cli.main.answer_by_method", fails)
    return asked


@pytest.mark.slow
def test_the_server_answers_as_the_command_line_would(run, root, file, here, monkeypatch):
    notes = ("--index", str(root / "notes"), "--json")
    served = json.loads(run("ask", QUESTION, *notes).out)
    assert not here and file.stat().st_mode & 0o077 == 0
    monkeypatch.undo()
    file.rename(file.with_suffix(".kept"))
    own = json.loads(run("ask", QUESTION, *notes).out)
    file.with_suffix(".kept").rename(file)
    assert served == own and served["answer"] == "John Fowler"


@pytest.mark.parametrize("more", [["--top-k", "3"], ["--trace"], ["--model", "openai:m"]])
def test_other_settings_are_not_left_to_the_server(run, root, file, here, more):
    run("ask", QUESTION, "--index", str(root / "notes"), *more)
    assert here


@pytest.mark.parametrize(
    "changed", [{"token": "of another"}, {"port": 1}, {"version": "0"}, {"settings": {}}, "?"]
)
def test_a_server_that_is_not_of_this_index_is_not_believed(run, root, file, here, changed):
    said = json.loads(file.read_text())
    other = root / "others" / "serving.json"
    other.write_text(json.dumps({**said, **changed}) if isinstance(changed, dict) else changed)
    run("ask", QUESTION, "--index", str(root / "others"))
    other.unlink()
    assert here
