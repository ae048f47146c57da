"""``ragraphs evaluate closed-book``: what a model answers without documents."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from question_set import QUESTIONS, write_set
from ragraphs.context import Context
from ragraphs.evaluation.asking import open_asker
from ragraphs.evaluation.closed_book import closed_book
from ragraphs.index.opening import open_index
from replayed import Replay, recorded
from stub_openai import failure

MODEL = ("--model", "openai:stub", "--max-retries", "0")
KEPT = ("--index", "kept", *MODEL)


def measure(run, *arguments):
    ended = run("evaluate", "closed-book", "set", *arguments, "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def reply_of(body):
    """Right and sure of the first question, right by a guess of the second, wrong and sure."""
    asked = body["messages"][-1]["content"]
    if "Who designed" in asked:
        return {"known": True, "answer": "John Fowler"}
    if "Where was" in asked:
        return {"known": False, "answer": "Sheffield, perhaps"}
    return {"known": True, "answer": "1443"}


@pytest.fixture
def model(openai):
    openai.answer = reply_of
    return openai


@pytest.mark.slow
def test_answers_are_measured_apart_where_the_model_is_sure_and_where_it_guesses(
    run, question_set, model
):
    measured = measure(run, *MODEL)
    assert (measured["set"], measured["model"], measured["questions"]) == ("set", "openai:stub", 3)
    assert (measured["em"]["value"], measured["containment"]["value"]) == (0.3333, 0.6667)
    assert measured["f1"]["value"] == pytest.approx((1 + 2 / 3 + 0) / 3, abs=1e-4)
    assert (measured["known"]["value"], measured["known"]["n"]) == (0.6667, 3)
    assert (measured["if_known"]["em"]["value"], measured["if_known"]["em"]["n"]) == (0.5, 2)
    assert measured["if_guessed"]["containment"] == {
        "value": 1.0,
        "n": 1,
        "low": pytest.approx(0.2065, abs=1e-3),
        "high": 1.0,
    }
    assert measured["by_type"]["bridge"]["known"]["value"] == 0.0
    assert [row["known"] for row in measured["rows"]] == [True, False, True]
    assert "Texts" not in json.dumps(model.chats[0]) and "Forth Bridge was designed" not in str(
        model.chats
    )


@pytest.mark.slow
def test_an_interrupted_command_goes_on_with_the_replies_in_the_index(run, question_set, model):
    def until_the_last(body):
        korean = "훈민정음" in body["messages"][-1]["content"]
        return failure(503, "out of order") if korean else reply_of(body)

    model.answer = until_the_last
    stopped = run("evaluate", "closed-book", "set", *KEPT, "--concurrency", "1")
    assert stopped.code == 1 and "the same command goes on from here" in stopped.err
    model.answer = reply_of
    asked = len(model.chats)
    assert measure(run, *KEPT)["questions"] == 3
    assert len(model.chats) == asked + 1
    assert len(list(Path("kept/evaluations").glob("closed-book-*.json"))) == 1


@pytest.mark.slow
def test_without_an_index_nothing_is_left_behind(run, question_set, model):
    measure(run, *MODEL)
    measure(run, *MODEL)
    assert len(model.chats) == 6 and [one.name for one in Path().iterdir()] == ["set"]


@pytest.mark.slow
def test_a_dry_run_asks_nobody_and_knows_what_is_left_to_pay(run, question_set, model):
    first = measure(run, *KEPT, "--dry-run")
    assert model.chats == [] and first["calls_least"] == first["calls_most"] == 3
    assert first["tokens_least"] == first["tokens_most"] > 3 * 100
    measure(run, *KEPT, "--limit", "2")
    rest = measure(run, *KEPT, "--dry-run")
    assert rest["calls_most"] == 1 and 0 < rest["tokens_most"] < first["tokens_most"] / 2
    shown = run("evaluate", "closed-book", "set", *KEPT, "--dry-run")
    assert "1 requests to openai:stub" in shown.out and len(model.chats) == 2


@pytest.mark.slow
def test_a_reply_of_no_use_is_a_wrong_answer_neither_known_nor_guessed(run, question_set, model):
    def broken(body):
        return "I would rather not." if "Who designed" in str(body) else reply_of(body)

    model.answer = broken
    ended = run("evaluate", "closed-book", "set", *MODEL, "--json")
    measured = json.loads(ended.out)
    assert (measured["unanswered"], measured["em"]["n"], measured["known"]["n"]) == (1, 3, 2)
    assert measured["em"]["value"] == 0.0 and measured["rows"][0]["known"] is None
    assert len(measured["warnings"]) == 1
    shown = run("evaluate", "closed-book", "set", *MODEL)
    assert "1 questions got no usable reply and count as wrong" in shown.err


def test_an_answer_that_does_not_say_it_is_sure_is_a_guess(run, question_set, model):
    model.answer = lambda _: {"answer": "1446년"}
    measured = measure(run, *MODEL)
    assert measured["known"]["value"] == 0.0 and measured["if_guessed"]["em"]["value"] == 0.3333


@pytest.mark.slow
def test_a_table_and_a_plot_show_the_parts(run, question_set, model):
    shown = run("evaluate", "closed-book", "set", *MODEL, "--plot", "parts.svg")
    assert shown.code == 0 and "set · openai:stub without documents" in shown.out
    assert all(word in shown.out for word in ("known", "guessed", "bridge", "contains"))
    assert "guessed" in Path("parts.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [([], "A closed-book answer needs a language model; name one with --model")],
)
def test_without_a_model_there_is_nothing_to_measure(run, question_set, arguments, words):
    ended = run("evaluate", "closed-book", "set", *arguments)
    assert (ended.code, ended.out) == (1, "") and words in ended.err


def test_a_set_without_answers_is_refused(run, model):
    write_set([{"id": "open", "question": QUESTIONS[0]["question"]}])
    ended = run("evaluate", "closed-book", "set", *MODEL)
    assert ended.code == 1 and "has an answer to compare with" in ended.err


def test_other_code_asks_one_question(model, question_set):
    async def ask():
        index = open_index("kept", create=True)
        asker = await open_asker(index, Context(index="kept", model="openai:stub"), "A test")
        return await closed_book(asker, QUESTIONS[1]["question"])

    reply = asyncio.run(ask())
    assert (reply.known, reply.answer) == (False, "Sheffield, perhaps")


@pytest.mark.slow
def test_recorded_replies_of_a_reader_are_measured(run, openai):
    """Of six sub-questions the reader was sure of three, and right in these."""
    openai.answer = Replay(recorded())
    golds = {"Brand": "Henrik Ibsen", "Pearl Jam": "Seattle", "Aschenbrodel": "Johann Strauss II"}
    asked = [row.inputs["question"] for row in recorded() if row.prompt.name == "closed_book"]
    write_set(
        [
            {"question": one, "answer": next((golds[n] for n in golds if n in one), "another")}
            for one in asked
        ]
    )
    found = measure(run, *MODEL)
    assert (found["questions"], found["em"]["value"], found["known"]["value"]) == (6, 0.5, 0.5)
    assert (found["if_known"]["em"]["value"], found["if_guessed"]["em"]["value"]) == (1.0, 0.0)
