"""The help of the command line: flags, panels, versions, completion."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from ragraphs.cli import show
from ragraphs.cli.main import program
from ragraphs.context import Context, CragContext, IndexContext
from rich.cells import cell_len
from typer.main import get_group

COMMAND = str(Path(sys.executable).with_name("ragraphs"))


@pytest.mark.parametrize(
    ("asked", "made"), [("ask", "ask"), ("keys", "keys"), ("", "index"), ("aks", "index")]
)
def test_the_flags_of_a_command_that_is_typed_are_made_alone(asked, made):
    commands = get_group(program(asked)).commands
    assert made in commands and (len(commands) == 1) == (asked == made)


@pytest.mark.parametrize(("typed", "reads"), [([], False), (["--top-k", "3"], True)])
def test_hidden_flags_are_read_only_where_a_flag_is_typed(typed, reads):
    group = get_group(program("ask"))
    context = group.make_context("ragraphs", ["ask", "Why?", *typed])
    _, command, _ = group.resolve_command(context, ["ask", "Why?", *typed])
    names = {one.name for one in command.params}
    assert {"question", "model"} <= names and ("top_k" in names) == reads


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "context", "without"),
    [
        ("index", IndexContext, set()),
        ("ask", CragContext, {"stream_answer", "prompts"}),
        ("demo", Context, {"index"}),
    ],
)
def test_every_field_of_the_context_is_a_flag_with_its_description(
    run, monkeypatch, command, context, without
):
    monkeypatch.setenv("COLUMNS", "300")
    method = ["--method", "crag"] if command == "ask" else []
    shown = run(command, *method, "--help-all").out
    for name, field in context.model_fields.items():
        assert (f"--{name.replace('_', '-')}" in shown) == (name not in without)
        # Conditions are written in another form on the command line.
        told = "such metadata: author=Ada" if name == "where" else str(field.description)[:60]
        assert name in without or told in shown
    assert command != "ask" or "[offline]" in shown


@pytest.mark.parametrize(
    "command",
    [
        *(["status"], ["export"], ["communities"]),
        *(["entities", name] for name in ("list", "show", "merges")),
    ],
    ids=" ".join,
)
def test_a_command_that_asks_no_model_takes_no_flag_of_one(run, command):
    shown = run(*command, "--help").out
    assert "--index" in shown and "--model" not in shown and "--timeout" not in shown


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("command", [["index"], ["ask", "--method", "hoprag"], ["evaluate"]])
def test_help_has_the_flags_that_matter_first_and_splits_no_word(run, monkeypatch, width, command):
    def words(columns: int) -> set[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = run(*command, "--help").out.splitlines()
        assert max(map(cell_len, lines)) <= columns
        return {word for line in lines for word in re.findall(r"[^\s│╭╮╰╯─]+", line)}

    assert words(width) <= words(300)
    if command[0] == "ask":
        shown = run(*command, "--help-all").out
        places = [shown.index(flag) for flag in ("--index", "--method", "--json", "--timeout")]
        assert places == sorted(places)


@pytest.mark.parametrize("command", ["ask", "index", "chat", "serve"])
def test_the_help_of_a_first_command_is_one_screen_and_the_rest_is_asked_for(
    run, monkeypatch, command
):
    monkeypatch.setenv("COLUMNS", "80")
    assert len(run(command, "--help").out.splitlines()) <= 40
    shown = run(command, "--help-all")
    assert shown.code == 0 and "--prices" in shown.out


@pytest.mark.slow
def test_the_help_of_ask_hides_what_few_people_set(run):
    shown = run("ask", "--help").out
    assert "--model" in shown and "--method" in shown and "--help-all" in shown
    assert "--top-k" not in shown and "--upper" not in shown and "--n-hop" not in shown
    assert "--n-hop" in run("ask", "--method", "hoprag", "--help").out
    assert "--top-k" in run("ask", "--help-all").out


def test_help_begins_with_the_commands_that_everybody_needs_and_names_no_layer(run):
    shown = run("--help").out
    places = [shown.index(f"│ {name} ") for name in ("ask", "index", "chat", "serve", "status")]
    assert places == sorted(places)
    assert "layer" not in shown.lower()


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_told(run, flag):
    assert run(flag).out == f"ragraphs {version('ragraphs')}\n"


@pytest.mark.parametrize("group", ["entities", "evaluate"])
def test_a_group_without_a_command_shows_its_help_and_nothing_else(run, group):
    shown = run(group)
    assert shown.code == 2 and "Usage:" in shown.out + shown.err
    assert "ragraphs: " not in shown.err


@pytest.mark.slow
def test_a_shell_completes_commands_and_the_values_of_flags():
    def completed(typed: str) -> set[str]:
        asked = {"_RAGRAPHS_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": "-1"}
        asked["COMP_CWORD"] = str(len(typed.split(" ")) - 1)
        told = subprocess.run(
            [COMMAND], env={**os.environ, **asked}, capture_output=True, text=True
        )
        return set(told.stdout.split())

    assert {"chat", "communities", "calibrate", "copy"} == completed("ragraphs c")
    assert {"hybrid"} == completed("ragraphs ask --retriever h")


def test_a_long_error_at_a_terminal_is_wrapped_between_words(run, monkeypatch):
    monkeypatch.setattr(show.err, "_force_terminal", True)
    monkeypatch.setattr(show.err, "soft_wrap", False)
    monkeypatch.setattr(show.err, "width", 40)
    told = run("status", "--index", "nothing-here").err
    words = "ragraphs: There is no index at; build one with: ragraphs index SOURCE --index".split()
    assert len(told.splitlines()) > 2 and set(words) <= {*told.split(), "at;"}


def test_help_and_no_arguments_explain_the_commands(run):
    shown = run("--help")
    assert shown.code == 0
    for command in ("index", "ask", "status", "remove", "export", "demo", "evaluate"):
        assert command in shown.out


@pytest.mark.slow
def test_help_gives_a_type_only_to_flags_that_take_a_value(run):
    shown = run("ask", "--help").out
    assert "--trace" in shown and "--verbose" in shown and "TEXT" in shown
    assert "<bool>" not in shown and "<int>" not in shown
    assert "<bool>" not in run("entities", "--help").out + run("--help").out
