"""``python -m lab.experiments router``."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from ragraphs.evaluation.drawing import draw
from ragraphs.graphs.methods import METHODS

from lab.experiments.router import quality_against_cost

SVG = "{http://www.w3.org/2000/svg}"


def measure(experiment, *arguments):
    ended = experiment("router", "set", *arguments, "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


@pytest.mark.slow
def test_every_way_to_choose_is_measured_over_one_matrix(experiment, question_set):
    found = measure(experiment)
    names = [one["strategy"] for one in found["strategies"]]
    methods = list(METHODS)
    assert names == [
        *(f"always {method}" for method in methods),
        "random",
        "cascade, from scratch",
        "cascade",
        "oracle",
    ]
    by_name = {one["strategy"]: one for one in found["strategies"]}
    assert by_name["oracle"]["regret"] == 0
    assert all(one["regret"] >= 0 for one in found["strategies"])
    assert len(found["matrix"]) == found["questions"] == 3
    for row in found["matrix"]:
        assert list(row["methods"]) == methods
        assert row["cascade"]["tried"] == row["cascade_alone"]["tried"] == ["basic"]
    assert by_name["cascade"]["f1"] == by_name["always basic"]["f1"]
    assert found["verdict"].startswith("The cascade ")


@pytest.mark.slow
def test_it_shares_finished_questions_with_the_evaluation_of_answers(experiment, run, question_set):
    kept = ("--method", "basic", "--method", "crag", "--index", "kept")
    assert run("evaluate", "answers", "set", *kept).code == 0
    lines = Path("kept/answers.jsonl").read_text()
    assert measure(experiment, *kept) == measure(experiment, *kept)
    assert Path("kept/answers.jsonl").read_text().startswith(lines)
    assert len(Path("kept/answers.jsonl").read_text().splitlines()) == 9


@pytest.mark.slow
def test_a_method_beyond_the_budget_is_left_out_with_the_reason(experiment, question_set):
    kept = ("--method", "basic", "--method", "crag", "--setting", "max_calls=2")
    found = measure(experiment, *kept)
    assert [one["strategy"] for one in found["strategies"]][:2] == ["always basic", "random"]
    assert "at least 3 calls" in found["notes"][0]
    assert found["strategies"][2]["chosen"] == {"basic": 3}


def replies(body):
    """A model to which the nearest passages do not suffice, and those on a birth do."""
    kind, human = body["response_format"]["json_schema"]["name"], body["messages"][-1]["content"]
    missing = {"quotes": [], "sufficient": False, "answer": "", "missing": ["Where was he born?"]}
    if kind == "StepReading" and "in Sheffield" in human:
        quote = {"id": "1", "quote": "John Fowler was born in Sheffield in 1817."}
        return {**missing, "quotes": [quote], "sufficient": True, "answer": "Sheffield", "next": ""}
    if kind == "NextStep":
        return {"finish": False, "question": "Where was Fowler born?", "source": "retrieve"}
    return missing


@pytest.mark.slow
def test_the_cascade_is_run_and_counted_and_nobody_is_asked_twice(experiment, question_set, openai):
    openai.answer = replies
    given = (
        "--method",
        "basic",
        "--method",
        "deeprag",
        "--index",
        "kept",
        "--model",
        "openai:stub",
    )
    found = measure(experiment, *given)
    prompts = [json.dumps(body["messages"]) for body in openai.chats]
    assert len(prompts) == len(set(prompts))
    by_name = {one["strategy"]: one for one in found["strategies"]}
    basic, deeprag = by_name["always basic"], by_name["always deeprag"]
    assert basic["calls"] == 1.0
    for row in found["matrix"]:
        assert row["cascade"]["tried"] == row["cascade_alone"]["tried"] == ["basic", "deeprag"]
        assert row["methods"]["basic"]["missing"] == ["Where was he born?"]
    kept = [json.loads(line) for line in Path("kept/answers.jsonl").read_text().splitlines()]
    looked_up = [one["looked_up"] for one in kept if one["tried"] == ["deeprag"]]
    assert len(looked_up) == 3 and all(looked_up)
    assert by_name["cascade, from scratch"]["calls"] == 1.0 + deeprag["calls"]
    assert by_name["cascade, from scratch"]["tokens"] == basic["tokens"] + deeprag["tokens"]
    assert by_name["cascade"]["calls"] <= deeprag["calls"] + 1
    assert by_name["cascade"]["tokens"] == pytest.approx(107 * by_name["cascade"]["calls"], abs=0.1)
    assert measure(experiment, *given) == found and len(openai.chats) == len(prompts)
    once = measure(experiment, *given, "--setting", "escalations=0")
    assert {row["cascade"]["tried"][-1] for row in once["matrix"]} == {"basic"}
    assert len(openai.chats) == len(prompts)


@pytest.mark.slow
def test_a_table_ends_with_the_verdict_and_a_drawing_is_written(experiment, question_set):
    ended = experiment("router", "set", "--method", "basic", "--plot", "cost.svg")
    assert ended.code == 0 and "oracle" in ended.out
    assert "The cascade does not beat basic" in " ".join(ended.out.split())
    root = ElementTree.parse("cost.svg").getroot()
    labels = [text.text for text in root.iter(f"{SVG}text")]
    assert {"always basic", "cascade", "oracle", "set, offline"} <= set(labels)
    refused = experiment("router", "set", "--method", "basic", "--plot", "none/cost.svg")
    assert refused.code == 1 and "cannot be written" in refused.err


def test_points_lie_inside_the_drawing_and_labels_stand_apart():
    one = {"calls": 3.0, "f1": 0.5, "strategy": "always <b>"}
    free = {"calls": 0.0, "f1": 0.0, "strategy": "router"}
    ways = [one, {**one, "strategy": "oracle"}, free]
    draw(
        Path("a.svg"),
        [quality_against_cost({"set": "a & $b$", "model": "도시", "strategies": ways})],
    )
    root = ElementTree.parse("a.svg").getroot()
    width, height = (float(side) for side in root.get("viewBox").split()[2:])
    texts = {t.text: (float(t.get("x")), float(t.get("y"))) for t in root.iter(f"{SVG}text")}
    assert {"always <b>", "oracle", "router", "a & $b$, 도시"} <= texts.keys()
    assert all(0 <= x <= width and 0 <= y <= height for x, y in texts.values())
    assert abs(texts["always <b>"][1] - texts["oracle"][1]) >= 12
