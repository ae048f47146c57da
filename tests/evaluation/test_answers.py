"""``ragraphs evaluate answers``: its measures, and how it goes on after an interruption."""

from __future__ import annotations

import json
import signal
import sys
import threading
from pathlib import Path

import pytest
from command_line import started
from http_stub import Response
from question_set import QUESTIONS, write_set
from ragraphs.evaluation.outcomes import hops_of
from ragraphs.graphs.methods import METHODS
from stub_openai import chat, failure

KEYS = """set method model questions em f1 containment support_recall calls tokens
seconds_per_question by_type""".split()
MODEL = ("--model", "openai:stub", "--max-retries", "0")


def measure(run, *arguments):
    ended = run("evaluate", "answers", "set", *arguments, "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def reply_of(body):
    """The right answer to the first question, and a sentence for the others."""
    asked = body["messages"][-1]["content"]
    if "Question: Who designed" in asked:
        quote = "The Forth Bridge was designed by John Fowler."
        return {
            "quotes": [{"id": "1", "quote": quote}],
            "sufficient": True,
            "answer": "John Fowler",
        }
    return {"quotes": [], "sufficient": False, "answer": "It was Sheffield, perhaps."}


@pytest.fixture
def model(openai):
    openai.answer = reply_of
    return openai


@pytest.mark.slow
def test_every_method_is_measured_in_the_form_that_is_documented(run, question_set):
    measured = measure(run)
    assert [one["method"] for one in measured] == list(METHODS)
    for one in measured:
        assert [key for key in one if key in KEYS] == KEYS
        assert (one["set"], one["model"], one["questions"]) == ("set", "offline", 3)
        assert one["calls"] >= 3 and one["seconds_per_question"] > 0 and one["failures"] == 0
        assert one["by_type"]["single"]["em"] == 1.0
        assert one["by_type"]["bridge"]["questions"] == 1


@pytest.mark.slow
def test_what_is_measured_agrees_with_the_answers_by_hand(run, question_set, model):
    (measured,) = measure(run, "--method", "basic", "--setting", "top_k=1", *MODEL)
    assert (measured["em"], measured["containment"]) == (0.3333, 0.6667)
    assert measured["f1"] == pytest.approx((1 + 0.4 + 0) / 3, abs=1e-4)
    assert measured["support_recall"] == pytest.approx((1 + 0.5 + 1) / 3, abs=1e-4)
    assert measured["support_precision"] == 1.0
    assert measured["support_f1"] == pytest.approx((1 + 2 / 3 + 1) / 3, abs=1e-4)
    assert (measured["calls"], measured["tokens"]) == (3, 3 * 107)
    assert (measured["retrievals_per_question"], measured["hops_per_question"]) == (1.0, None)
    assert measured["by_type"]["single"] == {
        "questions": 2,
        "em": 0.5,
        "f1": 0.5,
        "containment": 0.5,
        "support_recall": 1.0,
        "support_precision": 1.0,
        "support_f1": 1.0,
    }


@pytest.mark.slow
def test_more_evidence_than_supports_costs_precision_and_not_recall(run, question_set):
    (measured,) = measure(run, "--method", "basic", "--setting", "top_k=4")
    assert (measured["support_recall"], measured["support_precision"]) == (1.0, 0.3333)
    assert measured["support_f1"] == pytest.approx((0.4 + 2 / 3 + 0.4) / 3, abs=1e-4)


@pytest.mark.slow
def test_hops_are_counted_for_the_methods_that_go_on_from_what_they_found(run, question_set):
    measured = {one["method"]: one["hops_per_question"] for one in measure(run)}
    assert {method for method, hops in measured.items() if hops is None} == {
        "basic",
        "crag",
        "graphrag",
    }
    assert measured["hoprag"] > 0 and measured["tog2"] > 0


def test_the_hops_of_an_output_are_rounds_or_sub_questions():
    rounds = [{"round": 0}, {"round": 2}, {"round": 1}]
    part = {"parent": "0", "question": "?", "answer": "", "citations": []}
    tree = [
        {"parent": "", "status": "split"},
        {**part, "status": "answered"},
        {**part, "status": "not_found"},
    ]
    step = {"question": "?", "answer": "", "citations": [], "source": "retrieve"}
    assert hops_of({"hops": rounds}) == 2 and hops_of({"hops": []}) == 0
    assert hops_of({"paths": rounds}) == 2
    assert hops_of({"steps": [], "tree": tree}) == 2
    assert hops_of({"steps": [{**step, "number": 0}, {**step, "number": 1}], "tree": []}) == 1
    assert hops_of({"path": ["crag", "hoprag"], "details": {"hops": rounds}}) == 2
    assert hops_of({"verdict": "correct"}) is None and hops_of({}) is None


@pytest.mark.slow
def test_a_table_shows_a_line_for_each_method(run, question_set):
    shown = run("evaluate", "answers", "set", "--method", "crag", "--method", "basic")
    lines = [line for line in shown.out.splitlines() if line.startswith("│")]
    shown_for = [next(m for m in ("crag", "basic") if m in line) for line in lines]
    assert shown_for == ["crag", "basic"] * 2 and "precision" in shown.out
    assert "set · offline · 3 questions" in shown.out and "EM" in shown.out


@pytest.mark.slow
def test_finished_questions_are_not_asked_again_unless_something_changed(run, question_set, model):
    kept = ("--method", "basic", "--index", "kept", *MODEL)
    measure(run, *kept, "--limit", "2")
    assert len(model.chats) == 2
    first = measure(run, *kept)
    assert len(model.chats) == 3
    assert measure(run, *kept) == first
    assert len(model.chats) == 3
    measure(run, *kept, "--setting", "top_k=1")
    assert len(model.chats) == 6
    write_set(tower="Tower Bridge was opened on 30 June 1894.")
    (again,) = measure(run, *kept)
    assert again["calls"] == 3 and len(model.chats) + again["reused"] == 9


@pytest.mark.slow
def test_fresh_asks_again_and_what_the_index_remembers_of_replies_is_counted(
    run, question_set, model
):
    kept = ("--method", "basic", "--index", "kept", *MODEL)
    (first,) = measure(run, *kept)
    (fresh,) = measure(run, *kept, "--fresh")
    assert (first["reused"], fresh["reused"], fresh["calls"]) == (0, 3, 3)
    assert fresh["tokens"] == first["tokens"] > 0
    assert len(Path("kept/answers.jsonl").read_text().splitlines()) == 3


@pytest.mark.slow
def test_a_layer_of_another_method_leaves_finished_questions_alone(run, question_set, model):
    basic = ("--method", "basic", "--index", "kept", *MODEL)
    measure(run, *basic)
    measure(run, "--method", "hoprag", "--index", "kept")
    asked = len(model.chats)
    measure(run, *basic)
    assert len(model.chats) == asked


@pytest.mark.slow
def test_a_model_that_answers_does_not_read_the_passages_anew(run, question_set, model):
    measure(run, "--method", "hoprag", "--index", "kept")
    measure(run, "--method", "hoprag", "--index", "kept", "--setting", "n_hop=0", *MODEL)
    kinds = {body["response_format"]["json_schema"]["name"] for body in model.chats}
    assert kinds == {"Answer"}


@pytest.mark.slow
def test_a_torn_line_costs_its_question_only(run, question_set, model):
    kept = ("--method", "basic", "--index", "kept", *MODEL)
    first = measure(run, *kept)
    file = Path("kept/answers.jsonl")
    file.write_text(file.read_text()[:-20])
    (again,) = measure(run, *kept)
    assert (again["reused"], again["em"]) == (1, first[0]["em"])
    assert measure(run, *kept)[0]["reused"] == 1


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished(run, question_set, model):
    third = threading.Event()

    def slow(body):
        if len(model.chats) < 2:
            return reply_of(body)
        third.set()
        return Response(chat("{}").body, seconds=60)

    model.answer = slow
    command = [sys.executable, "-c", "from ragraphs.cli.main import main; main()"]
    command += ["evaluate", "answers", "set", "--method", "basic", "--index", "kept", *MODEL]
    running = started(command)
    assert third.wait(60)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "") and "interrupted" in err
    model.answer = reply_of
    asked = len(model.chats)
    assert measure(run, "--method", "basic", "--index", "kept", *MODEL)[0]["questions"] == 3
    assert len(model.chats) == asked + 1


@pytest.mark.slow
def test_a_question_that_fails_is_counted_and_asked_again_the_next_time(run, question_set, model):
    def broken(body):
        korean = "Question: 훈민정음" in body["messages"][-1]["content"]
        return failure(500, "out of order") if korean else reply_of(body)

    model.answer = broken
    kept = ("--method", "basic", "--index", "kept", *MODEL)
    (measured,) = measure(run, *kept)
    assert (measured["failures"], measured["questions"], measured["em"]) == (1, 3, 0.3333)
    assert "out of order" in measured["first_failure"]
    shown = run("evaluate", "answers", "set", *kept)
    assert "1 questions failed with basic" in shown.err and "out of order" in shown.err
    model.answer = reply_of
    assert measure(run, *kept)[0]["failures"] == 0


@pytest.mark.slow
def test_questions_are_asked_at_the_same_time_when_that_is_wanted(run, question_set, model):
    model.answer = lambda body: Response(chat(json.dumps(reply_of(body))).body, seconds=0.3)
    measure(run, "--method", "basic", "--parallel", "3", *MODEL)
    assert model.most_in_flight == 3
    assert len(model.chats) == 3


@pytest.mark.slow
def test_questions_without_an_answer_are_left_out_and_counted(run, question_set):
    write_set([*QUESTIONS, {"id": "open", "question": "Why is that?"}])
    (measured,) = measure(run, "--method", "basic")
    assert (measured["questions"], measured["without_answer"]) == (3, 1)
    write_set([{"id": "open", "question": "Why is that?"}])
    refused = run("evaluate", "answers", "set")
    assert refused.code == 1 and "has an answer to compare with" in refused.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--method", "magic"], 2, "'magic' is no method; choose from basic"),
        (["--method", "basic", "--setting", "n_hop=2"], 1, "'n_hop' is no setting of basic"),
        (["--setting", "n_hop=99"], 2, "n-hop"),
        (["--model", "openai:any"], 1, "needs a key"),
    ],
)
def test_what_concerns_all_questions_is_one_sentence(run, question_set, arguments, code, words):
    ended = run("evaluate", "answers", "set", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert words in ended.err and len(ended.err.strip().splitlines()) == 1
