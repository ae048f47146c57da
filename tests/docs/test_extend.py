"""The recipe for a method, followed word by word in a copy of the package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from doc_pages import ROOT, text_of
from ragraphs import IndexContext, index_graph

_FILE = re.compile(r" in `([\w/]+\.py)`[^\n]*\n\n```py\n(.*?)```", re.DOTALL)
_RECORDS = "graphs/methods.py"
_QUESTION = "Who designed the Forth Bridge?"
_LEFT_OUT = (".*", "*.egg-info", "tests", "lab", "build", "images", "examples")
_TEXT = "The Forth Bridge was designed by John Fowler. It crosses the Firth of Forth."
_COMMANDS = """
import contextlib, io, json, sys
from ragraphs.cli.main import main

ran = []
for words in json.loads(sys.argv[1]):
    sys.argv = ["ragraphs", *words]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    ran.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(ran))
"""
_LISTS = """
from pathlib import Path
import ragraphs
from ragraphs.server.alone import app
from starlette.applications import Starlette
from starlette.testclient import TestClient

root = Path(ragraphs.__file__).parent
sys.path.append(str(root / "docs/scripts"))
from method_lists import with_graphs, with_table
from settings_page import settings_page

served = Starlette(routes=app.routes, middleware=app.user_middleware)
router = ragraphs.build("router", index="notes", method="feedback", read_first=2)
print(json.dumps({
    "root": str(root),
    "state": TestClient(served, base_url="http://localhost").get("/page/state").json(),
    "graphs": json.loads(with_graphs((root / "langgraph.json").read_text("utf-8")))["graphs"],
    "page": with_table((root / "docs/methods/index.md").read_text("utf-8")),
    "settings": settings_page(),
    "routed": router.invoke({"question": sys.argv[2]}),
}, default=str))
"""


def blocks() -> dict[str, str]:
    """The files of the recipe, by their paths."""
    recipe = text_of("docs/extend.md").partition("## A method")[2].partition("\n### ")[0]
    return dict(_FILE.findall(recipe))


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the package without its tests, beside an index ``notes``."""
    shutil.copytree(ROOT, tmp_path / "ragraphs", ignore=shutil.ignore_patterns(*_LEFT_OUT))
    context = IndexContext(index=str(tmp_path / "notes"), embeddings="lexical")
    index_graph.invoke({"documents": [{"id": "bridge", "text": _TEXT}]}, context=context)
    return tmp_path / "ragraphs"


def write_files(package: Path) -> None:
    for name, text in blocks().items():
        if name != _RECORDS:
            assert not (package / name).exists()
            (package / name).write_text(text, encoding="utf-8")


def add_record(package: Path) -> None:
    imported, _, record = blocks()[_RECORDS].partition("\n\n")
    text = (package / _RECORDS).read_text(encoding="utf-8")
    text = text.replace("\n\n\nclass Method", f"\n{imported}\n\n\nclass Method", 1)
    text = text.replace("\n)\nMETHODS", f"\n{record})\nMETHODS", 1)
    (package / _RECORDS).write_text(text, encoding="utf-8")


def ran_in(package: Path, script: str, commands: list[list[str]]) -> list[Any]:
    """The lines of JSON that ``script`` prints, run by the copy of the package."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(package.parent),
        "RAGRAPHS_ROOT": str(package.parent),
        "RAGRAPHS_INDEX": "notes",
        "COLUMNS": "300",
    }
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(commands), _QUESTION],
        cwd=package.parent,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_a_method_is_new_files_and_a_record(copied: Path) -> None:
    write_files(copied)
    add_record(copied)
    told, lists = ran_in(
        copied,
        _COMMANDS + _LISTS,
        [
            ["ask", _QUESTION, "--method", "feedback", "--read-first", "1", "--json"],
            ["ask", _QUESTION, "--json"],
            ["ask", "--method", "feedback", "--help"],
        ],
    )
    direct, routed, help_text = told
    found = json.loads(direct[1])
    assert found["method"] == "feedback" and found["wider_query"].startswith(_QUESTION)
    assert json.loads(routed[1])["decision"]["obstacles"]["feedback"] == ""
    assert "--read-first" in help_text[1] and "agent, feedback" in help_text[1]
    assert lists["root"] == str(copied)
    shown = lists["state"]["methods"][-1]
    assert (shown["name"], shown["title"]) == ("feedback", "Feedback")
    assert lists["state"]["obstacles"]["feedback"] == ""
    assert lists["graphs"]["feedback"]["path"] == "ragraphs.graphs.feedback:graph"
    assert len(lists["graphs"]["feedback"]["description"]) > 50
    assert "| Feedback | Searches once more" in lists["page"]
    assert "`read_first`" in lists["settings"].partition("## feedback")[2].partition("\n## ")[0]
    assert lists["routed"]["method"] == "feedback" and lists["routed"]["details"]["wider_query"]


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["graphs/feedback.py", "nodes/feedback.py", _RECORDS])
def test_a_method_that_is_half_done_breaks_nothing(copied: Path, missing: str) -> None:
    write_files(copied)
    if missing != _RECORDS:
        add_record(copied)
        (copied / missing).unlink()
    [[asked, status, unfinished]] = ran_in(
        copied,
        _COMMANDS,
        [
            ["ask", _QUESTION, "--json"],
            ["status", "--json"],
            ["ask", _QUESTION, "--method", "feedback"],
        ],
    )
    assert (asked[0], status[0]) == (0, 0), asked
    assert "John Fowler" in json.loads(asked[1])["answer"]
    code, _, problem = unfinished
    said = "is not one of" if missing == _RECORDS else "The graph feedback cannot be imported"
    assert code in (1, 2) and said in problem and "Traceback" not in problem
