"""A reader of the documentation, who runs its blocks."""

from __future__ import annotations

import re
import runpy
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Ended, Run
from doc_pages import ROOT, Block, commands_of, text_of
from opentelemetry.sdk.trace import TracerProvider
from ragraphs.settings import settings
from readme_folder import reply
from stub_openai import OpenAIStub

_PACKAGE = re.compile(r"ragraphs(?:\[([\w,]+)\])?")


class Reader:
    """Runs the blocks of a page in the working folder; an unknown command fails."""

    def __init__(
        self,
        run: Run,
        openai: OpenAIStub,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        openai.answer = reply
        # A page that traces shows how; an exporter left running would disturb the other tests.
        monkeypatch.setattr("opentelemetry.trace.set_tracer_provider", TracerProvider.shutdown)
        self._run, self._openai, self._patch, self._capsys = run, openai, monkeypatch, capsys
        self._names: dict[str, Any] = {"__name__": "page"}
        self._models: set[str] = set()

    def read(self, block: Block) -> None:
        """Runs a block of Python, or every command of a shell block."""
        if block.language == "python":
            self._python(block.text)
            return
        for command in commands_of(block):
            self._shell(command)

    def _python(self, text: str) -> None:
        exec(compile(text, "page", "exec"), self._names)
        result = self._names.get("result")
        if isinstance(result, dict) and "citations" in result:
            assert result["citations"] and bool(result["answer"]) == result["sufficient"], result

    def _shell(self, words: list[str]) -> None:
        words, target = (words[:-2], words[-1]) if words[-2:-1] == [">"] else (words, None)
        if words == ["python", "serve_model.py", "MODEL.gguf", "&"]:
            return  # the weights are the reader's own
        assert not any(set(word) <= set("();<>|&") for word in words), f"Nobody runs {words}."
        match words:
            case ["ollama", "pull", _]:
                pass
            case ["export", assigned] if assigned.startswith("OPENAI_BASE_URL="):
                pass  # the local server of the test stands there already
            case ["export", assigned]:
                self._patch.setenv(*assigned.split("=", 1))
                settings.cache_clear()
            case ["cd", folder]:
                self._patch.chdir(folder)
            case ["mkdir", folder]:
                Path(folder).mkdir()
            case ["echo", text] if target:
                Path(target).write_text(f"{text}\n", encoding="utf-8")
            case ["pip", "install", *packages]:
                check_packages(packages)
            case ["make", name]:
                assert re.search(rf"^{name}:", text_of("Makefile"), re.MULTILINE), words
            case ["ragraphs", *arguments]:
                self._checked(arguments, lambda: self._run(*arguments), target)
            case ["python", "-m", module, *arguments] if module.startswith(("ragraphs.", "lab.")):
                self._checked(arguments, lambda: self._module(module, arguments), target)
            case _:
                pytest.fail(f"Nobody runs {words}.")

    def _checked(self, arguments: list[str], run: Callable[[], Ended], target: str | None) -> None:
        """Runs a command; it must succeed, print something, and ask the models that it names."""
        before = len(self._openai.chats)
        ended = run()
        told = f"{arguments}\n{ended.out}\n{ended.err}"
        assert ended.code == 0, told
        assert ended.out.strip(), told
        if target:
            Path(target).write_text(ended.out, encoding="utf-8")
        if arguments[0] == "ask" and "--json" not in arguments:
            assert re.search(r"^(  \[1\] “|1  )", ended.out, re.MULTILINE), told
            assert "Not certain" not in ended.out, told
        named = [word.removeprefix("openai:") for word in arguments if word.startswith("openai:")]
        asked = {body["model"] for body in self._openai.chats[before:]}
        self._models.update(named)
        assert asked <= self._models, told
        if "--dry-run" in arguments or arguments[0] == "plan":
            assert not asked, told
        elif named:
            assert named[0] in asked, told

    def _module(self, module: str, arguments: list[str]) -> Ended:
        """``python -m MODULE ARGUMENTS...``, in this process."""
        self._patch.setattr(sys, "argv", [module, *arguments])
        for loaded in (module, f"{module}.__main__"):
            self._patch.delitem(sys.modules, loaded, raising=False)
        with pytest.raises(SystemExit) as ended:
            runpy.run_module(module, run_name="__main__")
        return Ended(int(ended.value.code or 0), *self._capsys.readouterr())


def check_packages(packages: list[str]) -> None:
    """Fails where one of ours has an extra that the package has not, or is somewhere else."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for package in packages:
        assert not package.startswith("git+"), f"{package} leads nowhere."
        if found := _PACKAGE.fullmatch(package):
            extras = set((found[1] or "").split(",")) - {""}
            assert extras <= set(project["optional-dependencies"]), package
