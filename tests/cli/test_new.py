"""`ragraphs new`: a starter project that works at once, and takes no secret into an image."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import ragraphs
from command_line import runner
from docker.utils import exclude_paths

PRIVATE = [".env", ".venv/lib/site.py", ".git/config", ".langgraph_api/state", "notes.index/lock"]


@pytest.fixture
def project(tmp_path, monkeypatch, capsys):
    assert runner(monkeypatch, capsys)("new", str(tmp_path / "project")).code == 0
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


@pytest.mark.slow
def test_its_graph_answers_from_its_documents(project, monkeypatch, capsys):
    run = runner(monkeypatch, capsys)
    assert run("index", "documents", "--index", "documents.index").code == 0
    spec = importlib.util.spec_from_file_location("agent", project / "agent.py")
    agent = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(agent)
    found = agent.graph.invoke({"question": "Which folder do I put my files into?"})
    assert "“Put your files into the folder documents.”" in found["reply"]


def test_its_server_has_the_graphs_that_its_settings_name(project):
    named = json.loads((project / "langgraph.json").read_text())
    assert set(named["graphs"]) == {"agent", "router", "index"}
    assert (project / ".env").read_text() == (project / ".env.example").read_text()


def test_a_folder_that_holds_something_is_left_alone(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    ended = runner(monkeypatch, capsys)("new", str(tmp_path))
    assert ended.code == 1 and "is not empty; name a new folder" in ended.err
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_an_image_of_it_holds_neither_keys_nor_environments(project):
    in_image = files_in_image(project)
    assert {"agent.py", "langgraph.json", "requirements.txt", ".env.example"} <= in_image
    assert not any(file.startswith((".venv", ".git/", ".langgraph_api")) for file in in_image)
    assert not {".env", "notes.index/lock"} & in_image


def test_an_image_of_the_repository_holds_neither_keys_nor_environments(tmp_path):
    root = Path(ragraphs.__file__).parent
    shutil.copy(root / ".dockerignore", tmp_path)
    (tmp_path / "langgraph.json").write_text("{}")
    assert files_in_image(tmp_path) >= {"langgraph.json"}
    assert not {".env", ".venv/lib/site.py", ".git/config"} & files_in_image(tmp_path)


@pytest.mark.slow
def test_the_image_of_langgraph_adds_nothing_but_the_project(project):
    command = Path(sys.executable).parent / "langgraph"
    file = project.parent / "Dockerfile"
    subprocess.run([command, "dockerfile", str(file)], cwd=project, check=True, capture_output=True)
    added = [line.split()[1] for line in file.read_text().splitlines() if line.startswith("ADD ")]
    assert set(added) == {".", "requirements.txt"}


def files_in_image(folder: Path) -> set[str]:
    """The files that Docker would send of ``folder``, with private ones put into it."""
    for name in PRIVATE:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    patterns = [
        line
        for line in (folder / ".dockerignore").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    return set(exclude_paths(str(folder), patterns))
