"""`lab.experiments documentation`: whether the pages that answer are found first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import ragraphs
from ragraphs.evaluation.figures import recompute

PAGES = {
    "install.md": "# Installing\n\nRun the installer, then restart the kettle.",
    "guide/boil.md": "# Boiling water\n\nPress the red lever. The water boils in two minutes."
    "\n\n## Softer water\n\nBoiling leaves lime; a filter of charcoal removes it.",
    "guide/clean.rst": "Cleaning\n========\n\nVinegar removes the lime from the kettle.",
    "errors.html": "<title>Errors</title><h1>Errors</h1><p>E7 means that the lid is open.</p>",
}
QUESTIONS = (
    ("What does E7 mean?", ["errors.html"]),
    ("What removes lime?", ["guide/clean.rst", "guide/boil.md"]),
    ("Which lever makes the water boil?", ["install.md"]),
)


@pytest.fixture
def pages() -> Path:
    """The folder of a small documentation, with its questions beside it."""
    for name, text in PAGES.items():
        file = Path("pages", name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    rows = [{"question": question, "pages": right} for question, right in QUESTIONS]
    Path("asked.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return Path("pages")


@pytest.mark.slow
def test_pages_are_found_by_every_retriever_and_by_the_router(experiment, pages):
    kept = ("--record", "f.jsonl.gz", "--json")
    ended = experiment("documentation", "pages", "asked.jsonl", "--embeddings", "lexical", *kept)
    assert ended.code == 0
    result = json.loads(ended.out)
    [one] = recompute(Path("f.jsonl.gz"))["measurements"]
    for way, found in result["found"].items():
        assert one["measures"][way]["page@3"]["value"] == found["3"]["value"]
    assert list(result["found"]) == ["lexical", "vector", "hybrid", "graph", "auto"]
    assert (result["set"], result["questions"], result["documents"]) == ("asked", 3, 4)
    assert sum(result["kinds"].values()) == 3
    assert result["limits"] == 0
    code, lime, lever = result["rows"]
    for way, found in result["found"].items():
        assert [found[k]["n"] for k in ("1", "3", "5")] == [3, 3, 3]
        assert result["times"][way]["clock"] > 0
        assert code["rank"][way] == lime["rank"][way] == 1
        assert lever["first"][way][0] == "guide/boil.md"
        assert lever["rank"][way] != 1
        assert len({*lime["first"][way]}) == len(lime["first"][way])


@pytest.mark.slow
def test_an_index_that_is_named_is_made_once(experiment, pages):
    given = ("documentation", "pages", "asked.jsonl", "--embeddings", "lexical", "--index", "kept")
    assert "page @1" in experiment(*given).out
    Path("pages/errors.html").unlink()
    Path("asked.jsonl").write_text('{"question": "What removes lime?", "pages": ["install.md"]}')
    other = {"id": "other", "text": "The Alps are high."}
    ragraphs.build("index", index="kept").invoke({"documents": [other]})
    result = json.loads(experiment(*given, "--layers", "hops", "--json").out)
    assert (result["documents"], result["questions"]) == (4, 1)
    assert "not of asked: 1 (other)" in result["notes"][0]
    assert result["layers"] == ["passages", "sentences", "hops"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"question": "Who?", "pages": ["none.md"]}', "has no page none.md (1 of 1 are missing)"),
        ('{"question": "Who?"}', "line 1 is no question"),
        ("", "has no question"),
    ],
)
def test_questions_that_cannot_be_measured_are_told(experiment, pages, line, said):
    Path("asked.jsonl").write_text(line)
    ended = experiment("documentation", "pages", "asked.jsonl")
    assert ended.code == 1
    assert said in ended.err
