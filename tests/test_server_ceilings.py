"""The operator's ceilings on a real ``langgraph dev`` server, whose callers name their settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from http_stub import Response
from langgraph_server import serving
from ragraphs.stores.spending import FILE
from scripted_model import MODEL, QUESTION, TEXTS, Script
from stub_openai import OpenAIStub

pytestmark = pytest.mark.slow


def test_no_caller_of_a_server_passes_its_ceilings(openai: OpenAIStub, tmp_path: Path):
    script = Script(openai)
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text)
    limits = {"RAGRAPHS_MAX_CALLS_PER_DAY": "2", "RAGRAPHS_MAX_SECONDS": "10"}
    with serving(tmp_path, OPENAI_BASE_URL=openai.base_url, **limits) as server:
        server.run("index", {"sources": ["."]}, embeddings="lexical")
        answers = [
            server.run("basic", {"question": f"{QUESTION} {n}"}, model=MODEL, max_seconds=3600)
            for n in range(3)
        ]
        assert [one["stop_reason"] for one in answers] == ["answered", "answered", "budget"]
        assert "max_seconds was lowered from 3,600 to 10" in answers[0]["warnings"][0]
        assert "limit for today (2 calls) is reached" in answers[2]["warnings"][1]
        assert answers[2]["evidence"] and len(script.asked) == 2
    assert (tmp_path / FILE).is_file()


def test_a_question_to_a_server_ends_in_time(openai: OpenAIStub, tmp_path: Path):
    (tmp_path / "forth.txt").write_text(TEXTS["Forth Bridge"])
    openai.otherwise = lambda path, body: Response(None, seconds=60)
    with serving(tmp_path, OPENAI_BASE_URL=openai.base_url) as server:
        server.run("index", {"sources": ["."]}, embeddings="lexical")
        for graph in ("crag", "router"):
            answer = server.run(graph, {"question": QUESTION}, model=MODEL, max_seconds=2)
            assert answer["stop_reason"] == "time" and answer["evidence"]
