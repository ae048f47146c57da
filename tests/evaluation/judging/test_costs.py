"""The cost of a judged comparison is known beforehand, and is paid once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pytest
from command_line import started
from communities_support import MODEL
from http_stub import Response
from judging_support import BEST, WORSE, by
from stub_openai import chat

SMALL = ("--personas", "2", "--tasks", "1", "--per-task", "2")
TWO = ("--condition", WORSE, "--condition", BEST)
PARTS = ("questions", "answers", "judgements")


@pytest.fixture(autouse=True)
def likes_length(judged):
    judged.model.answers["Verdicts"] = by(len)


def calls_of(costs, end):
    return {part: costs[part][f"calls_{end}"] for part in (*PARTS, "in_all")}


@pytest.mark.slow
@pytest.mark.parametrize("apart", [(), ("--apart",)])
def test_a_dry_run_asks_nothing_and_says_what_is_then_asked(judged, apart):
    wanted = (*SMALL, *TWO, "--repeats", "2", *apart)
    costs = judged(*wanted, "--dry-run")
    assert judged.model.asked == [] and not judged.questions.exists()
    judged(*wanted)
    counts = judged.model.counts
    verdicts = 4 * 1 * 2 * 2 * (4 if apart else 1)
    assert counts == {"Personas": 1, "CollectionQuestions": 2, "Answer": 8, "Verdicts": verdicts}
    for end in ("least", "most"):
        assert calls_of(costs, end)["questions"] == 3
        assert calls_of(costs, end)["judgements"] == verdicts
    assert calls_of(costs, "least")["answers"] == 8 <= calls_of(costs, "most")["answers"] == 16
    for part in PARTS:
        assert 0 < costs[part]["tokens_least"] <= costs[part]["tokens_most"]
    again = judged(*wanted, "--dry-run")
    assert {again[part][end] for part in PARTS for end in again[part]} == {0}


@pytest.mark.slow
def test_the_tokens_of_judging_known_answers_are_exact(judged):
    judged(*SMALL, *TWO)
    costs = judged(*SMALL, *TWO, "--judge", "openai:other", "--dry-run")["judgements"]
    assert costs["tokens_least"] == costs["tokens_most"] and costs["calls_least"] == 8
    unknown = judged(*SMALL, *TWO, "--judge", "openai:other", "--dry-run", "--top-k", "7")
    judged.model.asked.clear()
    judged(*SMALL, *TWO, "--judge", "openai:other")
    assert judged.model.counts == {"Verdicts": 8}
    assert {body["model"] for body in judged.model.openai.chats[-8:]} == {"other"}
    assert unknown["judgements"]["tokens_most"] >= costs["tokens_most"]


@pytest.mark.slow
def test_the_requests_for_all_reports_and_all_texts_are_known(judged):
    Path("own.txt").write_text("Who knows whom?")
    asked = ["--question-file", "own.txt", "--condition", "C0"]
    asked += ["--condition", "text:context_tokens=500"]
    costs = judged(*asked, "--dry-run")["answers"]
    result = judged(*asked)
    calls = sum(round(one["calls"]) for one in result["conditions"])
    assert calls > 5, "the texts are read in several requests"
    assert costs["calls_least"] <= calls <= costs["calls_most"] == costs["calls_least"] + 4


def test_a_table_of_costs_says_at_least_and_at_most(judged):
    shown = judged.ended(*SMALL, *TWO, "--dry-run").out
    assert f"4 questions, 2 conditions ({WORSE}, {BEST}), judged by {MODEL}:" in shown
    assert "writing questions: 3 requests" in shown and "answering them: 8 to 16 requests" in shown
    assert "judging: 8 requests" in shown


@pytest.mark.slow
def test_a_killed_comparison_goes_on_and_asks_nothing_twice(judged):
    """The process is killed while the judge is at work."""
    script, at_work = judged.model, threading.Event()

    def slow(body):
        kind = body["response_format"]["json_schema"]["name"]
        if kind == "Verdicts" and script.counts["Verdicts"] >= 3:
            at_work.set()
            return Response(chat("{}").body, seconds=60)
        return script(body)

    script.openai.answer = slow
    named = ["--index", judged.index, "--model", MODEL, "--concurrency", "1", *SMALL, *TWO]
    command = [sys.executable, "-c", "from ragraphs.cli.main import main; main()"]
    running = started([*command, "evaluate", "judge", *named])
    assert at_work.wait(60)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate(timeout=60)
    before = script.counts
    assert before == {"Personas": 1, "CollectionQuestions": 2, "Answer": 8, "Verdicts": 3}
    script.openai.answer = script
    result = judged(*SMALL, *TWO)
    # The last reply before the end may have come without being kept yet.
    assert script.counts == {**before, "Verdicts": script.counts["Verdicts"]}
    assert script.counts["Verdicts"] <= 9
    asked = script.counts
    assert result["verdicts"]["given"] == 32
    assert judged(*SMALL, *TWO)["comparisons"] == result["comparisons"]
    assert script.counts == asked


@pytest.mark.slow
@pytest.mark.parametrize("part", ["Answer", "Verdicts"])
def test_a_limit_of_tokens_ends_it_in_a_sentence_and_the_same_command_goes_on(judged, part):
    most = {"Answer": "1500", "Verdicts": "1940"}[part]
    ended = [judged.ended(*SMALL, *TWO, "--max-tokens", most)]
    before = judged.model.counts
    assert ended[0].code == 1 and "the same command goes on from here" in ended[0].err
    assert 0 < before[part] < 8
    while ended[-1].code == 1 and len(ended) < 6:
        ended.append(judged.ended(*SMALL, *TWO, "--max-tokens", most))
    assert ended[-1].code == 0 and "4 of 4" in ended[-1].out
    counts = judged.model.counts
    assert (counts["Personas"], counts["CollectionQuestions"], counts["Answer"]) == (1, 2, 8)
    assert counts["Verdicts"] == 8, "requests on their way are waited for"
