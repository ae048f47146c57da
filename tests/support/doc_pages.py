"""The pages of the documentation, and their blocks."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

import ragraphs

ROOT = Path(ragraphs.__file__).parent
READMES = ("README.md", "README.ko.md")
QUICKSTARTS = ("docs/quickstart.md", "docs/quickstart.ko.md")
PAGES = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))
RUN = {"sh", "python"}
SHOWN = {"py", "text", "json", "yaml", "toml", "console", "dockerfile", "markdown", ""}
_BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: its language and its text."""

    language: str
    text: str


def text_of(page: str) -> str:
    """The text of a page, by its path from the root."""
    return (ROOT / page).read_text(encoding="utf-8")


def without_blocks(text: str) -> str:
    """The prose of a page."""
    return _BLOCK.sub("", text)


def all_blocks_of(page: str) -> list[Block]:
    """Every block of a page; one without a language fails."""
    blocks = [Block(language, text) for _, language, text in _BLOCK.findall(text_of(page))]
    for block in blocks:
        assert block.language in RUN | SHOWN, f"{page}: nobody knows blocks of {block.language!r}"
    return blocks


def blocks_of(page: str) -> list[Block]:
    """The blocks that a reader of the page would run."""
    return [block for block in all_blocks_of(page) if block.language in RUN]


def commands_of(block: Block) -> list[list[str]]:
    """The lines of a block of shell commands, each in words, without comments."""
    lexers = (
        shlex.shlex(line, posix=True, punctuation_chars=True)
        for line in block.text.replace("\\\n", " ").split("\n")
    )
    lines = []
    for lexer in lexers:
        lexer.whitespace_split = True
        lines.append(list(lexer))
    return [line for line in lines if line]
