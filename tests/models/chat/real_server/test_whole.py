"""The package as a whole with a model that writes by chance: nothing is lost, nothing believed."""

from __future__ import annotations

import json

import pytest
from llama_server import NAME

INDEX = ["--index", "index"]
MODEL = [*INDEX, "--model", f"openai:{NAME}", "--temperature", "1"]
TEXTS = {
    "forth": "The Forth Bridge was designed by John Fowler. It was opened on 4 March 1890.",
    "eiffel": "The Eiffel Tower stands in Paris. Stephen Sauvestre was its architect.",
    "세종": "세종은 1397년 한양에서 태어났다. 1441년에는 측우기가 만들어졌다.",
}


@pytest.mark.slow
def test_an_index_is_whole_or_says_what_is_missing_and_no_answer_is_believed(llama, run, tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    made = run("index", str(tmp_path), "--layers", "hops,entities", "--json", *MODEL)
    assert made.code == 0, made.err
    index, state = json.loads(made.out), json.loads(run("status", "--json", *INDEX).out)
    assert index["document_count"] == len(TEXTS) and index["failures"] == []
    unread = state["unread_questions"] + state["unread_facts"]
    assert state["unfinished_layers"] == [] and (not unread or index["warnings"])
    for method in ("basic", "auto"):
        asked = run("ask", "Who designed the Forth Bridge?", "--method", method, "--json", *MODEL)
        assert asked.code == 0, asked.err
        told = json.loads(asked.out)  # what rules find is believed, and nothing that the model says
        assert told["answer"] == "John Fowler" or not told["sufficient"]
        assert any("by rules" in one for one in told["warnings"]) or not told["sufficient"]
        asked = run("ask", "Why did they need a bridge?", "--method", method, "--json", *MODEL)
        assert asked.code == 0 and not json.loads(asked.out)["sufficient"], asked.err
