"""``ragraphs evaluate grader`` and ``evaluate retrieval --rerank``, and fitting a cross-encoder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from question_set import PASSAGES, QUESTIONS
from ragraphs.cli.calibration import thresholds_between
from ragraphs.cli.cross_encoders import logistic_fit
from ragraphs.context import IndexContext
from ragraphs.evaluation.graders import Graded, auc, passage_measures, roc_curve
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.grading import fitted_cross_encoder
from ragraphs.index.opening import open_index
from ragraphs.models.meter import start_meter
from stub_openai import failure
from tiny_cross_encoder import LISTED

TOP = ("--setting", "top_k=4")
MODEL = ("--grader", "model", "--model", "openai:stub", "--max-retries", "0", *TOP)
KEPT = ("--index", "kept", *MODEL)
NAME = f"fastembed:{LISTED}"


def measure(run, *arguments):
    ended = run("evaluate", "grader", "set", *arguments, "--embeddings", "lexical", "--json")
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


def test_a_grader_is_measured_with_the_support_and_with_it_taken_away(run, question_set, openai):
    openai.answer = labelled
    measured = measure(run, *MODEL)
    assert (measured["grader"], measured["model"]) == ("model", "openai:stub")
    assert (measured["questions"], measured["passages"], len(openai.chats)) == (3, 12, 6)
    assert measured["thresholds"] == {"upper": 0.5, "lower": -0.5}
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


def test_the_grader_without_a_model_asks_nobody(run, question_set):
    measured = measure(run, "--setting", "top_k=4")
    assert measured["grader"] == "similarity" and measured["usage"]["models"] == {}
    assert measured["supports"]["auc"]["value"] > 0.9
    assert measured["verdicts"]["with_support"]["correct"]["value"] == 1.0


def test_a_dry_run_knows_the_cost_and_an_interrupted_command_goes_on(run, question_set, openai):
    planned = measure(run, *KEPT, "--dry-run")
    assert planned["calls_least"] == planned["calls_most"] == 6 and openai.chats == []

    def until_the_last(body):
        return failure(503, "busy") if len(openai.chats) > 3 else labelled(body)

    openai.answer = until_the_last
    stopped = run("evaluate", "grader", "set", *KEPT, "--concurrency", "1")
    assert stopped.code == 1 and "the same command goes on from here" in stopped.err
    kept = 6 - measure(run, *KEPT, "--dry-run")["calls_most"]
    asked, openai.answer = len(openai.chats), labelled
    measure(run, *KEPT)
    assert kept >= 3 and len(openai.chats) - asked == 6 - kept
    assert len(list(Path("kept/evaluations").glob("grader-*.json"))) == 1


@pytest.mark.parametrize("reply", ["I would rather not.", {"needed": ["9"], "related": []}])
def test_a_reply_of_no_use_is_no_verdict_and_is_counted(run, question_set, openai, reply):
    openai.answer = lambda body: reply if "훈민정음은 언제" in str(body) else labelled(body)
    ended = run("evaluate", "grader", "set", *MODEL, "--json")
    measured = json.loads(ended.out)
    assert measured["unanswered"] == 2 and measured["warnings"]
    assert measured["verdicts"]["with_support"]["correct"]["n"] == 2
    assert measured["verdicts"]["support_taken_away"]["correct"]["n"] == 2
    shown = run("evaluate", "grader", "set", *MODEL)
    assert "2 replies were of no use and are left out" in shown.err


def test_a_cross_encoder_is_measured_at_the_thresholds_that_are_given(run, encoder):
    chosen = ("--grader", "cross-encoder", "--setting", f"rerank={encoder}")
    measured = measure(run, *chosen, "--setting", "upper=0.9", "--setting", "lower=0.1")
    assert measured["model"] == NAME and measured["thresholds"] == {"upper": 0.9, "lower": 0.1}
    assert measured["supports"]["auc"]["value"] > 0.9 and measured["warnings"] == []
    shown = run("evaluate", "grader", "set", *chosen, "--plot", "grader.svg")
    assert shown.code == 0 and "support taken away" in shown.out
    assert "is not fitted to this index" in " ".join(shown.err.split())
    assert "ROC" in Path("grader.svg").read_text()


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
def test_what_concerns_all_questions_is_one_sentence(run, question_set, arguments, words):
    ended = run("evaluate", "grader", "set", *arguments)
    assert ended.code in (1, 2) and words in ended.err


def test_retrieval_is_measured_after_reranking(run, encoder):
    def retrieval(*arguments):
        ended = run("evaluate", "retrieval", "set", *arguments, "--embeddings", "lexical", "--json")
        assert (ended.code, ended.err) == (0, "")
        return json.loads(ended.out)

    plain, reranked = retrieval(), retrieval("--rerank", encoder)
    assert (plain["rerank"], reranked["rerank"]) == ("", NAME)
    assert (reranked["precision"]["2"], reranked["f1"]["2"]) == (0.6667, 0.7778)
    assert retrieval("--rerank", encoder, "--rerank-candidates", "1")["precision"]["20"] == 1.0
    walked = retrieval("--rerank", encoder, "--retriever", "hoprag")
    assert walked["recall"]["20"] == 1.0
    shown = run("evaluate", "retrieval", "set", "--rerank", encoder, "--plot", "curve.svg")
    assert LISTED in shown.out.replace("\n", "") and "precision" in Path("curve.svg").read_text()


def test_scale_and_shift_are_those_of_a_logistic_regression():
    rng = np.random.default_rng(3)
    labels = rng.random(4000) < 0.5
    scores = rng.logistic(size=4000) * 0.0 + rng.normal(size=4000) + 2.0 * labels + 7
    scale, shift = logistic_fit(scores.tolist(), labels.tolist())
    assert scale == pytest.approx(2.0, rel=0.1)  # of two normal distributions 2.0 apart
    assert -shift / scale == pytest.approx(8.0, abs=0.1)
    separable = logistic_fit([1.0, 2.0, 10.0, 11.0], [False, False, True, True])
    assert 0 < separable[0] < 100


def test_thresholds_lie_between_good_and_bad_retrievals():
    upper, lower = thresholds_between([0.8, 0.9, 0.7], [0.1, 0.2, 0.75])
    assert upper in (0.7, 0.8) and lower <= upper
    assert thresholds_between([0.5], [-0.5]) == (0.5, 0.5)


PEOPLE = "Ada Bell|Carl Dorn|Eva Falk|Guy Hahn|Ida Jung|Karl Lind|Mia Nash|Otto Pohl".split("|")
PLACES = "Aston Bremen Cardiff Dover Exeter Fulda Ghent Hanau".split()
BIRTHS = [
    {
        "id": str(n),
        "title": person,
        "text": f"{person} was born in {place} in {1850 + n} and designed the {place} Bridge. "
        f"The {place} Bridge was opened in {1890 + n}. It is made of iron and stone.",
    }
    for n, (person, place) in enumerate(zip(PEOPLE, PLACES, strict=True))
]


def test_calibrate_fits_a_cross_encoder_to_an_index_and_keeps_that(run, cross_encoder):
    context = IndexContext(index="kept", embeddings="lexical", layers=["passages", "hops"])
    index_graph.invoke({"documents": BIRTHS}, context=context)
    encoder = cross_encoder([one["text"] for one in BIRTHS], per_word=10.0)
    ended = run("calibrate", "--index", "kept", "--cross-encoder", encoder, "--json")
    fitted = json.loads(ended.out)
    assert fitted["cross_encoder"] == NAME and fitted["questions"] >= 20
    parameters = fitted["parameters"]
    assert parameters["lower"] <= parameters["upper"] <= 1 and parameters["scale"] > 0
    assert fitted["verdicts"]["balanced_accuracy"] >= 0.7
    index = open_index("kept")
    assert fitted_cross_encoder(index, NAME) == parameters
    assert fitted_cross_encoder(index, "fastembed:another") is None
    assert NAME in " ".join(
        run("calibrate", "--index", "kept", "--cross-encoder", encoder).out.split()
    )
    changed = {"documents": [{"id": "new", "title": "Zoe", "text": "Zoe Adler was born in Trier."}]}
    index_graph.invoke(changed, context=context)
    meter = start_meter(None)
    assert fitted_cross_encoder(open_index("kept"), NAME) is None
    assert f"ragraphs calibrate --cross-encoder {NAME} --index" in meter.warnings[0]


def test_a_cross_encoder_that_tells_nothing_is_not_kept(run, cross_encoder):
    context = IndexContext(index="kept", embeddings="lexical", layers=["passages", "hops"])
    index_graph.invoke({"documents": BIRTHS}, context=context)
    backwards = cross_encoder([one["text"] for one in BIRTHS], per_word=-1.0)
    refused = run("calibrate", "--index", "kept", "--cross-encoder", backwards)
    assert refused.code == 1 and "does not tell the passage that answers a question" in refused.err
    assert fitted_cross_encoder(open_index("kept"), NAME) is None
