"""The READMEs keep what they say: their commands run, their links lead somewhere."""

from __future__ import annotations

import ast
import re
import runpy
import shlex
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import ragraphs
from command_line import Ended, Run
from pdf_files import pdf
from ragraphs.settings import settings
from readme_folder import reply, write_folder
from stub_openai import OpenAIStub

ROOT = Path(ragraphs.__file__).parent
READMES = ("README.md", "README.ko.md")
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_QUESTION = re.compile(r"[가-힣]\?\"")
_DRAWING = re.compile(r"<!-- drawing: (\w+) -->")


class Block(NamedTuple):
    """A fenced block: its language, and what it says."""

    language: str
    text: str


def text_of(readme: str) -> str:
    return (ROOT / readme).read_text(encoding="utf-8")


def blocks_of(readme: str) -> list[Block]:
    """The blocks that a reader would run: no drawings, and no output."""
    found = (Block(*block) for block in _BLOCK.findall(text_of(readme)))
    return [block for block in found if block.language not in {"mermaid", "text"}]


def commands_of(block: Block) -> list[list[str]]:
    """The lines of a block of shell commands, each in words, without comments."""
    lexers = (
        shlex.shlex(line, posix=True, punctuation_chars=True) for line in block.text.split("\n")
    )
    lines = []
    for lexer in lexers:
        lexer.whitespace_split = True
        lines.append(list(lexer))
    return [line for line in lines if line]


class Reader:
    """Runs what a README says, in the working folder; whatever it does not know fails."""

    def __init__(
        self,
        run: Run,
        openai: OpenAIStub,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        self._run, self._openai, self._patch, self._capsys = run, openai, monkeypatch, capsys
        self._names: dict[str, Any] = {}
        self._models: set[str] = set()

    def read(self, block: Block) -> None:
        if block.language == "python":
            self._python(block.text)
            return
        assert block.language == "sh", f"Nobody runs blocks of {block.language!r}."
        for command in commands_of(block):
            self._shell(command)

    def _python(self, text: str) -> None:
        exec(compile(text, "README", "exec"), self._names)
        result = self._names["result"]
        assert result["citations"] and bool(result["answer"]) == result["sufficient"], result

    def _shell(self, words: list[str]) -> None:
        words, target = (words[:-2], words[-1]) if words[-2:-1] == [">"] else (words, None)
        assert not any(set(word) <= set("();<>|&") for word in words), f"Nobody runs {words}."
        match words:
            case ["ollama", "pull", _]:
                pass
            case ["export", assigned] if assigned.startswith("OPENAI_BASE_URL="):
                pass  # the local server of the test stands there already
            case ["export", assigned]:
                self._patch.setenv(*assigned.split("=", 1))
                settings.cache_clear()
            case ["pip", "install", "."]:
                assert (ROOT / "pyproject.toml").is_file()
            case ["make", name]:
                assert re.search(rf"^{name}:", text_of("Makefile"), re.MULTILINE), words
            case ["ragraphs", *arguments]:
                self._checked(arguments, lambda: self._run(*arguments), target)
            case ["python", "-m", module, *arguments] if module.startswith("ragraphs."):
                self._checked(arguments, lambda: self._module(module, arguments), target)
            case _:
                pytest.fail(f"Nobody runs {words}.")

    def _checked(self, arguments: list[str], run: Any, target: str | None) -> None:
        """Runs a command; it must succeed, print something, and ask the models that it names."""
        before = len(self._openai.chats)
        ended = run()
        told = f"{arguments}\n{ended.out}\n{ended.err}"
        assert ended.code == 0, told
        assert ended.out.strip(), told
        if target:
            Path(target).write_text(ended.out, encoding="utf-8")
        if arguments[0] == "ask":
            assert re.search(r"^(  \[1\] “|1  )", ended.out, re.MULTILINE), told
            assert "Not certain" not in ended.out, told
        named = [word.removeprefix("openai:") for word in arguments if word.startswith("openai:")]
        asked = {body["model"] for body in self._openai.chats[before:]}
        self._models.update(named)
        assert asked <= self._models, told
        if "--dry-run" in arguments:
            assert not asked, told
        elif named:
            assert named[0] in asked, told

    def _module(self, module: str, arguments: list[str]) -> Ended:
        """``python -m MODULE ARGUMENTS...``, in this process."""
        self._patch.setattr(sys, "argv", [module, *arguments])
        self._patch.delitem(sys.modules, module, raising=False)
        with pytest.raises(SystemExit) as ended:
            runpy.run_module(module, run_name="__main__")
        return Ended(int(ended.value.code or 0), *self._capsys.readouterr())


@pytest.fixture
def reader(
    run: Run,
    openai: OpenAIStub,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Reader:
    openai.answer = reply
    return Reader(run, openai, monkeypatch, capsys)


def read(blocks: list[Block], reader: Reader) -> None:
    sets = {name for block in blocks for name in re.findall(r"\bdata/\w+", block.text)}
    write_folder(sets, pdf("The Golden Gate Bridge was opened in 1937."))
    for block in blocks:
        reader.read(block)


def test_all_that_the_readme_tells_to_run_runs_and_its_questions_have_answers(
    reader: Reader,
) -> None:
    blocks = blocks_of(READMES[0])
    assert {block.language for block in blocks} == {"sh", "python"}
    read(blocks, reader)


def test_the_questions_of_the_korean_readme_have_answers_too(reader: Reader) -> None:
    english, korean = (blocks_of(readme) for readme in READMES)
    told = [without_questions(block) for block in english]
    asking = [block for block in korean if _QUESTION.search(block.text)]
    assert asking and all(without_questions(block) in told for block in asking)
    read(asking, reader)


@pytest.mark.parametrize("readme", READMES)
def test_the_output_that_the_readme_shows_is_of_the_demo(readme: str) -> None:
    corpus = " ".join(file.read_text("utf-8") for file in (ROOT / "demo").iterdir())
    corpus = " ".join(corpus.split())
    outputs = [text for language, text in _BLOCK.findall(text_of(readme)) if language == "text"]
    for text in outputs:
        marked = re.findall(r"«(.*?)»", " ".join(text.split()))
        assert marked and all(sentence in corpus for sentence in marked)


def without_questions(block: Block) -> Any:
    """What a block runs, without comments and without what its questions say."""
    if block.language == "sh":
        return [
            ["?" if word.endswith("?") else word for word in line] for line in commands_of(block)
        ]
    tree = ast.parse(block.text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and str(node.value).endswith("?"):
            node.value = "?"
    return ast.dump(tree)


def test_both_readmes_tell_to_run_the_same_and_show_the_same_drawings() -> None:
    english, korean = READMES
    pairs = zip(blocks_of(english), blocks_of(korean), strict=True)
    for one, other in pairs:
        assert without_questions(one) == without_questions(other)
    assert _DRAWING.findall(text_of(english)) == _DRAWING.findall(text_of(korean))


def anchors_of(text: str) -> set[str]:
    """The names by which links lead to headings, as GitHub makes them."""
    anchors: list[str] = []
    for heading in _HEADING.findall(_BLOCK.sub("", text)):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        earlier = sum(
            re.fullmatch(rf"{re.escape(slug)}(-\d+)?", one) is not None for one in anchors
        )
        anchors.append(f"{slug}-{earlier}" if earlier else slug)
    return set(anchors)


@pytest.mark.parametrize("readme", READMES)
def test_links_of_the_readme_lead_to_files_and_headings_that_there_are(readme: str) -> None:
    links = [link for link in _LINK.findall(text_of(readme)) if "://" not in link]
    assert len(links) > len(READMES)
    for link in links:
        file, _, heading = link.partition("#")
        assert (ROOT / (file or readme)).is_file(), link
        assert not heading or heading in anchors_of(text_of(file or readme)), link
    assert set(READMES) - {readme} <= {link.partition("#")[0] for link in links}
