"""``lab.training_data crag`` and ``hops``: labels from gold support alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from question_set import PASSAGES, QUESTIONS, write_set

MODEL = ("--model", "openai:stub", "--max-retries", "0")
BIRTH = QUESTIONS[1]
ASKED = {
    "Forth Bridge": (["Who designed the Forth Bridge?"], ["Where was John Fowler born?"]),
    "John Fowler": (["Where was John Fowler born?"], ["When was Tower Bridge opened?"]),
    "Tower Bridge": (["When was Tower Bridge opened?"], ["Who designed the Forth Bridge?"]),
    "훈민정음": (["훈민정음은 언제 반포되었습니까?"], ["When was Tower Bridge opened?"]),
}


@pytest.fixture
def make(training_data):
    """Makes training data of ``kind``; gives the summary and the rows."""

    def make(kind, *arguments):
        ended = training_data(kind, "set", "--out", "out.jsonl", *arguments,
                    "--json")  # fmt: skip
        assert (ended.code, ended.err) == (0, "")
        lines = Path("out.jsonl").read_text("utf-8").splitlines()
        return json.loads(ended.out), [json.loads(line) for line in lines]

    return make


def requests(openai, words):
    """The messages that were sent with ``words`` in them."""
    sent = [[message["content"] for message in body["messages"]] for body in openai.chats]
    return [texts for texts in sent if words in texts[1]]


def asked(rows):
    return [[message["content"] for message in row["messages"][:2]] for row in rows]


def reply(row):
    return json.loads(row["messages"][-1]["content"])


def titles(row, ids):
    shown = dict(re.findall(r'<text id="(\d+)" title="(.*?)">', row["messages"][1]["content"]))
    return {shown[id] for id in ids}


@pytest.mark.slow
def test_grades_are_those_of_gold_support_in_the_graders_own_request(make, run, openai):
    write_set()
    summary, rows = make("crag", "--index", "kept")
    assert openai.chats == [] and summary["questions"] == 3
    by_question = {row["source"]["question"]: row for row in rows}
    graded = {one["id"]: one["grade"] for one in reply(by_question["birth"])["grades"]}
    assert titles(by_question["birth"], graded) == {"Forth Bridge", "John Fowler"}
    states = [id for id, grade in graded.items() if grade == 4]
    assert titles(by_question["birth"], states) == {"John Fowler"}
    openai.answer = lambda body: {"grades": [{"id": "1", "grade": 4}]}
    for question in QUESTIONS:
        run("ask", question["question"], "--method", "crag", "--index", "kept", *MODEL)
    graded = requests(openai, "Question: ")
    assert len(rows) == 3 and all(request in graded for request in asked(rows))


def test_pairs_for_cross_encoders_have_a_label_for_each_passage_found(make):
    write_set()
    summary, rows = make("crag", "--form", "pairs", "--setting", "top_k=2")
    assert (summary["passages"], len(rows)) == (6, 6)
    own = [row for row in rows if row["source"]["question"] == "designer"]
    assert own[0]["query"] == "Who designed the Forth Bridge?"
    assert own[0]["text"] == "\n".join(PASSAGES["forth"])
    assert [row["label"] for row in own] == [1, 0]
    assert summary["supporting"] == sum(row["label"] for row in rows)


@pytest.mark.slow
def test_a_question_for_which_nothing_is_found_is_an_example_of_an_empty_list(make):
    write_set([{**BIRTH, "supporting": ["hangul"]}, {**BIRTH, "id": "none", "supporting": []}])
    summary, [row] = make("crag", "--setting", "top_k=1")
    assert reply(row) == {"grades": []}
    assert (summary["nothing_supporting"], summary["without_support"]) == (1, 1)


@pytest.fixture
def walked(run, openai):
    """A model that writes the questions above, follows what leads to gold, and answers."""

    def answer(body):
        human = body["messages"][1]["content"]
        if "Write both lists" in human:
            incoming, outgoing = ASKED[re.search(r'title="(.+?)"', human)[1]]
            return {"incoming": incoming, "outgoing": outgoing}
        if "follow-up" in human:
            lines = re.findall(r"^(\d+\.\d+) .+ → (.+)$", human, re.MULTILINE)
            gold = ("Forth Bridge", "John Fowler")
            return {"necessary": [id for id, title in lines if title in gold], "indirect": []}
        return {"quotes": [], "sufficient": False, "answer": "", "missing": []}

    openai.answer = answer
    write_set([BIRTH])
    run("index", "set/passages.jsonl", "--index", "kept", "--layers", "hops", "--yes", *MODEL)
    del openai.requests[:]
    return openai


@pytest.mark.slow
def test_hops_to_supporting_passages_are_necessary_in_the_walks_own_requests(make, run, walked):
    summary, rows = make("hops", "--index", "kept", "--setting", "top_k=1", "--empty", "9")
    assert walked.chats == [] and rows
    for row in rows:
        lines = re.findall(r"^(\d+\.\d+) .+ → (.+)$", row["messages"][1]["content"], re.MULTILINE)
        gold = [id for id, title in lines if title in ("Forth Bridge", "John Fowler")]
        assert reply(row) == {"necessary": gold, "indirect": []}
    assert summary["with_necessary"] >= 1
    run("ask", BIRTH["question"], "--method", "hoprag", "--index", "kept", "--top-k", "1", *MODEL)
    assert asked(rows) == requests(walked, "Still to be found")


@pytest.mark.slow
def test_examples_with_nothing_necessary_are_kept_in_the_ratio_that_is_asked_for(make, walked):
    whole, rows = make("hops", "--index", "kept", "--setting", "top_k=1", "--empty", "9")
    few, kept = make("hops", "--index", "kept", "--setting", "top_k=1", "--empty", "0")
    assert few["left_out"] == whole["nothing_necessary"] and few["nothing_necessary"] == 0
    assert kept == [row for row in rows if reply(row)["necessary"]]


@pytest.mark.slow
def test_a_dry_run_of_hops_that_a_model_would_have_to_read_for_names_the_command(
    training_data, openai
):
    write_set()
    command = ("hops", "set", "--out", "out.jsonl", "--dry-run")
    ended = training_data(*command, *MODEL)
    assert ended.code == 1 and "--layers hops --dry-run" in ended.err and openai.chats == []
    assert "0 to 0 requests" in training_data(*command).out
