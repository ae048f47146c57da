"""Code in a text is told from prose by its form."""

from __future__ import annotations

import pytest
from ragraphs.language.code import code_blocks

CODE = [
    "from a import b\nb.run(x)\n",
    "const x = 1;\nif (x) {\n  go();\n}\n",
    "# a remark\nexport NAME=value\n",
    '{\n  "a": 1,\n  "b": [2]\n}\n',
    ">>> add(1, 2)\n",
    "use std::{io, fs};\n",
]
PROSE = [
    "It was over;\nthe man (alone) went home;\nand never came back.\n",
    "- the first; and\n- the second (of two);\n",
    ">>> From: Ann\n>>> Dear Ben,\n>>> it is late.\n",
    "Port: 7420\nUser: root\n",
    '"Go," he said;\n"go now."\n',
    "It loads with `import x`\nfrom a file, in this case:\n",
    "/** Adds two numbers.\n * It is fast.\n */\n",
]


@pytest.mark.parametrize("text", CODE)
def test_what_has_the_form_of_code_is_a_block(text: str):
    assert code_blocks(f"Words.\n\n{text}\nMore words.") == ((8, 8 + len(text)),)


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_no_code(text: str):
    assert code_blocks(f"Words.\n\n{text}\nMore words (and x).") == ()


def test_a_fenced_block_is_one_whatever_it_holds():
    fenced = "```\nOne.\n\n\nTwo.\n```"
    assert code_blocks(f"{fenced}\n\nWords.") == ((0, len(fenced)),)
