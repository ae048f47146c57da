"""``ragraphs evaluate router``."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import get_args

import pytest
from ragraphs.context import MethodName
from ragraphs.evaluation.plot import draw

SVG = "{http://www.w3.org/2000/svg}"


def measure(run, *arguments):
    ended = run("evaluate", "router", "set", *arguments, "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def test_every_way_to_choose_is_measured_over_one_matrix(run, question_set):
    found = measure(run, "--held-out")
    names = [one["strategy"] for one in found["strategies"]]
    methods = list(get_args(MethodName))
    assert names == [
        *(f"always {method}" for method in methods),
        "random",
        "router",
        "router, escalating",
        "router, held out",
        "best single, held out",
        "oracle",
    ]
    by_name = {one["strategy"]: one for one in found["strategies"]}
    assert by_name["oracle"]["regret"] == 0
    assert all(one["regret"] >= 0 for one in found["strategies"])
    assert len(found["matrix"]) == found["questions"] == 3
    for row in found["matrix"]:
        assert list(row["methods"]) == methods
        assert row["router"] in methods and row["reason"] and row["kind"] in found["kinds"]
    chosen = [row["methods"][row["router"]]["f1"] for row in found["matrix"]]
    assert by_name["router"]["f1"] == pytest.approx(sum(chosen) / 3, abs=1e-4)
    assert found["verdict"].startswith("The router ")


def test_it_shares_finished_questions_with_the_evaluation_of_answers(run, question_set):
    kept = ("--method", "basic", "--method", "crag", "--index", "kept")
    assert run("evaluate", "answers", "set", *kept).code == 0
    lines = Path("kept/answers.jsonl").read_text()
    assert measure(run, *kept) == measure(run, *kept)
    assert Path("kept/answers.jsonl").read_text() == lines


def test_a_method_beyond_the_budget_is_left_out_with_the_reason(run, question_set):
    kept = ("--method", "basic", "--method", "crag", "--setting", "max_calls=2")
    found = measure(run, *kept)
    assert [one["strategy"] for one in found["strategies"]][:2] == ["always basic", "random"]
    assert "at least 3 calls" in found["excluded"]["crag"]
    assert found["strategies"][2]["chosen"] == {"basic": 3}


def test_where_the_classifier_abstains_the_model_chooses_and_that_is_counted(
    run, question_set, openai, monkeypatch
):
    def answer(body):
        kind = body["response_format"]["json_schema"]["name"]
        if kind == "MethodChoice":
            return {"method": "magic", "reason": "Because."}
        return {"quotes": [], "sufficient": False, "answer": "no"}

    from ragraphs.models.router import KIND_CLASSIFIER

    monkeypatch.setitem(KIND_CLASSIFIER, "margin", 1.0)
    openai.answer = answer
    given = ("--method", "basic", "--method", "crag", "--setting", "grader=similarity")
    found = measure(run, *given, "--model", "openai:stub")
    assert found["abstained"] == 3
    assert {row["router"] for row in found["matrix"]} == {"crag"}
    router = next(one for one in found["strategies"] if one["strategy"] == "router")
    crag = next(one for one in found["strategies"] if one["strategy"] == "always crag")
    assert router["calls"] == crag["calls"] + 1


def test_a_table_ends_with_the_verdict_and_a_drawing_is_written(run, question_set):
    ended = run("evaluate", "router", "set", "--method", "basic", "--plot", "cost.svg")
    assert ended.code == 0 and "oracle" in ended.out
    assert "The router does not beat basic" in ended.out
    root = ElementTree.parse("cost.svg").getroot()
    labels = [text.text for text in root.iter(f"{SVG}text")]
    assert {"always basic", "random", "router", "oracle", "set, offline"} <= set(labels)
    refused = run("evaluate", "router", "set", "--method", "basic", "--plot", "none/cost.svg")
    assert refused.code == 1 and "cannot be written" in refused.err


def test_points_lie_inside_the_drawing_and_labels_stand_apart():
    one = {"calls": 3.0, "f1": 0.5, "strategy": "always <b>"}
    free = {"calls": 0.0, "f1": 0.0, "strategy": "router"}
    draw(Path("a.svg"), "a & $b$ 도시", [one, {**one, "strategy": "oracle"}, free])
    root = ElementTree.parse("a.svg").getroot()
    width, height = (float(side) for side in root.get("viewBox").split()[2:])
    texts = {t.text: (float(t.get("x")), float(t.get("y"))) for t in root.iter(f"{SVG}text")}
    assert {"always <b>", "oracle", "router", "a & $b$ 도시"} <= texts.keys()
    assert all(0 <= x <= width and 0 <= y <= height for x, y in texts.values())
    assert abs(texts["always <b>"][1] - texts["oracle"][1]) >= 12


def test_a_missing_library_is_one_sentence_before_anything_is_asked(
    run, question_set, openai, monkeypatch
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "ragraphs.evaluation.plot")
    asked = ("--method", "basic", "--model", "openai:stub", "--plot", "cost.svg")
    ended = run("evaluate", "router", "set", *asked)
    assert (ended.code, openai.requests) == (1, [])
    assert ended.err.endswith("run: pip install 'ragraphs[evaluate]'\n")
