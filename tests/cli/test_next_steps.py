"""Commands that the demo prints to be typed next work as they are printed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from ragraphs.cli import show
from ragraphs.cli.next_steps import show_next_steps
from scripted_model import QUESTION

PROGRAM = Path(sys.executable).parent / "ragraphs"


def printed(text: str) -> list[list[str]]:
    """The commands that ``text`` shows, in words."""
    return [shlex.split(line) for line in re.findall(r"^\$ (.+)$", text, re.MULTILINE)]


def test_the_program_is_named_as_it_can_be_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    called = Path("of mine/bin/ragraphs")
    called.parent.mkdir(parents=True)
    called.symlink_to(PROGRAM)
    monkeypatch.setattr(sys, "argv", [str(called)])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert show.this_program(Path()) == "'of mine/bin/ragraphs'"
    assert show.this_program(Path("kept")) == "'../of mine/bin/ragraphs'"
    assert show.this_program(Path("/elsewhere")) == shlex.quote(str(tmp_path / called))
    monkeypatch.setenv("PATH", str(called.parent.resolve()))
    assert show.this_program(Path("kept")) == "ragraphs"


@pytest.mark.parametrize("missing", [[], ["mcp"]])
def test_the_extra_of_the_page_is_asked_for_only_where_it_is_missing(missing, monkeypatch, capsys):
    monkeypatch.setattr("ragraphs.views.doctor.missing_packages", lambda extra: missing)
    show_next_steps(Path("kept"))
    commands = printed(capsys.readouterr().out)
    assert commands[0] == ["cd", "kept"] and commands[1][:2] == ["ragraphs", "ask"]
    assert commands[-1] == ["ragraphs", "serve"]
    assert [words[1:] for words in commands[2:-1]] == (
        [["-m", "pip", "install", "ragraphs[serve]"]] if missing else []
    )


def test_the_way_to_a_model_is_told_once_for_an_index(run, index):
    first, second = (run("ask", QUESTION) for _ in range(2))
    assert "--model openai:" in first.out and "--model" not in second.out
    assert second.out and second.out.splitlines()[:-1] == first.out.splitlines()[:-2]


def test_an_index_that_cannot_be_written_is_asked_all_the_same(run, index, monkeypatch):
    def fails(path, *_, **__):
        raise PermissionError(str(path))

    monkeypatch.setattr("ragraphs.index.serving.Path.touch", fails)
    asked = [run("ask", QUESTION) for _ in range(2)]
    assert all(one.code == 0 and "--model openai:" in one.out for one in asked)


@pytest.mark.slow
def test_a_demo_from_a_path_prints_commands_that_run(tmp_path):
    home = {**os.environ, "PATH": "/usr/bin:/bin", "RAGRAPHS_EMBEDDINGS": "lexical"}
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ragraphs").symlink_to(PROGRAM)

    def typed(*words: str, folder: str = ".") -> str:
        done = subprocess.run(
            words, cwd=tmp_path / folder, env=home, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    shown = printed(typed("bin/ragraphs", "demo", "kept"))
    asked = [words for words in shown if words[1] == "ask"]
    assert len(asked) == 5 and all(words[0] == "../bin/ragraphs" for words in asked)
    assert "4,600" in typed(*asked[-1], folder="kept")
