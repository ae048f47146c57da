"""The READMEs keep their promises: they are short, and say the same in two languages."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from doc_pages import QUICKSTARTS, READMES, Block, blocks_of, commands_of, text_of
from doc_reader import Reader
from outputs import copy_demo
from pdf_files import pdf
from readme_folder import write_folder
from stub_openai import OpenAIStub

LONGEST = 150
PAIRS = [READMES, QUICKSTARTS]
KOREAN = [korean for _, korean in PAIRS]  # their other blocks are those of the English pages
_KOREAN_QUESTION = re.compile(r"[가-힣]\?\"")


@pytest.mark.parametrize("readme", READMES)
def test_a_readme_is_short(readme: str) -> None:
    assert len(text_of(readme).splitlines()) <= LONGEST


@pytest.mark.parametrize("page", [*READMES, *QUICKSTARTS])
def test_no_first_page_speaks_of_layers(page: str) -> None:
    first = text_of(page) if page in QUICKSTARTS else text_of(page)[:4000]
    assert "layer" not in first.lower() and "레이어" not in first


@pytest.mark.slow
@pytest.mark.parametrize("page", [*READMES, *QUICKSTARTS])
def test_all_that_a_first_page_tells_to_run_runs_and_its_questions_have_answers(
    page: str,
    run: Run,
    openai: OpenAIStub,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_folder([], pdf("The Golden Gate Bridge was opened in 1937."))
    reader = Reader(run, openai, monkeypatch, capsys)
    for block in blocks_of(page):
        if page not in KOREAN or _KOREAN_QUESTION.search(block.text):
            reader.read(block)


@pytest.mark.parametrize(("english", "korean"), PAIRS)
def test_both_languages_tell_to_run_the_same(english: str, korean: str) -> None:
    for one, other in zip(blocks_of(english), blocks_of(korean), strict=True):
        assert without_questions(one) == without_questions(other)


def without_questions(block: Block) -> Any:
    """A block without comments, and without the words of its questions."""
    if block.language == "sh":
        return [
            ["?" if word.endswith("?") else word for word in line] for line in commands_of(block)
        ]
    tree = ast.parse(block.text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and str(node.value).endswith("?"):
            node.value = "?"
    return ast.dump(tree)


@pytest.mark.slow
def test_the_python_example_prints_the_whole_answer_and_only_the_sentence_that_states_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_demo(Path.cwd())
    monkeypatch.chdir("demo")
    (block,) = [block for block in blocks_of("README.md") if block.language == "python"]
    exec(compile(block.text, "README.md", "exec"), {"__name__": "page"})
    stated = "The bridge was designed by John Fowler and Benjamin Baker."
    assert capsys.readouterr().out.strip() == f"John Fowler and Benjamin Baker True {[stated]}"
