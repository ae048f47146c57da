"""Statements: supported, refuted or not enough, each with the sentences that decide it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from ragraphs.context import RouterContext
from ragraphs.graphs.methods import METHODS
from ragraphs.graphs.router import builder, graph
from scripted_model import FACT, MODEL, NOT_FOUND, QUESTION
from weak_reader import WeakReader

SET = Path(__file__).parents[1] / "data" / "statements"
SEJONG = "세종대왕은 1446년에 훈민정음을 반포하였다."
BORN = "John Fowler was born in Sheffield in 1817."
NOTHING = {"from": [], "verdict": "not enough", "missing": ["Who painted it?"]}


def verify_at(index: str, statement: str, **chosen: Any) -> Any:
    settings = {"index": index, "model": MODEL, "max_retries": 0, **chosen}
    return graph.invoke({"statement": statement}, context=RouterContext(**settings))


@pytest.fixture
def verify(full_index):
    return partial(verify_at, full_index)


@pytest.fixture
def judged(script):
    """Has the model point at the sentence that is given first, wherever it stands, as told."""

    def judge(*told: tuple[str, str], otherwise: Any = NOTHING) -> None:
        def reply(human: str) -> Any:
            for sentence, verdict in told:
                if sentence in human:
                    quote = script.quoting(human, sentence)["quotes"]
                    return {"quotes": quote, "verdict": verdict, "missing": []}
            return otherwise

        script.replies["StatementVerdict"] = reply

    return judge


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_every_method_finds_the_sentence_that_supports_a_statement(verify, script, judged, method):
    judged((FACT, "supported"))
    found = verify("John Fowler designed the Forth Bridge.", method=method)
    assert (found["answer"], found["sufficient"]) == ("supported", True)
    assert [one["quote"] for one in found["citations"]] == [FACT]
    assert found["asked"] == "Is it true that John Fowler designed the Forth Bridge?"
    assert found["messages"][-1].text.startswith("supported")


@pytest.mark.parametrize(
    ("statement", "sentence", "verdict", "believed"),
    [
        (BORN, BORN, "supported", True),
        ("John Fowler was born in Sheffield in 1827.", BORN, "supported", False),
        ("John Fowler was born in Leeds in 1817.", BORN, "supported", False),
        ("Benjamin Baker was born in Sheffield in 1817.", BORN, "supported", False),
        ("John Fowler was born in Sheffield in 1827.", BORN, "refuted", True),
        ("John Fowler was born in Leeds.", BORN, "refuted", True),
        ("Benjamin Baker was born in Leeds.", BORN, "refuted", False),
        (SEJONG, SEJONG, "supported", True),
        (SEJONG.replace("1446", "1450"), SEJONG, "supported", False),
    ],
)  # fmt: skip
def test_a_verdict_is_believed_where_names_numbers_and_dates_are_cited(
    verify, judged, statement, sentence, verdict, believed
):
    judged((sentence, verdict))
    found = verify(statement, method="basic")
    assert found["answer"] == (verdict if believed else "not enough")
    assert found["sufficient"] is believed and bool(found["missing"]) is not believed
    assert [one["quote"] for one in found["citations"]] == [sentence]


def test_a_verdict_in_other_words_must_rest_on_what_it_cites(verify, script, judged):
    statement = "The engineer of the Forth Bridge was John Fowler."
    judged((FACT, "supported"))
    found = verify(statement, method="basic")
    assert found["answer"] == "supported"
    assert script.kinds.count("StatementVerdict") == 3
    script.replies["StatementVerdict"] = lambda human: {  # agrees with every text
        **script._answer(human),
        "verdict": "supported",
    }
    agreed = verify(statement, method="basic", temperature=0.1)
    assert agreed["answer"] == "not enough" and agreed["missing"]


def test_what_is_not_decided_goes_on_with_another_method(verify, script, judged):
    judged()
    script.replies["StepReading"] = {**NOT_FOUND, "next": "", "source": "retrieve", "final": ""}
    found = verify("The Forth Bridge is painted red.")
    assert [one["method"] for one in found["path"]] == ["basic", "deeprag"]
    assert not found["sufficient"]
    assert found["answer"] == "not enough" and found["missing"] == ["Who painted it?"]


@pytest.mark.slow
def test_the_limit_of_calls_holds(verify, script, judged):
    judged((FACT, "supported"))
    found = verify("John Fowler designed the Forth Bridge.", max_calls=2)
    assert found["answer"] == "supported" and len(script.asked) == 2
    few = verify("Thomas Bouch designed the Forth Bridge.", max_calls=1)
    assert (few["sufficient"], few["stop_reason"]) == (False, "budget") and len(script.asked) == 3


def test_a_model_that_does_not_reply_decides_nothing(verify, script):
    script.replies["StatementVerdict"] = "no JSON"
    found = verify("John Fowler designed the Forth Bridge.")
    assert (found["answer"], found["stop_reason"]) == ("", "model_failed")


@pytest.fixture
def set_index(indexing):
    lines = (SET / "documents.jsonl").read_text("utf-8").splitlines()
    indexing.run(documents=[json.loads(line) for line in lines])
    return indexing.name


@pytest.mark.slow
def test_of_the_set_nothing_false_is_called_supported_without_a_model(set_index):
    given = verdicts(set_index, model="offline")
    assert sum(told == right == "supported" for right, told in given) >= 10
    assert all(told in (right, "not enough") for right, told in given)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_of_the_set_a_reader_that_agrees_with_everything_is_seldom_believed(
    openai, set_index, seed
):
    openai.answer = WeakReader(seed)
    given = verdicts(set_index, model=MODEL, method="basic", temperature=seed / 10)
    wrong = [told for right, told in given if told not in (right, "not enough", "")]
    assert len(wrong) <= 3 and "supported" not in wrong


def verdicts(index: str, **chosen: Any) -> list[tuple[str, str]]:
    lines = (SET / "statements.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == 60 and sum(row["verdict"] == "supported" for row in rows) == 30
    return [
        (row["verdict"], verify_at(index, row["statement"], **chosen)["answer"]) for row in rows
    ]


@pytest.mark.slow
def test_a_new_question_on_the_thread_is_no_statement(full_index, script, judged):
    judged((FACT, "supported"))
    conversation = builder().compile(checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    context = RouterContext(index=full_index, model=MODEL)
    conversation.invoke({"statement": FACT}, thread, context=context)
    script.replies["StandAloneQuestion"] = {"question": QUESTION}
    found = conversation.invoke({"question": QUESTION}, thread, context=context)
    assert found["asked"] == QUESTION and found["answer"] == FACT
