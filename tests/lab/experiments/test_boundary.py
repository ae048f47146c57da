"""`lab.experiments boundary`: whether DeepRAG retrieves where its model lacks the answer."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from question_set import QUESTIONS, write_set
from ragraphs.evaluation.results import heads

from lab.experiments.boundary import Counts, accuracy, balanced_accuracy, counts_of, f1, mcc

MODEL = ("--model", "openai:stub", "--max-retries", "0")
DESIGNER, BIRTH, HANGUL = (one["question"] for one in QUESTIONS)
# The model says that it is sure of the first two, and is right in the first and the last.
KNOWN = {DESIGNER: (True, "John Fowler"), BIRTH: (True, "London"), HANGUL: (False, "1446년")}


class Script:
    """A model that asks every question as its one step, and has another opinion of each."""

    def __init__(self):
        self.known = dict(KNOWN)
        self.asked = []
        self.broken = False

    def __call__(self, body):
        kind = body["response_format"]["json_schema"]["name"]
        human = body["messages"][1]["content"]
        self.asked.append(kind)
        question = re.findall(r"^(?:Question|Current sub-question): (.+)$", human, re.MULTILINE)[-1]
        if kind == "NextStep":
            return {"finish": False, "question": question, "source": "retrieve", "reason": ""}
        if kind == "ClosedBookAnswer":
            known, answer = self.known[question]
            return answer if known is None else {"known": known, "answer": answer}
        if kind == "Answer" and self.broken:
            return "no JSON"
        return {"quotes": [], "sufficient": False, "answer": "", "final": "", "next": ""}


@pytest.fixture
def model(openai):
    openai.answer = Script()
    return openai


def measure(experiment, *arguments):
    ended = experiment("boundary", "set", *MODEL, *arguments, "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def test_the_measures_by_hand():
    counts = Counts(6, 3, 2, 4)
    assert accuracy(counts) == pytest.approx(10 / 15)
    assert balanced_accuracy(counts) == pytest.approx((6 / 8 + 4 / 7) / 2)
    assert f1(counts) == pytest.approx(12 / 17)
    assert mcc(counts) == pytest.approx((6 * 4 - 3 * 2) / np.sqrt(9 * 8 * 7 * 6))
    assert np.isnan(mcc(Counts(3, 2, 0, 0))) and np.isnan(balanced_accuracy(Counts(3, 0, 1, 0)))
    assert (f1(Counts(0, 1, 0, 3)), mcc(Counts(3, 0, 0, 2))) == (0, 1)


def test_cases_are_counted_along_the_last_axis():
    counts = counts_of(np.array([[0, 0, 1, 2], [3, 3, 3, 2]]))
    assert [list(count) for count in counts] == [[2, 0], [1, 0], [1, 1], [0, 3]]


@pytest.mark.slow
def test_decisions_are_compared_with_what_the_model_knows(experiment, question_set, model):
    found = measure(experiment, "--plot", "boundary.svg")
    cases = {case["question"]: case for case in found["cases"]}
    told = [(cases[one]["retrieved"], cases[one]["knows"]) for one in (DESIGNER, BIRTH, HANGUL)]
    assert told == [(False, True), (False, False), (True, True)]
    deeprag = found["deciders"]["deeprag"]
    counts = {"retrieved_needed": 0, "retrieved_known": 1, "kept_needed": 1, "kept_known": 1}
    assert deeprag["counts"] == counts
    assert deeprag["accuracy"]["value"] == pytest.approx(1 / 3, abs=1e-4)
    assert deeprag["balanced_accuracy"]["value"] == pytest.approx((0 + 1 / 2) / 2)
    assert (deeprag["f1"]["value"], deeprag["mcc"]["value"]) == (0, -0.5)
    assert found["needs_retrieval"]["value"] == pytest.approx(1 / 3, abs=1e-4)
    assert found["deciders"]["the model's word"]["counts"] == counts
    assert found["measured"] == found["questions"] == 3 and found["unanswered"] == 0
    assert found["retrievals"]["low"] <= found["retrievals"]["value"] <= found["retrievals"]["high"]
    drawn = ElementTree.parse("boundary.svg").iter("{http://www.w3.org/2000/svg}text")
    assert {"MCC", "not retrieved", "the model knows"} <= {element.text for element in drawn}


@pytest.mark.slow
def test_a_measure_without_a_value_has_none(experiment, question_set, model):
    model.answer.known = {one: (True, "nobody") for one in KNOWN}
    deeprag = measure(experiment)["deciders"]["deeprag"]
    assert (deeprag["mcc"]["value"], deeprag["balanced_accuracy"]["value"]) == (None, None)
    assert deeprag["accuracy"]["value"] == deeprag["f1"]["value"] == 0
    shown = experiment("boundary", "set", *MODEL).out
    assert "–" in shown and "100.0 (44–100) % of the questions need retrieval" in shown


@pytest.mark.slow
def test_a_reply_that_is_no_use_is_counted_and_decides_nothing(experiment, question_set, model):
    model.answer.known[BIRTH] = (None, "no JSON")
    found = measure(experiment)
    assert (found["unanswered"], found["measured"], found["questions"]) == (1, 2, 3)
    assert BIRTH not in [case["question"] for case in found["cases"]]
    shown = experiment("boundary", "set", *MODEL)
    assert "1 questions had no usable reply without documents" in shown.err


@pytest.mark.slow
def test_a_question_that_deeprag_failed_on_decides_nothing(experiment, question_set, model):
    model.answer.broken = True
    found = measure(experiment)
    assert (found["deeprag"]["failures"], found["measured"], found["questions"]) == (1, 2, 3)
    assert HANGUL not in [case["question"] for case in found["cases"]]
    shown = experiment("boundary", "set", *MODEL)
    assert "1 questions failed with deeprag and are left out" in shown.err


@pytest.mark.slow
def test_what_is_finished_is_kept_and_a_dry_run_counts_the_rest(experiment, question_set, model):
    kept = ("--index", "kept")
    dry = measure(experiment, *kept, "--dry-run")
    assert (dry["calls_least"], dry["calls_most"]) == (3 + 3, 3 * 24 + 3)
    assert not Path("kept").exists() and model.answer.asked == []
    first = measure(experiment, *kept)
    asked = len(model.answer.asked)
    # The step was the question itself, so that its reply is known without documents.
    assert model.answer.asked.count("ClosedBookAnswer") == 3
    assert measure(experiment, *kept) == first and len(model.answer.asked) == asked
    assert {*measure(experiment, *kept, "--dry-run").values()} == {0, "openai:stub"}
    assert {head["experiment"] for head in heads(Path("kept"))} == {"boundary"}


def test_without_a_model_there_is_no_boundary(experiment, question_set):
    refused = experiment("boundary", "set", "--index", "kept")
    assert (refused.code, refused.out) == (1, "") and "--model" in refused.err
    assert not Path("kept").exists()


def test_a_set_without_answers_is_one_sentence(experiment, model):
    write_set([{"id": "open", "question": "Why is that?"}])
    refused = experiment("boundary", "set", *MODEL)
    assert refused.code == 1 and "has an answer to compare with" in refused.err
