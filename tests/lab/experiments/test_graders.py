"""``lab.experiments grader``: how well CRAG's graders tell the passages that support."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from question_set import PASSAGES, QUESTIONS
from ragraphs.cli.calibration import Graded
from stub_openai import failure
from tiny_cross_encoder import LISTED

from lab.experiments.graders import auc, passage_measures, roc_curve

TOP = ("--setting", "top_k=4")
MODEL = ("--grader", "model", "--model", "openai:stub", "--max-retries", "0", *TOP)
KEPT = ("--index", "kept", *MODEL)
NAME = f"fastembed:{LISTED}"


def measure(experiment, *arguments):
    ended = experiment("grader", "set", *arguments, "--embeddings", "lexical", "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def labelled(body):
    """Text 1 is needed where the passages on the Forth are shown, and text 2 is related."""
    shown = "The Forth Bridge was designed" in body["messages"][-1]["content"]
    return {"needed": ["1"] if shown else [], "related": ["2"]}


@pytest.fixture
def encoder(cross_encoder, question_set) -> str:
    texts = [text for _, text in PASSAGES.values()] + [one["question"] for one in QUESTIONS]
    return str(cross_encoder([*texts, *(title for title, _ in PASSAGES.values())]))


def test_the_area_under_the_curve_is_the_share_of_pairs_in_order():
    rng = np.random.default_rng(5)
    grades, support = rng.integers(0, 5, 60) / 5, rng.random(60) < 0.3
    pairs = [(a, b) for a in grades[support] for b in grades[~support]]
    by_hand = np.mean([1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs])
    assert auc(grades, support) == pytest.approx(by_hand)
    assert np.isnan(auc(grades, np.zeros(60, dtype=bool)))


@pytest.mark.slow
def test_the_measures_of_passages_agree_with_those_by_hand():
    cases = [Graded([0.9, 0.6, -0.5], [True, False, True]), Graded([0.7, -1.0], [True, False])]
    found = passage_measures(cases, 0.5, seed=0)
    assert {name: one["value"] for name, one in found.items()} == {
        "accuracy": 0.6,
        "balanced_accuracy": pytest.approx((2 / 3 + 1 / 2) / 2, abs=1e-4),
        "precision": 0.6667,
        "recall": 0.6667,
        "f1": 0.6667,
        "auc": pytest.approx(5 / 6, abs=1e-4),
    }
    assert all(
        one["n"] == 5 and one["low"] <= one["value"] <= one["high"] for one in found.values()
    )
    curve = roc_curve(cases)
    assert (curve[0], curve[-1]) == ({"other": 0, "support": 0}, {"other": 1, "support": 1})
    nothing = passage_measures([Graded([], [])], 0.5, seed=0)
    assert nothing["auc"]["value"] is None and roc_curve([]) == []
    alone = passage_measures([Graded([0.9], [True])], 0.5, seed=0)
    assert (alone["recall"]["value"], alone["auc"]["value"]) == (1.0, None)


@pytest.mark.slow
def test_a_grader_is_measured_with_the_support_and_with_it_taken_away(
    experiment, question_set, openai
):
    openai.answer = labelled
    measured = measure(experiment, *MODEL)
    assert (measured["grader"], measured["model"]) == ("model", "openai:stub")
    assert (measured["questions"], measured["passages"], len(openai.chats)) == (3, 12, 6)
    assert measured["thresholds"] == {"upper": 0.75, "lower": -0.25}
    verdicts = measured["verdicts"]
    assert verdicts["with_support"]["correct"]["n"] == 3
    assert verdicts["support_taken_away"]["correct"]["n"] == 3
    assert verdicts["without_support"]["correct"] == {
        "value": None,
        "n": 0,
        "low": None,
        "high": None,
    }
    shown = [body["messages"][-1]["content"] for body in openai.chats]
    assert sum("훈민정음은 세종대왕이" in one and "언제 반포" in one for one in shown) == 1


@pytest.mark.slow
def test_the_grader_without_a_model_asks_nobody(experiment, question_set):
    measured = measure(experiment, "--setting", "top_k=4")
    assert measured["grader"] == "similarity" and measured["usage"]["models"] == {}
    assert measured["supports"]["auc"]["value"] > 0.9
    assert measured["verdicts"]["with_support"]["correct"]["value"] == 1.0


@pytest.mark.slow
def test_a_dry_run_knows_the_cost_and_an_interrupted_command_goes_on(
    experiment, question_set, openai
):
    planned = measure(experiment, *KEPT, "--dry-run")
    assert planned["calls_least"] == planned["calls_most"] == 6 and openai.chats == []

    def until_the_last(body):
        return failure(503, "busy") if len(openai.chats) > 3 else labelled(body)

    openai.answer = until_the_last
    stopped = experiment("grader", "set", *KEPT, "--concurrency", "1")
    assert stopped.code == 1 and "the same command goes on from here" in stopped.err
    kept = 6 - measure(experiment, *KEPT, "--dry-run")["calls_most"]
    asked, openai.answer = len(openai.chats), labelled
    measure(experiment, *KEPT)
    assert kept >= 3 and len(openai.chats) - asked == 6 - kept
    assert len(list(Path("kept/evaluations").glob("grader-*.json"))) == 1


@pytest.mark.slow
@pytest.mark.parametrize("reply", ["I would rather not.", {"needed": ["9"], "related": []}])
def test_a_reply_of_no_use_is_no_verdict_and_is_counted(experiment, question_set, openai, reply):
    openai.answer = lambda body: reply if "훈민정음은 언제" in str(body) else labelled(body)
    ended = experiment("grader", "set", *MODEL, "--json")
    measured = json.loads(ended.out)
    assert measured["unanswered"] == 2 and measured["warnings"]
    assert measured["verdicts"]["with_support"]["correct"]["n"] == 2
    assert measured["verdicts"]["support_taken_away"]["correct"]["n"] == 2
    shown = experiment("grader", "set", *MODEL)
    assert "2 replies were of no use and are left out" in shown.err


@pytest.mark.slow
def test_a_cross_encoder_is_measured_at_the_thresholds_that_are_given(experiment, encoder):
    chosen = ("--grader", "cross-encoder", "--setting", f"rerank={encoder}")
    measured = measure(experiment, *chosen, "--setting", "upper=0.9", "--setting", "lower=0.1")
    assert measured["model"] == NAME and measured["thresholds"] == {"upper": 0.9, "lower": 0.1}
    assert measured["supports"]["auc"]["value"] > 0.9 and measured["warnings"] == []
    shown = experiment("grader", "set", *chosen, "--plot", "grader.svg")
    assert shown.code == 0 and "support taken away" in shown.out
    assert "is not fitted to this index" in " ".join(shown.err.split())
    assert "ROC" in Path("grader.svg").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--setting", "max_calls=3"], "'max_calls' makes no difference to a grader"),
        (["--setting", "top_k=0"], "top-k"),
        (["--grader", "cross-encoder"], "The grader cross-encoder needs a model"),
        (["--grader", "model"], "The grader model needs a language model"),
        (["--limit", "0"], "limit"),
    ],
)
def test_what_concerns_all_questions_is_one_sentence(experiment, question_set, arguments, words):
    ended = experiment("grader", "set", *arguments)
    assert ended.code in (1, 2) and words in ended.err
