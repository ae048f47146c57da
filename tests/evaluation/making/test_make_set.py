"""``ragraphs evaluate make-set``: what stands its checks, and what becomes of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from set_writer import BRIDGES, COPY, KOREAN, SetWriter, write_documents

MODEL = ("--model", "openai:stub", "--max-retries", "0")
FACTS = ("--facts", "16", "--two-hop", "0", "--unanswerable", "0")


@pytest.mark.slow
def test_a_set_holds_questions_of_every_kind_with_their_passages_word_for_word(writer, make, rows):
    told = make("--facts", "5", "--two-hop", "3", "--unanswerable", "2")
    assert {kind: one["made"] for kind, one in told["questions"].items()} == {
        "fact": 5,
        "two_hop": 3,
        "unanswerable": 2,
    }
    passages = {row["id"]: row for row in rows("passages")}
    assert len(passages) == told["passages"] == 2 * len(BRIDGES) + 2
    for row in rows():
        assert (row["type"] == "unanswerable") == (not row["answer"]) == (not row["supporting"])
        for quote in row["quotes"]:
            assert quote["quote"] in passages[quote["passage"]]["text"]
        if row["type"] == "two_hop":
            first, second = row["decomposition"]
            assert first["answer"] not in row["question"] and second["answer"] == row["answer"]
            own = [passages[part["supporting"][0]]["text"] for part in row["decomposition"]]
            assert first["answer"] in own[0] and row["answer"] in own[1]
            assert len(row["quotes"]) == 2


@pytest.mark.slow
def test_questions_are_in_the_language_of_their_passage_and_spread_over_documents(
    writer, make, rows
):
    make(*FACTS)
    found = rows()
    own = [row["supporting"][0] for row in found]
    documents = {row["id"]: row["document"] for row in rows("passages")}
    assert len({documents[id] for id in own}) == len(found)
    [korean] = [row for row in found if row["answer"] == "장영실"]
    assert korean["question"] == "자격루는 누가 만들었습니까?"
    assert korean["quotes"][0]["quote"] == KOREAN


@pytest.mark.slow
def test_other_passages_that_state_the_answer_support_it_too(writer, make, rows):
    make(*FACTS)
    texts = {row["id"]: row["text"] for row in rows("passages")}
    [tay] = [row for row in rows() if row["question"] == "Who designed the Tay Bridge?"]
    assert COPY in {texts[id] for id in tay["supporting"]} and len(tay["supporting"]) == 2


@pytest.mark.slow
def test_a_sentence_that_does_not_stand_in_its_passage_rejects_the_question(writer, make, rows):
    def invented(reply):
        for question in reply["questions"]:
            if "Sheffield" in question["answer"]:
                question["quote"] = "Sheffield is where the man came into this world."
        return reply

    writer.replies["FactQuestions"] = invented
    told = make(*FACTS)["questions"]["fact"]
    reason = "a supporting sentence does not stand in its passage"
    assert told["rejected"][reason] == 1 and told["made"] + sum(told["rejected"].values()) == 16
    assert "Sheffield" not in {row["answer"] for row in rows()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"answer": "Rome", "answerable": True}, "the checker answered otherwise"),
        ({"answer": "", "answerable": False}, "the checker found no answer"),
        ({"clear": False}, "the question does not say what it is about"),
    ],
)
def test_what_the_checker_sees_otherwise_is_rejected_by_its_reason(
    writer, change, reason, make, rows
):
    def otherwise(reply):
        answers = [one | change if one["answer"] == "Kelso" else one for one in reply["answers"]]
        return {"answers": answers}

    writer.replies["CheckedQuestions"] = otherwise
    told = make(*FACTS)["questions"]["fact"]
    assert told["rejected"][reason] == 1 and "Kelso" not in {row["answer"] for row in rows()}


@pytest.mark.slow
def test_an_answer_that_only_other_passages_contradict_is_rejected(writer, make):
    def contradicted(reply):
        answers = reply["answers"]
        found_by_search = len(answers) == 1 and answers[0]["answer"] == "Kelso"
        return {"answers": [answers[0] | {"answer": "Rome"}]} if found_by_search else reply

    writer.replies["CheckedQuestions"] = contradicted
    told = make(*FACTS)["questions"]["fact"]
    reasons = set(told["rejected"])
    assert "with other passages of the index the checker answered otherwise" in reasons


@pytest.mark.slow
def test_a_question_that_tells_its_answer_is_rejected(run, writer):
    def telling(reply):
        for question in reply["questions"]:
            question["question"] = f"Was it {question['answer']}?"
        return reply

    writer.replies["FactQuestions"] = telling
    ended = run("evaluate", "make-set", "made", "--index", "notes", *MODEL, *FACTS)
    assert ended.code == 1 and "the question tells its answer" in ended.err
    assert not Path("made").exists()


@pytest.mark.slow
def test_a_two_hop_question_that_one_passage_alone_answers_is_rejected(writer, make, rows):
    def knowing(reply):  # the town, without the first passage
        reply["answers"] = [
            one | {"answer": "Sheffield", "answerable": True}
            if one["texts"] == [] and not one["answerable"]
            else one
            for one in reply["answers"]
        ]
        return reply

    writer.replies["CheckedQuestions"] = knowing
    told = make("--facts", "1", "--two-hop", "6", "--unanswerable", "0")["questions"]["two_hop"]
    assert told["rejected"]["one passage alone answers the question"] >= 1
    assert "Sheffield" not in {row["answer"] for row in rows() if row["type"] == "two_hop"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"question": "Where was John Fowler, the designer, born?"}, "names the bridge"),
        ({"answer": "Atlantis"}, "the second passage does not hold the answer"),
        ({"quotes": [{"id": "1", "quote": "Nobody ever wrote this sentence."}]}, "does not stand"),
    ],
)
def test_a_chain_that_a_program_can_refute_is_not_asked(writer, change, reason, make):
    def changed(reply):
        return reply | change if reply["bridge"] == "John Fowler" else reply

    writer.replies["ChainQuestion"] = changed
    told = make("--facts", "1", "--two-hop", "6", "--unanswerable", "0")["questions"]["two_hop"]
    assert [count for why, count in told["rejected"].items() if reason in why] == [1]


@pytest.mark.slow
def test_what_the_index_answers_is_not_called_unanswerable(run, writer):
    def answered(reply):
        for question in reply["questions"]:
            question["question"] = "Who designed the Tay Bridge?"
        return reply

    writer.replies["OpenQuestions"] = answered
    ended = run("evaluate", "make-set", "made", "--index", "notes", *MODEL, "--facts", "0",
                "--two-hop", "0", "--unanswerable", "2")  # fmt: skip
    assert ended.code == 1 and "the index answers the question" in ended.err


@pytest.mark.slow
def test_replies_that_are_no_use_are_counted_and_told(writer, make):
    calls = []

    def once_broken(reply):
        calls.append(reply)
        return "no JSON" if len(calls) <= 2 else reply  # the first request, and its repetition

    writer.replies["FactQuestions"] = once_broken
    told = make("--facts", "4", "--two-hop", "0", "--unanswerable", "0", "--concurrency", "1")
    assert told["questions"]["fact"]["rejected"]["no usable reply"] == 4
    assert told["questions"]["fact"]["made"] == 4 and len(told["warnings"]) == 1


@pytest.mark.slow
def test_the_same_seed_gives_the_same_set_without_a_request_and_another_seed_another(
    writer, make, rows
):
    few = ("--facts", "3", "--two-hop", "2", "--unanswerable", "2")
    make(*few)
    asked = len(writer.kinds)
    make(*few, into="again")
    assert len(writer.kinds) == asked
    for name in ("questions.jsonl", "passages.jsonl", "set.json"):
        assert (Path("made") / name).read_bytes() == (Path("again") / name).read_bytes()
    make(*few, "--seed", "7", into="other")
    assert rows() != rows(folder="other")


@pytest.mark.slow
def test_two_hop_questions_need_their_layer(run, openai, make):
    write_documents()
    run("index", "docs", "--index", "notes", "--layers", "passages", "-y")
    SetWriter(openai)
    wanted = ("evaluate", "make-set", "made", "--index", "notes", *MODEL)
    ended = run(*wanted, "--two-hop", "2")
    assert ended.code == 1 and "ragraphs index --layers hops --index" in ended.err
    told = make("--facts", "2", "--unanswerable", "0")
    assert set(told["questions"]) == {"fact"}
    assert "No two-hop questions are made" in told["notes"][0]


@pytest.mark.slow
def test_a_folder_with_files_is_not_written_over_unless_that_is_wanted(run, writer, make, rows):
    few = ("--facts", "1", "--two-hop", "0", "--unanswerable", "0")
    make(*few)
    (Path("made") / "notes.txt").write_text("mine")
    asked = len(writer.kinds)
    refused = run("evaluate", "make-set", "made", "--index", "notes", *MODEL, *few)
    assert refused.code == 1 and "--force" in refused.err and len(writer.kinds) == asked
    make(*few, "--seed", "3", "--force")
    assert (Path("made") / "notes.txt").read_text() == "mine" and len(rows()) == 1


@pytest.mark.slow
def test_a_dry_run_asks_nothing_and_bounds_what_is_asked(run, writer, make):
    few = ("--facts", "5", "--two-hop", "2", "--unanswerable", "3")
    plan = make(*few, "--dry-run")["plan"]
    assert writer.kinds == [] and not Path("made").exists()
    make(*few)
    assert plan["calls_least"] <= len(writer.kinds) <= plan["calls_most"]
    again = make(*few, "--dry-run", into="other")["plan"]
    assert (again["calls_least"], again["tokens_least"]) == (0, 0)
    shown = run("evaluate", "make-set", "x", "--index", "notes", *MODEL, *few, "--dry-run")
    assert "requests with about" in shown.out


@pytest.mark.slow
def test_a_table_tells_what_was_made_and_why_not(run, writer):
    shown = run("evaluate", "make-set", "made", "--index", "notes", *MODEL, *FACTS)
    assert shown.code == 0 and "fact: 15 of 16 made, 1 of 16 tries rejected" in shown.out


def test_without_a_model_there_is_no_set(run, writer):
    ended = run("evaluate", "make-set", "made", "--index", "notes")
    assert ended.code == 1 and "name one with --model" in ended.err
