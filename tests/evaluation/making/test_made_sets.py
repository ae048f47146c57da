"""Sets that were made from an index: asked in that index as it is, or in one of their own."""

from __future__ import annotations

import json
import re
import signal
import sys
import threading
from pathlib import Path

import pytest
from command_line import started
from http_stub import Response
from pointed import as_written
from ragraphs.context import IndexContext
from ragraphs.index.opening import open_index
from stub_openai import chat

MODEL = ("--model", "openai:stub", "--max-retries", "0")
ALL = ("--facts", "6", "--two-hop", "2", "--unanswerable", "4")
_TEXT = re.compile(r'<text id="(\d+)" title="[^"]*">\n(.*?)\n</text>', re.DOTALL)


def evaluate(run, *arguments):
    ended = run("evaluate", *arguments, "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def documents(index="notes"):
    return {row["id"] for row in open_index(IndexContext(index=index)).catalogue.documents()}


def _beside_the_point(question, human):
    """A name from a sentence on the subject of the question, wherever that is shown."""
    subject = question.removesuffix("?").rpartition(" of ")[2]
    said = rf"{subject} was (?:designed by|born in) ([\w ]+)\."
    if found := re.search(said, as_written(human)):
        quotes = [{"id": "1", "quote": found[0]}]
        return {"quotes": quotes, "sufficient": True, "answer": found[1], "missing": []}
    return {"quotes": [], "sufficient": False, "answer": "", "missing": []}


class Reader:
    """Answers the questions of a set with their gold answers; ``bold`` also those without one."""

    def __init__(self, rows, bold=()):
        self.golds = {row["question"]: row for row in rows}
        self.bold = bold

    def __call__(self, body):
        human = body["messages"][1]["content"]
        row = next(row for question, row in self.golds.items() if f": {question}" in human)
        if row["id"] in self.bold:
            return _beside_the_point(row["question"], human)
        answer = row["answer"]
        quote = {"id": "1", "quote": _TEXT.findall(human)[0][1]}
        quotes = [quote] if answer else []
        return {"quotes": quotes, "sufficient": bool(answer), "answer": answer, "missing": []}


@pytest.mark.slow
def test_retrieval_asks_the_index_that_the_set_was_made_from_and_leaves_it_as_it_is(
    run, writer, make, rows
):
    make(*ALL)
    before = documents()
    found = evaluate(run, "retrieval", "made", "--index", "notes", "--retriever", "lexical")
    assert (found["questions"], found["without_support"], found["notes"]) == (8, 4, [])
    assert found["passages"] == len(rows("passages")) == len(before)
    assert found["recall"]["20"] == 1.0
    assert documents() == before


@pytest.mark.slow
def test_without_that_index_the_passages_of_the_set_are_indexed(run, writer, make):
    make(*ALL)
    own = evaluate(run, "retrieval", "made", "--retriever", "lexical")
    there = evaluate(run, "retrieval", "made", "--index", "notes", "--retriever", "lexical")
    assert own["questions"] == 8 and own["recall"]["20"] == there["recall"]["20"] == 1.0
    for _ in range(2):  # a new index, and the same once more
        kept = evaluate(run, "retrieval", "made", "--index", "new", "--retriever", "lexical")
        assert kept["recall"]["20"] == 1.0
    assert all(name.startswith("made/passages.jsonl#") for name in documents("new"))


@pytest.mark.slow
def test_answers_measure_evidence_by_passages_and_count_refusals(run, writer, make, rows, openai):
    make(*ALL)
    openai.answer = Reader(rows(), bold={"unanswerable-1"})
    asked = ("answers", "made", "--method", "basic", "--index", "notes", *MODEL)
    before = documents()
    [found] = evaluate(run, *asked)
    assert (found["questions"], found["em"], found["support_recall"]) == (8, 1.0, 1.0)
    assert set(found["by_type"]) == {"fact", "two_hop"}
    refused = found["unanswerable"]["refused"]
    assert (found["unanswerable"]["questions"], refused["value"], refused["n"]) == (4, 0.75, 4)
    assert refused["low"] < 0.75 < refused["high"]
    assert found["without_answer"] == 0 and documents() == before
    sent = len(openai.chats)
    assert evaluate(run, *asked) == [found] and len(openai.chats) == sent
    shown = run("evaluate", *asked)
    assert "basic refused 75.0 % of 4 questions that nothing answers" in shown.out


@pytest.mark.slow
def test_a_document_that_changed_since_is_told_and_its_questions_are_left_out(run, writer, make):
    make("--facts", "16", "--two-hop", "0", "--unanswerable", "0")
    Path("docs/Forth Bridge.txt").write_text("The Forth Bridge is closed.")
    run("index", "docs", "--index", "notes", "-y")
    found = evaluate(run, "retrieval", "made", "--index", "notes", "--retriever", "lexical")
    changed, left_out = found["notes"]
    assert "1 of the 15 documents" in changed and "Forth Bridge.txt" in changed
    assert found["questions"] == 14 and left_out.startswith("1 questions are left out")
    shown = run("evaluate", "retrieval", "made", "--index", "notes", "--retriever", "lexical")
    assert "have changed since it was made" in shown.err


@pytest.mark.slow
def test_an_index_of_something_else_is_refused_before_anything_is_added_to_it(run, writer, make):
    make(*ALL)
    Path("other.txt").write_text("Oslo lies by the sea.")
    run("index", "other.txt", "--index", "other", "-y")
    ended = run("evaluate", "retrieval", "made", "--index", "other")
    assert ended.code == 1 and "holds no passage of made" in ended.err
    assert documents("other") == {"other.txt"}


@pytest.mark.parametrize("text", ["{", "[]", '{"index": "notes"}'])
def test_a_file_that_does_not_tell_the_origin_is_one_sentence(run, writer, make, text):
    make("--facts", "1", "--two-hop", "0", "--unanswerable", "0")
    Path("made/set.json").write_text(text)
    ended = run("evaluate", "retrieval", "made", "--index", "notes")
    assert ended.code == 1 and "does not say which index" in ended.err
    assert len(ended.err.strip().splitlines()) == 1


@pytest.mark.slow
def test_a_killed_command_goes_on_from_the_replies_that_came(run, writer, make, rows, openai):
    make(*ALL)
    complete, requests = rows(), len(writer.kinds)
    run("index", "docs", "--index", "fresh", "--layers", "hops,sentences", "-y")
    writer.kinds.clear()
    reached = threading.Event()

    def slow(body):
        if len(writer.kinds) < requests // 2:
            return writer(body)
        reached.set()
        return Response(chat("{}").body, seconds=60)

    openai.answer = slow
    command = [sys.executable, "-c", "from ragraphs.cli.main import main; main()"]
    command += ["evaluate", "make-set", "again", "--index", "fresh", *MODEL, *ALL]
    running = started([*command, "--concurrency", "1"])
    assert reached.wait(60)
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=60)
    assert not Path("again").exists()
    asked = len(writer.kinds)
    openai.answer = writer
    ended = run("evaluate", "make-set", "again", "--index", "fresh", *MODEL, *ALL)
    assert ended.code == 0 and asked >= requests // 2
    assert len(writer.kinds) <= requests + 1  # one reply may have come and not been kept yet
    assert rows(folder="again") == complete


@pytest.mark.slow
def test_the_grader_is_calibrated_by_a_set(run, writer, make):
    make("--facts", "15", "--two-hop", "7", "--unanswerable", "2")
    asked = ("calibrate", "--index", "notes", "--json")
    by_set, by_hops = json.loads(run(*asked, "--set", "made").out), json.loads(run(*asked).out)
    assert by_set["questions"] == 22 and by_hops["questions"] > 22
    assert by_set["parameters"]["cosines"] != by_hops["parameters"]["cosines"]
    Path("other.txt").write_text("Oslo lies by the sea.")
    run("index", "other.txt", "--index", "other", "-y")
    ended = run("calibrate", "--index", "other", "--set", "made")
    assert ended.code == 1 and "holds no passage of made" in ended.err


@pytest.mark.slow
def test_a_set_with_few_questions_does_not_calibrate(run, writer, make):
    make("--facts", "3", "--two-hop", "0", "--unanswerable", "0")
    ended = run("calibrate", "--index", "notes", "--set", "made")
    assert ended.code == 1 and "calibrating takes 20; make a larger set" in ended.err
