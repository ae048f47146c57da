"""``lab.training_data deeprag``: the cheapest right trajectory of each question."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from question_set import QUESTIONS, write_set
from stub_openai import failure

DESIGNER, BIRTH = QUESTIONS[0], QUESTIONS[1]
WHO, WHERE = "Who was the bridge's designer?", "Where was John Fowler born?"
MODEL = ("--model", "openai:stub", "--max-retries", "0")
READINGS = {
    WHO: ("John Fowler", "The Forth Bridge was designed by John Fowler."),
    WHERE: ("Sheffield", "John Fowler was born in Sheffield in 1817."),
}


class Script:
    """A model that asks ``chain`` step by step, remembers ``memory``, and reads what it finds.

    A reading decides the question at the end of the chain, unless it ``concludes`` in a request of
    its own. ``sources`` are proposed for sub-questions that are not to be looked up.
    """

    def __init__(self, openai, chain=(WHO,), concludes=False, **memory):
        openai.answer = self
        self.openai, self.chain, self.concludes = openai, chain, concludes
        self.memory, self.sources = memory, {}

    def __call__(self, body):
        kind = body["response_format"]["json_schema"]["name"]
        human = body["messages"][1]["content"]
        steps = re.findall(r'<text id="Q\d+" title="(.*?)">\n(.*?)\n', human)
        asked = re.findall(r"^(?:Current sub-question|Question): (.+)$", human, re.MULTILINE)[-1]
        asked = re.sub(r" \(The search .*", "", asked)  # what is said of repeated texts
        return getattr(self, kind.lower())(asked, steps)

    def after(self, count):
        return self.chain[count] if count < len(self.chain) else ""

    def nextstep(self, asked, steps):
        further = self.after(len(steps))
        source = self.sources.get(further, "retrieve")
        return {"finish": not further, "question": further, "source": source, "reason": "why"}

    def closedbookanswer(self, asked, steps):
        return {"known": True, "answer": self.memory.get(asked.split()[0].lower(), "")}

    def stepreading(self, asked, steps):
        answer, quote = READINGS[asked]
        further = self.after(len(steps) + 1)
        decided = not further and not self.concludes
        return {
            "quotes": [{"id": "1", "quote": quote}],
            "sufficient": True,
            "answer": answer,
            "final": answer if decided else "",
            "decided": decided,
            "next": further,
            "source": self.sources.get(further, "retrieve"),
        }

    def stepanswer(self, asked, steps):
        return {"found": True, "answer": steps[-1][1]}

    def answer(self, asked, steps):
        _, quote = READINGS.get(self.chain[-1], READINGS[WHO])
        answer = steps[-1][1] if steps else ""
        quotes = [{"id": "1", "quote": quote}]
        return {"quotes": quotes, "sufficient": bool(answer), "answer": answer, "missing": []}

    def answercheck(self, asked, steps):
        return {"unsupported": [], "sufficient": True}

    def kinds(self):
        return [body["response_format"]["json_schema"]["name"] for body in self.openai.chats]


@pytest.fixture
def make(training_data):
    """Makes training data of questions; gives the summary and the rows."""

    def make(*arguments, questions=(DESIGNER,)):
        write_set(questions)
        ended = training_data("deeprag", "set", "--out", "out.jsonl",
                    *MODEL, *arguments, "--json")  # fmt: skip
        assert (ended.code, ended.err) == (0, "")
        return json.loads(ended.out), rows() if Path("out.jsonl").exists() else []

    return make


def rows():
    return [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]


def asked(row):
    return [message["content"] for message in row["messages"][:2]]


def reply(row):
    return json.loads(row["messages"][-1]["content"])


def prompts(rows):
    return [row["source"]["prompt"] for row in rows]


@pytest.mark.slow
def test_a_question_that_the_model_knows_has_a_trajectory_without_retrieval(make, openai):
    script = Script(openai, who="John Fowler")
    summary, made = make()
    assert summary["retrievals"] == {"0": 1}
    assert summary["decisions"] == {"retrieve": 0, "earlier": 0, "known": 1}
    assert prompts(made) == ["next_step", "closed_book", "next_step", "answer_from_steps"]
    assert reply(made[0]) == {
        "finish": False,
        "question": WHO,
        "source": "known",
        "reason": "known without looking it up",
    }
    assert reply(made[1])["answer"] == reply(made[3])["answer"] == "John Fowler"
    assert "StepReading" not in script.kinds()


@pytest.mark.slow
def test_a_question_that_it_knows_wrongly_is_looked_up_which_the_pair_prefers(make, openai):
    Script(openai, who="Benjamin Baker")
    summary, made = make("--index", "kept")
    assert summary["retrievals"] == {"1": 1}
    assert prompts(made) == ["next_step", "read_step"]
    assert reply(made[0])["source"] == "retrieve"
    calls = len(openai.chats)
    summary, [pair] = make("--index", "kept", "--form", "preferences")
    assert (len(openai.chats), summary["calls"], summary["reused"]) == (calls, 0, calls)
    assert [message["role"] for message in pair["prompt"]] == ["system", "user"]
    chosen, rejected = (json.loads(pair[name][0]["content"]) for name in ("chosen", "rejected"))
    assert (chosen.pop("source"), rejected.pop("source")) == ("retrieve", "known")
    assert (chosen.pop("reason"), rejected.pop("reason")) == (
        "not known from the steps before",
        "known without looking it up",
    )
    assert chosen == rejected == {"finish": False, "question": WHO}


@pytest.mark.slow
def test_of_two_steps_the_one_that_is_not_known_is_looked_up(make, openai):
    Script(openai, (WHO, WHERE), who="John Fowler", where="London")
    summary, made = make(questions=[BIRTH])
    assert summary["retrievals"] == {"1": 1}
    assert summary["decisions"] == {"retrieve": 1, "earlier": 0, "known": 1}
    assert prompts(made) == ["next_step", "closed_book", "next_step", "read_step"]
    assert [reply(made[place])["source"] for place in (0, 2)] == ["known", "retrieve"]
    assert reply(made[3])["final"] == "Sheffield"


@pytest.mark.slow
def test_whether_a_step_after_a_reading_is_known_is_decided_apart(make, openai):
    Script(openai, (WHO, WHERE), where="Sheffield")
    summary, made = make(questions=[BIRTH])
    assert summary["retrievals"] == {"1": 1}
    assert prompts(made)[:4] == ["next_step", "read_step", "next_step", "closed_book"]
    assert (reply(made[2])["question"], reply(made[2])["source"]) == (WHERE, "known")
    _, pairs = make("--form", "preferences", questions=[BIRTH])
    chosen = [json.loads(pair["chosen"][0]["content"])["source"] for pair in pairs]
    assert chosen == ["retrieve", "known"]


@pytest.mark.slow
def test_a_step_that_follows_from_earlier_answers_is_no_matter_of_memory(make, openai):
    script = Script(openai, (WHO, "Is that the name of the designer?"))
    script.sources = {script.chain[1]: "earlier"}
    summary, made = make("--match", "containment")
    assert summary["decisions"] == {"retrieve": 1, "earlier": 1, "known": 0}
    assert prompts(made)[:4] == ["next_step", "read_step", "next_step", "answer_from_steps"]


@pytest.mark.slow
def test_questions_without_a_trajectory_are_counted_by_their_reason(make, openai):
    Script(openai, who="Benjamin Baker")
    wrong = {**DESIGNER, "answer": "Thomas Bouch", "aliases": []}
    summary, made = make(questions=[wrong, {**DESIGNER, "id": "again"}])
    assert summary["unsolved"] == {"no_trajectory": 1, "most_calls": 0}
    assert (summary["solved"]["value"], summary["solved"]["n"]) == (0.5, 2)
    assert {row["source"]["question"] for row in made} == {"again"}
    summary, made = make("--most-calls", "3", questions=[wrong])
    assert summary["unsolved"] == {"no_trajectory": 0, "most_calls": 1}
    assert made == []


@pytest.mark.slow
def test_a_branch_whose_reply_is_no_use_is_no_trajectory(make, openai):
    script = Script(openai, who="John Fowler")
    script.closedbookanswer = lambda asked, steps: "I believe it was Fowler."
    summary, made = make()
    assert summary["retrievals"] == {"1": 1} and summary["unanswered"] == 1
    assert "closed_book" in summary["notes"][0] and "closed_book" not in prompts(made)


@pytest.mark.slow
def test_an_answer_that_quotes_nothing_of_the_texts_is_no_trajectory(make, openai, monkeypatch):
    monkeypatch.setitem(READINGS, WHO, ("John Fowler", "Everybody knows John Fowler."))
    script = Script(openai)
    right = {"quotes": [], "sufficient": False, "answer": "John Fowler", "missing": []}
    script.answer = lambda asked, steps: right
    summary, made = make()
    assert summary["unsolved"]["no_trajectory"] == 1 and made == []


@pytest.mark.slow
@pytest.mark.parametrize("concludes", [False, True])
def test_every_message_is_one_that_the_graph_sends(make, run, openai, concludes):
    script = Script(openai, (WHO, WHERE), concludes)
    _, made = make("--index", "kept", questions=[BIRTH])
    last = ["next_step", "synthesize"] if concludes else []
    steps = ["next_step", "read_step"] * 2
    assert prompts(made) == [*steps, *last]
    del openai.requests[:]
    run("evaluate", "answers", "set", "--method", "deeprag", "--index", "fresh",
        "--setting", "policy=trained", *MODEL)  # fmt: skip
    sent = [[message["content"] for message in body["messages"]] for body in openai.chats]
    assert script.kinds()[:4] == ["NextStep", "StepReading"] * 2
    assert all(request in sent for request in map(asked, made))


@pytest.mark.slow
def test_a_message_that_draws_on_earlier_steps_is_one_that_the_graph_sends(make, run, openai):
    script = Script(openai, (WHO, "Is that the name of the designer?"))
    script.sources = {script.chain[1]: "earlier"}
    _, made = make("--index", "kept")
    del openai.requests[:]
    run("ask", DESIGNER["question"], "--method", "deeprag", "--index", "kept", "--policy",
        "trained", *MODEL, "--temperature", "0.5")  # fmt: skip
    sent = [[message["content"] for message in body["messages"]] for body in openai.chats]
    for row in made:
        assert asked(row) in sent or row["source"]["prompt"] == "synthesize"


@pytest.mark.slow
def test_a_model_that_learnt_the_examples_takes_their_steps_in_the_graph(make, run, openai):
    """It knows nothing else: a request that is in no example has no reply."""
    Script(openai, (WHO, WHERE), where="Sheffield")
    _, made = make("--index", "kept", questions=[BIRTH])
    learnt = {tuple(asked(row)): reply(row) for row in made}
    openai.answer = lambda body: learnt[tuple(one["content"] for one in body["messages"])]
    ended = run("ask", BIRTH["question"], "--method", "deeprag", "--index", "kept", "--policy",
        "trained", *MODEL, "--temperature", "0.5", "--json")  # fmt: skip
    result = json.loads(ended.out)
    assert [step["source"] for step in result["steps"]] == ["retrieve", "known"]
    assert (result["answer"], result["sufficient"]) == ("Sheffield", False)
    assert result["usage"]["retrievals"] == 1 and result["warnings"]


@pytest.mark.slow
def test_a_dry_run_tells_the_range_of_what_is_not_kept_and_writes_nothing(make, openai):
    Script(openai, who="Benjamin Baker")
    cost, made = make("--dry-run", "--index", "kept", "--most-calls", "9")
    assert (cost["calls_least"], cost["calls_most"], made) == (1, 9, [])
    assert 0 < cost["tokens_least"] < cost["tokens_most"] and openai.chats == []
    make("--index", "kept", "--most-calls", "2")
    cost, _ = make("--dry-run", "--index", "kept", "--most-calls", "9")
    assert (cost["calls_least"], cost["calls_most"]) == (1, 7)
    make("--index", "kept")
    asked_before = len(openai.chats)
    cost, _ = make("--dry-run", "--index", "kept")
    assert cost["calls_most"] == cost["tokens_most"] == 0 and len(openai.chats) == asked_before


@pytest.mark.slow
def test_an_interrupted_search_goes_on_from_the_replies_that_came(training_data, make, openai):
    script = Script(openai, (WHO, WHERE), who="John Fowler", where="London")
    write_set([BIRTH])
    command = ("deeprag", "set", "--out", "out.jsonl", "--index",
               "kept", *MODEL)  # fmt: skip
    known, script.stepreading = script.stepreading, lambda *_: failure(500, "down")
    ended = training_data(*command)
    assert ended.code == 1 and "goes on from here" in ended.err and not Path("out.jsonl").exists()
    script.stepreading = known
    summary, _ = make("--index", "kept", questions=[BIRTH])
    # One of the seven replies serves two paths.
    assert summary["reused"] == 8 and summary["retrievals"] == {"1": 1}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("deeprag", "set", "--out", "out.jsonl"), "needs a language model"),
        (("deeprag", "set", "--out", "nowhere/out.jsonl", *MODEL), "cannot be written"),
        (("hops", "set", "--out", "out.jsonl", "--form", "pairs"), "has no form"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_asked(
    training_data, openai, arguments, said
):
    write_set()
    ended = training_data(*arguments)
    assert ended.code in (1, 2) and said in ended.err and openai.chats == []


@pytest.mark.slow
def test_the_summary_is_printed_in_words(training_data, openai):
    Script(openai, who="John Fowler")
    write_set([DESIGNER])
    shown = training_data("deeprag", "set", "--out", "out.jsonl", *MODEL).out
    assert "4 examples in out.jsonl" in shown and "1 question with 0 retrievals" in shown
