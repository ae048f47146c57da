"""``ragraphs evaluate curve``: a method at every value of its settings."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from question_set import QUESTIONS, write_set
from ragraphs.evaluation.results import heads, kept
from stub_openai import failure

MODEL = ("--model", "openai:stub", "--max-retries", "0")
FORTH = "The Forth Bridge was designed by John Fowler."


def measure(run, *arguments):
    ended = run("evaluate", "curve", "set", *arguments, "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def texts_of(file):
    drawn = ElementTree.parse(file).iter("{http://www.w3.org/2000/svg}text")
    return {element.text for element in drawn}


def reply_of(body):
    """The right answer to who designed the bridge, where at least two texts are shown."""
    asked = body["messages"][-1]["content"]
    if "Question: Who designed" in asked and asked.count("<text id=") > 1:
        quote = {"id": "1", "quote": FORTH}
        return {"quotes": [quote], "sufficient": True, "answer": "John Fowler"}
    return {"quotes": [], "sufficient": False, "answer": "Sheffield"}


@pytest.fixture
def model(openai):
    openai.answer = reply_of
    return openai


@pytest.mark.slow
def test_each_value_is_measured_by_hand(run, question_set, model):
    found = measure(run, "--method", "basic", "--vary", "top_k=1,2", *MODEL)
    one, two = found["points"]
    assert [one["values"], two["values"]] == [{"top_k": 1}, {"top_k": 2}]
    assert (one["em"], two["em"]) == (0.3333, 0.6667)
    assert one["support_recall"] == pytest.approx((1 + 0.5 + 1) / 3, abs=1e-4)
    assert (one["calls"], one["tokens"], found["questions"]) == (3, 3 * 107, 3)
    interval = two["intervals"]["em"]
    assert interval["value"] == two["em"] and interval["low"] == 0 and interval["high"] == 1


@pytest.mark.slow
def test_values_share_finished_questions_with_the_evaluation_of_answers(run, question_set, model):
    kept_in = ("--index", "kept", *MODEL)
    first = run("evaluate", "answers", "set", "--method", "basic", "--setting", "top_k=2", *kept_in)
    assert first.code == 0 and len(model.chats) == 3
    found = measure(run, "--method", "basic", "--vary", "top_k=1,2", *kept_in)
    assert len(model.chats) == 6
    assert measure(run, "--method", "basic", "--vary", "top_k=1,2", *kept_in) == found
    assert len(model.chats) == 6
    [head] = [head for head in heads(Path("kept")) if head["experiment"] == "curve"][:1]
    result = kept(Path("kept"), head["name"])
    assert result is not None and result["result"] == found
    assert [plot["kind"] for plot in result["plots"]] == ["curves"] * 3


@pytest.mark.slow
def test_two_settings_are_a_grid_with_a_line_for_each_value_of_the_second(run, question_set):
    varied = ("--vary", "n_hop=0,1", "--vary", "top_k=2,3", "--plot", "grid.svg")
    found = measure(run, "--method", "hoprag", *varied)
    values = [tuple(point["values"].values()) for point in found["points"]]
    assert values == [(0, 2), (0, 3), (1, 2), (1, 3)]
    said = {"F1", "n_hop", "top_k=2", "top_k=3", "calls a question", "tokens a question"}
    assert said <= texts_of("grid.svg")


@pytest.mark.slow
def test_values_that_are_no_numbers_are_bars(run, question_set):
    found = measure(run, "--method", "crag", "--vary", "grader=model,similarity", "--plot", "b.svg")
    assert [point["values"]["grader"] for point in found["points"]] == ["model", "similarity"]
    assert {"model", "similarity", "EM", "recall"} <= texts_of("b.svg")


@pytest.mark.slow
def test_values_below_zero_are_drawn_where_they_are(run, question_set):
    measure(run, "--method", "crag", "--vary", "strip_cut=-0.9,0.9", "--plot", "cut.svg")
    assert "strip_cut" in texts_of("cut.svg")


@pytest.mark.slow
def test_retrieval_alone_asks_nobody_and_needs_no_answers(run, question_set, openai, monkeypatch):
    monkeypatch.setenv("RAGRAPHS_MODEL", "openai:stub")
    questions = [{**one, "answer": "", "aliases": []} for one in QUESTIONS]
    write_set([*questions, {"id": "open", "question": "Why is that?"}])
    found = measure(
        run, "--method", "basic", "--vary", "top_k=1,2", "--retrieval", "--plot", "r.svg"
    )
    assert openai.chats == [] and found["model"] == "offline"
    assert (found["questions"], found["left_out"]) == (3, 1)
    one, two = (point["recall"]["all"]["value"] for point in found["points"])
    assert one == pytest.approx((1 + 0.5 + 1) / 3, abs=1e-4) and two == 1
    assert {"recall@2", "recall@all"} <= texts_of("r.svg")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["crag", "deeprag", "tog2", "graphrag"])
def test_the_evidence_of_every_method_is_measured(run, question_set, method):
    found = measure(run, "--method", method, "--vary", "top_k=2", "--retrieval")
    assert found["points"][0]["recall"]["all"]["value"] > 0


@pytest.mark.slow
def test_a_dry_run_asks_nobody_and_counts_what_is_left(run, question_set, model):
    asked = ("--method", "basic", "--vary", "top_k=1,2", "--index", "kept", *MODEL)
    dry = measure(run, *asked, "--dry-run")
    assert not Path("kept").exists() and model.chats == []
    assert (dry["calls_least"], dry["calls_most"]) == (6, 24)
    assert 0 < dry["tokens_least"] < dry["tokens_most"]
    measure(run, "--method", "basic", "--vary", "top_k=2", "--index", "kept", *MODEL)
    assert measure(run, *asked, "--dry-run")["calls_least"] == 3
    assert measure(run, *asked, "--dry-run", "--fresh")["calls_least"] == 6
    shown = run("evaluate", "curve", "set", *asked, "--dry-run").out
    assert "3 to 12 requests to openai:stub" in shown
    assert measure(run, *asked, "--retrieval", "--dry-run")["calls_most"] == 0


@pytest.mark.slow
def test_a_table_has_a_line_for_each_value(run, question_set, model):
    shown = run("evaluate", "curve", "set", "--method", "basic", "--vary", "top_k=1,2", *MODEL).out
    assert "66.7 (0–100)" in shown and "top_k=2" in shown and "interval of 95 %" in shown


@pytest.mark.slow
def test_questions_that_fail_are_told_with_their_value(run, question_set, model):
    model.answer = lambda body: failure(500, "out of order")
    shown = run("evaluate", "curve", "set", "--method", "basic", "--vary", "top_k=1", *MODEL)
    assert "3 questions failed with top_k=1" in shown.err and "out of order" in shown.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--vary", "top_k=1,999"], 2, "--top-k: must be less than or equal to 100."),
        (["--vary", "top_k=many"], 2, "--top-k: must be a whole number."),
        (["--vary", "top_k"], 2, "'top_k' needs the form NAME=V1,V2"),
        (["--vary", "top_k=1", "--vary", "top_k=2"], 2, "top_k is varied twice"),
        (["--vary", "index=a,b"], 2, "The index cannot be varied"),
        (["--vary", "n_hop=1,2"], 1, "'n_hop' is no setting of basic"),
        ([], 2, "--vary"),
    ],
)
def test_what_cannot_be_varied_is_one_sentence_before_anything_is_asked(
    run, question_set, model, arguments, code, words
):
    ended = run("evaluate", "curve", "set", "--method", "basic", *arguments, *MODEL)
    assert (ended.code, ended.out, model.chats) == (code, "", [])
    assert words in ended.err and len(ended.err.strip().splitlines()) == 1
