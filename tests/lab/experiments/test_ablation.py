"""`lab.experiments ablation`: CRAG without each of its actions and operations."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from ragraphs.evaluation.results import heads

from lab.experiments.crag_parts import correct_or_incorrect, never

MODEL = ("--model", "openai:stub", "--max-retries", "0")
PARTS = ["correct", "incorrect", "ambiguous", "refine", "rewrite", "select"]
WEB_FACT = "Sheffield is the town where John Fowler was born."
PAGE = ("https://towns.example/sheffield", "Sheffield", f"{WEB_FACT} Steel is made there. Come.")


def measure(experiment, *arguments):
    ended = experiment("ablation", "set", *arguments, "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def rows_of(result):
    return {row["without"] or "full": row for row in result["rows"]}


def reply_of(body):
    """Needs no passage for a birth, and the fact of the web for it; all else is needed."""
    system, human = (message["content"] for message in body["messages"])
    birth = "born?" in human
    if "for a web search engine" in system:
        return {"queries": ["fowler birthplace"]}
    if "You answer a question" in system:
        if birth and WEB_FACT in human:
            quote = {
                "id": str(human[: human.index(WEB_FACT)].count("<text id=")),
                "quote": WEB_FACT,
            }
            return {"quotes": [quote], "sufficient": True, "answer": "Sheffield"}
        found = "Who designed" in human and "designed by John Fowler" in human
        return {"quotes": [], "sufficient": False, "answer": "John Fowler" if found else "no"}
    ids = [str(place) for place in range(1, 1 + human.count("<text id="))]
    is_strips = "You pick out the pieces" in system
    return {"needed": ids if is_strips or not birth else [], "related": []}


@pytest.fixture
def model(openai):
    openai.answer = reply_of
    return openai


@pytest.mark.slow
def test_every_part_is_left_out_once_and_compared_with_the_full_method(
    experiment, question_set, model, tavily
):
    tavily.pages = [PAGE]
    found = measure(experiment, *MODEL)
    rows = rows_of(found)
    assert [*rows] == ["full", *PARTS] and found["web"] and found["notes"] == []
    assert all(row["is_measured"] and row["failures"] == 0 for row in rows.values())
    assert rows["full"]["em"] == pytest.approx(2 / 3, abs=1e-4)
    assert rows["full"]["difference"]["f1"] == {"value": 0, "low": 0, "high": 0, "n": 3}
    assert {rows[part]["kind"] for part in PARTS[:3]} == {"action"}
    # Correct for two questions, incorrect for the third: three calls each, and four.
    assert rows["full"]["calls"] == 3 + 3 + 4
    assert rows["refine"]["calls"] == rows["full"]["calls"] - 2
    assert rows["rewrite"]["calls"] == rows["select"]["calls"] == rows["full"]["calls"] - 1
    assert rows["correct"]["calls"] == rows["full"]["calls"] + 2 * 2
    assert rows["incorrect"]["calls"] == rows["full"]["calls"] + 1
    assert rows["ambiguous"]["calls"] == rows["full"]["calls"]
    assert "Where was the designer of the Forth Bridge born?" in tavily.queries


CORRECT, BETWEEN, INCORRECT = [0.59, -1.0], [0.58, -1.0], [-1.0, -0.995]


@pytest.mark.parametrize(
    ("draw", "drawn"),
    [
        (never("correct"), ["ambiguous", "ambiguous", "incorrect", "incorrect"]),
        (never("incorrect"), ["correct", "ambiguous", "ambiguous", "ambiguous"]),
        (correct_or_incorrect, ["correct", "correct", "incorrect", "incorrect"]),
    ],
)
def test_a_verdict_that_is_left_out_is_never_drawn(draw, drawn):
    scores = [CORRECT, BETWEEN, INCORRECT, []]
    assert [draw(one, 0.59, -0.99) for one in scores] == drawn


@pytest.mark.parametrize(("score", "drawn"), [(-0.2, "correct"), (-0.21, "incorrect")])
def test_without_ambiguous_the_one_threshold_lies_midway(score, drawn):
    assert correct_or_incorrect([score, -1.0], 0.59, -0.99) == drawn


@pytest.mark.slow
def test_without_the_web_its_parts_are_marked_and_not_asked(experiment, question_set, model):
    found = measure(experiment, *MODEL, "--plot", "parts.svg")
    rows = rows_of(found)
    assert not found["web"] and "without TAVILY_API_KEY" in found["notes"][0]
    assert [name for name, row in rows.items() if not row["is_measured"]] == ["rewrite", "select"]
    assert "em" not in rows["select"]
    difference = rows["incorrect"]["difference"]["em"]
    assert difference["low"] <= difference["value"] <= difference["high"]
    drawn = ElementTree.parse("parts.svg").iter("{http://www.w3.org/2000/svg}text")
    texts = {element.text for element in drawn}
    assert {"full", "without refine", "F1"} <= texts and "without select" not in texts
    assert any("no web" in str(text) for text in texts)


@pytest.mark.slow
def test_the_difference_is_that_of_the_questions_in_pairs(experiment, question_set, model, tavily):
    tavily.pages = [("https://a.example", "Nothing", "Nothing is said here.")]
    rows = rows_of(measure(experiment, *MODEL))
    assert rows["full"]["em"] == pytest.approx(1 / 3, abs=1e-4)
    tavily.pages = [PAGE]
    rows = rows_of(measure(experiment, *MODEL, "--setting", "web_results=1"))
    lost = rows["incorrect"]["difference"]["em"]
    assert lost["value"] == pytest.approx(rows["incorrect"]["em"] - rows["full"]["em"], abs=1e-4)


@pytest.mark.slow
def test_finished_questions_are_kept_and_a_dry_run_counts_the_others(
    experiment, question_set, model
):
    kept = ("--index", "kept", *MODEL)
    assert measure(experiment, *kept, "--dry-run")["calls_least"] == 5 * 3
    assert not Path("kept").exists() and model.chats == []
    first = measure(experiment, *kept)
    asked = len(model.chats)
    assert measure(experiment, *kept) == first and len(model.chats) == asked
    assert measure(experiment, *kept, "--dry-run")["calls_most"] == 0
    assert {head["experiment"] for head in heads(Path("kept"))} == {"ablation"}


@pytest.mark.slow
def test_the_table_says_which_rows_need_the_web(experiment, question_set):
    shown = experiment("ablation", "set")
    lines = [line for line in shown.out.splitlines() if "w/o" in line]
    assert len(lines) == 6 and all("needs" in line for line in lines[-2:])
    assert "TAVILY_API_KEY" in shown.err and "interval of 95 %" in shown.out
