"""`ragraphs ask` beside a `ragraphs serve` of the same index, which answers in its place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ragraphs import IndexContext, index_graph
from ragraphs.index.serving import is_plain
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
    "changed", [{"token": "of another"}, {"port": 1}, {"program": "0"}, {"settings": {}}, "?"]
)
def test_a_server_that_is_not_of_this_index_is_not_believed(run, root, file, here, changed):
    said = json.loads(file.read_text())
    other = root / "others" / "serving.json"
    other.write_text(json.dumps({**said, **changed}) if isinstance(changed, dict) else changed)
    run("ask", QUESTION, "--index", str(root / "others"))
    other.unlink()
    assert here


_PLAIN = """
import sys
from ragraphs.cli.asking import answer_plainly
code = answer_plainly(sys.argv[1:])
heavy = {"typer", "pydantic", "langgraph", "numpy", "sqlalchemy"}.intersection(sys.modules)
print(code, sorted(heavy), file=sys.stderr)
"""


def _plainly(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("RAGRAPHS_")}
    command = [sys.executable, "-c", _PLAIN, *arguments]
    env |= environment
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True)


@pytest.mark.slow
def test_a_plain_question_is_answered_by_the_server_with_next_to_nothing_loaded(run, root, file):
    said = file.read_text()
    plain = ("ask", QUESTION, "--index", str(root / "notes"))
    assert _plainly(root, *plain).stderr == "None []\n"  # its settings are not the plain ones
    file.write_text(json.dumps({**json.loads(said), "advice": "Connect one."}))
    answered = _plainly(root, *plain)
    flag = _plainly(root, *plain, "--trace")
    set_here = _plainly(root, *plain, RAGRAPHS_MODEL="openai:m")
    again = _plainly(root, *plain)
    file.write_text(said)
    assert answered.stderr == again.stderr == "0 []\n"
    assert answered.stdout.splitlines()[:-2] == run(*plain).out.splitlines()[:-1]
    assert answered.stdout.endswith("Connect one.\n") and "Connect one." not in again.stdout
    assert flag.stderr == set_here.stderr == "None []\n"


def test_a_server_says_how_it_can_be_asked_plainly_where_nothing_is_set(monkeypatch, tmp_path):
    for name in [one for one in os.environ if one.startswith("RAGRAPHS_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    assert is_plain()
    (tmp_path / ".env").write_text("RAGRAPHS_MODEL=openai:m")
    assert not is_plain()
