"""The example of a deep agent: it reads its skill, asks the subagent, and looks for itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import ragraphs
from doc_pages import ROOT
from installing import need, typed, uv
from scripted_model import DOCUMENTS, FACT, QUESTION
from stub_openai import KEY, OpenAIStub, chat

EXAMPLE = ROOT / "examples/deep_agent/agent.py"
SKILL = "/skills/cited-answers/SKILL.md"
CALLS: list[tuple[str, dict[str, str]]] = [
    ("read_file", {"file_path": SKILL}),
    ("task", {"description": QUESTION, "subagent_type": "documents"}),
    ("search_words", {"query": '"designed by" Fowler'}),
]


def scripted(body: Any) -> Any:
    """Calls one tool after another, and then answers."""
    done = sum(message["role"] == "tool" for message in body["messages"])
    if done == len(CALLS):
        return chat("John Fowler [1].")
    name, given = CALLS[done]
    function = {"name": name, "arguments": json.dumps(given)}
    return chat(None, tool_calls=[{"id": str(done), "type": "function", "function": function}])


@pytest.fixture
def python(shared_folder: Path, tmp_path: Path) -> str:
    """The Python of an environment with deepagents, which takes other versions than this one."""
    program, python = uv(shared_folder), str(tmp_path / "env/bin/python")
    need([program, "venv", "-q", "--python", sys.executable, str(tmp_path / "env")], tmp_path)
    declared = ["-r", str(ROOT / "pyproject.toml"), "deepagents>=0.7"]
    need([program, "pip", "install", "-q", "--python", python, *declared], tmp_path)
    (tmp_path / "above").mkdir()
    (tmp_path / "above/ragraphs").symlink_to(ROOT)
    return python


@pytest.mark.slow
def test_the_deep_agent_reads_its_skill_asks_the_subagent_and_looks_for_itself(
    python: str, tmp_path: Path, openai: OpenAIStub
) -> None:
    openai.answer = scripted
    context = {"index": str(tmp_path / "bridges"), "embeddings": "lexical"}
    ragraphs.build("index", **context).invoke({"documents": DOCUMENTS})
    keys = {"OPENAI_BASE_URL": openai.base_url, "OPENAI_API_KEY": KEY}
    path = {"PYTHONPATH": str(tmp_path / "above"), "RAGRAPHS_MODEL": "offline"}
    shown = typed(tmp_path, f'{python} {EXAMPLE} bridges "{QUESTION}"', **keys, **path)
    assert shown.splitlines()[-1] == "John Fowler [1]."
    first, *_, last = openai.chats
    offered = {tool["function"]["name"] for tool in first["tools"]}
    assert {"task", "read_file", "search_meaning", "search_words", "read"} <= offered
    assert "cited-answers" in json.dumps(first["messages"][0])
    skill, answer, found = [one["content"] for one in last["messages"] if one["role"] == "tool"]
    assert "# Cited answers" in skill
    assert answer.startswith("John Fowler") and f"[1] “{FACT}” (" in answer
    assert FACT in found and "all of them" in found
