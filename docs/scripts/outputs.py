"""Runs the commands whose output pages show, and writes the output into the pages.

``python docs/scripts/outputs.py README.md docs/quickstart.md``: a block of text that begins with
``$ ragraphs`` shows one command over the documents of the demo, with its output.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import ragraphs

_SHOWN = re.compile(r"^```text\n\$ ragraphs (.*)\n((?:.*\n)*?)```$", re.MULTILINE)
_SUMMARY = re.compile(r"^\w+ · .*$", re.MULTILINE)
_SECONDS = re.compile(r"\d+(\.\d+)? s\b")
_MAIN = "from ragraphs.cli.main import main; main()"


def with_outputs(markdown: str, output_of: Callable[[list[str]], str]) -> str:
    """``markdown`` with the output of every command that it shows; ``output_of`` its arguments.

    An output that differs only in its seconds stays. Advice after the summary is left out, because
    it depends on the models of the machine.
    """

    def shown(block: re.Match[str]) -> str:
        command, before = block.groups()
        output = output_of(shlex.split(command)).strip()
        if summary := _SUMMARY.search(output):
            output = output[: summary.end()]
        if _SECONDS.sub("", output) == _SECONDS.sub("", before.strip()):
            return block[0]
        return f"```text\n$ ragraphs {command}\n{output}\n```"

    return _SHOWN.sub(shown, markdown)


def copy_demo(folder: Path) -> None:
    """Copies the documents of the demo into ``folder``."""
    shutil.copytree(Path(ragraphs.__file__).parent / "demo", folder / "demo")


def _output(folder: str, arguments: list[str]) -> str:
    """The standard output of a ``ragraphs`` command."""
    return subprocess.run(
        [sys.executable, "-c", _MAIN, *arguments],
        cwd=folder,
        env={**os.environ, "RAGRAPHS_EMBEDDINGS": "lexical"},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        _output(temporary, ["demo"])
        for name in sys.argv[1:]:
            page = Path(name)
            written = page.read_text(encoding="utf-8")
            done = with_outputs(written, lambda command: _output(f"{temporary}/bridges", command))
            page.write_text(done, encoding="utf-8")
