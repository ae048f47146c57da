"""Runs the commands of a page at a terminal of 80 columns, and writes all they show into the page.

``python docs/scripts/sessions.py docs/commands.md``: a block of text that begins with ``$ `` shows
commands in a folder with the documents of the demo, one after the other. In a chat, the lines that
begin with ``> `` are typed. ``openai:stub`` is a scripted model on this machine. The folder is a
temporary one, shown under another name.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import ragraphs

_ROOT = Path(ragraphs.__file__).parent
sys.path.append(str(_ROOT / "tests/support"))

from scripted_model import NOT_FOUND, Script  # noqa: E402
from stub_openai import serving_openai  # noqa: E402
from terminal import at_terminal  # noqa: E402

_FOLDER = Path(tempfile.gettempdir(), "bridges")
_SHOWN = "/srv/bridges"
_BLOCK = re.compile(r"^```text\n(\$ (?:.*\n)*?)```$", re.MULTILINE)
_SECONDS = re.compile(r"\d+(\.\d+)? s\b")
_QUOTES = {
    "Who designed": (
        "The bridge was designed by John Fowler and Benjamin Baker.",
        "John Fowler and Benjamin Baker designed the Forth Bridge.",
    ),
    "How did": (
        "To explain how the Forth Bridge stands, he had two men sit on chairs with their arms held "
        "out and let a third hang between them: the Human Cantilever.",
        "Baker had two men sit on chairs with their arms held out, and a third hang between them.",
    ),
}


def with_sessions(markdown: str, environment: dict[str, str]) -> str:
    """``markdown`` with all that its commands show; what differs only in seconds stays."""

    def shown(block: re.Match[str]) -> str:
        parts = re.split(r"^\$ ", block[1], flags=re.MULTILINE)[1:]
        now = "".join(_session(part.splitlines(), environment) for part in parts)
        same = _SECONDS.sub("", now) == _SECONDS.sub("", block[1])
        return block[0] if same else f"```text\n{now}```"

    return _BLOCK.sub(shown, markdown)


def _session(lines: list[str], environment: dict[str, str]) -> str:
    """A command with its output, its ``lines`` being the command and all that stands below it."""
    is_piped = "| ragraphs" in lines[0]
    typed = [line[2:] for line in lines[1:] if line.startswith("> ") and not is_piped]
    shown = ""
    with at_terminal(["/bin/bash", "-c", f"cd {_FOLDER} && {lines[0]}"], environment) as terminal:
        for line in typed:
            terminal.waits(lambda: terminal.unseen.endswith("> "), "prompt")
            terminal.types(f"{line}\n")
            shown += terminal.sees(f"{line}\n")
        shown += terminal.ends()[1]
    lines_shown = shown.replace(str(_FOLDER), _SHOWN).splitlines()
    output = "\n".join(line.rstrip() for line in lines_shown).strip("\n")
    return f"$ {lines[0]}\n{output}\n"


def _scripted(script: Script) -> None:
    def answer(human: str) -> Any:
        asked = human.rpartition("Question: ")[2]
        quote, said = next(both for words, both in _QUOTES.items() if words in asked)
        if quote not in human:  # it is asked again without the sentences that it cited
            return NOT_FOUND
        return {**script.quoting(human, quote), "answer": said}

    script.replies["Answer"] = answer
    script.replies["StandAloneQuestion"] = {
        "question": "How did Benjamin Baker explain how the Forth Bridge stands?"
    }


if __name__ == "__main__":
    _FOLDER.mkdir()
    try:
        shutil.copytree(_ROOT / "demo", _FOLDER / "docs")
        with serving_openai() as openai:
            _scripted(Script(openai))
            environment = {
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                "RAGRAPHS_EMBEDDINGS": "lexical",
                "OPENAI_BASE_URL": openai.base_url,
            }
            for name in sys.argv[1:]:
                page = Path(name)
                page.write_text(
                    with_sessions(page.read_text(encoding="utf-8"), environment), encoding="utf-8"
                )
    finally:
        shutil.rmtree(_FOLDER)
