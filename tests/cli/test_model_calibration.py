"""``ragraphs calibrate --model``: a model's grades and its labels for hops, fitted to an index."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from communities_support import texts_of
from ragraphs.context import CragContext
from ragraphs.graphs.crag import graph
from ragraphs.index.grading import hop_skill
from ragraphs.index.opening import open_index

MODEL = "openai:stub"
NAMES = "Ada Bert Carl Dora Emil Fritz Gerda Hanna".split()


@pytest.fixture
def index(run):
    Path("docs").mkdir()
    for n, name in enumerate(NAMES):
        text = f"{name} Lind was born in {1850 + n}. {name} Lind built the {name} Bridge in Ulm."
        Path(f"docs/{name}.txt").write_text(text)
    assert run("index", "docs", "--layers", "hops", "--embeddings", "lexical", "-y")[0] == 0


def grading(of_right, of_others):
    """A model whose grades are those, and which follows the hops to what is asked about."""

    def reply(body):
        human = body["messages"][1]["content"]
        asked = next(name for name in NAMES if name in human.rsplit("Question:", 1)[1])
        if "follow-up" in human:
            lines = re.findall(r"^(\d+\.\d+) (.+)$", human, re.MULTILINE)
            return {"necessary": [id for id, line in lines if asked in line], "indirect": []}
        grades = {True: of_right, False: of_others}
        return {
            "grades": [
                {"id": id, "grade": grades[asked in text]} for id, _, text in texts_of(human)
            ]
        }

    return reply


@pytest.mark.slow
def test_thresholds_lie_between_the_models_own_grades(run, openai, index):
    openai.answer = grading(of_right=2, of_others=1)
    context = CragContext(index=".ragraphs", model=MODEL)
    question = {"question": "What did Ada Lind build?"}
    assert graph.invoke(question, context=context)["verdict"] != "correct"
    code, out, err = run("calibrate", "--model", MODEL, "--json")
    assert code == 0, err
    fitted = json.loads(out)
    assert fitted["verdicts"]["balanced_accuracy"] == 1.0
    assert fitted["parameters"] == {"upper": 0.0, "lower": 0.0}
    assert graph.invoke(question, context=context)["verdict"] == "correct"
    other = context.model_copy(update={"model": "openai:another"})
    assert graph.invoke(question, context=other)["verdict"] != "correct"


@pytest.mark.slow
def test_labels_for_hops_are_measured_and_kept(run, openai, index):
    openai.answer = grading(of_right=4, of_others=0)
    assert run("calibrate", "--model", MODEL)[0] == 0
    assert hop_skill(open_index(".ragraphs"), MODEL) == pytest.approx(1.0, abs=0.5)
    assert hop_skill(open_index(".ragraphs"), "openai:another") is None


@pytest.mark.slow
def test_a_model_that_grades_all_alike_is_refused(run, openai, index):
    openai.answer = grading(of_right=3, of_others=3)
    code, _, err = run("calibrate", "--model", MODEL)
    assert code == 1 and "do not tell the passage" in err and "--grader similarity" in err


def test_without_a_model_that_can_be_asked_nothing_is_fitted(run, index):
    code, _, err = run("calibrate", "--model", "offline")
    assert code == 1 and "--model" in err
