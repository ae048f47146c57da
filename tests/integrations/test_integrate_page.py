"""The page on integration: its code runs, and prints what the page says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import ragraphs
from scripted_model import Script
from stub_openai import OpenAIStub, chat

PAGE = Path(ragraphs.__file__).parent / "docs" / "integrate.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_the_code_of_the_page_prints_what_the_page_says(
    server: OpenAIStub, script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    def reply(body: Any) -> Any:
        if "response_format" in body:
            return script(body)
        if "tools" not in body:
            return "John Fowler."
        if body["messages"][-1]["role"] == "tool":
            return chat("John Fowler designed it [1].")
        return json.dumps({"query": "Who designed the Forth Bridge?"})

    server.answer = reply
    scope: dict[str, Any] = {"SERVER": server.base_url, "__name__": "page"}
    printed = ""
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) > 20
    for language, text in blocks:
        if language == "python":
            assert printed == "", f"the page does not say {printed!r}"
            exec(compile(text, PAGE.name, "exec", dont_inherit=True), scope)
            printed = capsys.readouterr().out
        elif not language:
            assert printed == text
            printed = ""
