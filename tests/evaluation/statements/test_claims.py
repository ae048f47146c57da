"""``ragraphs evaluate claims``: claims of answers, their clusters and their support."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from statements_support import MODEL, texts_in
from stub_openai import failure

BASIC = ("claims", "set", "--method", "basic", *MODEL)
CLAIMS = {
    "Forth": [
        {"claim": "John Fowler designed the Forth Bridge.", "texts": ["1"], "verdict": "supported"},
        {"claim": "John Fowler designed the Tay Bridge.", "texts": [1], "verdict": "contradicted"},
        {"claim": "It is red.", "texts": [], "verdict": "not said"},
        {"claim": "It is long.", "texts": ["9"], "verdict": "supported"},
    ],
    "훈민정음": [
        {"claim": "훈민정음은 1446년에 반포되었다.", "texts": ["1"], "verdict": "supported"}
    ],
}


def claims_reply(human):
    found = next(
        (claims for word, claims in CLAIMS.items() if word in human.split("Question")[1]), []
    )
    return {"claims": found}


@pytest.fixture(autouse=True)
def replies(judge):
    judge.replies["CheckedClaims"] = claims_reply


@pytest.mark.slow
def test_claims_clusters_and_support_agree_with_the_replies_by_hand(measure, question_set, judge):
    """Two questions name the Forth Bridge (4 claims each), one is Korean (1 claim).

    "It is long." is called supported by a text that there is not: it has no clear verdict. So
    1 + 1 + 1 of 3 + 3 + 1 claims are supported. Fowler's two claims share 5 of 6 words, and the
    two last 2 of 3, so that four claims are two clusters at every threshold.
    """
    result = measure(*BASIC)
    [found] = result["conditions"]
    assert (found["condition"], found["answers"], found["failures"]) == ("basic", 3, 0)
    assert found["claims"]["value"] == 3.0 and found["claims"]["n"] == 3
    assert found["clusters"]["0.5"]["value"] == pytest.approx(5 / 3, abs=1e-4)
    assert (found["supported"]["value"], found["supported"]["n"]) == (round(3 / 7, 4), 7)
    assert found["unsupported"]["value"] == round(4 / 7, 4)
    assert found["contradicted"]["value"] == found["not_said"]["value"] == round(2 / 7, 4)
    assert found["unclear"]["value"] == round(2 / 9, 4) and found["uncited"]["value"] == 0.0
    first = result["answers"][0]
    assert [(c["verdict"], c["citations"]) for c in first["claims"]] == [
        ("supported", [1]),
        ("contradicted", [1]),
        ("not said", []),
        ("unclear", []),
    ]
    assert first["citations"] == [first["answer"]]


@pytest.mark.slow
def test_the_judge_sees_the_cited_sentences_alone(measure, question_set, judge):
    measure(*BASIC)
    shown = texts_in(judge.prompts("CheckedClaims")[0])
    assert set(shown) == {"1", "answer"} and shown["1"] == shown["answer"]


@pytest.mark.slow
def test_claims_of_an_answer_without_citations_are_unsupported_and_told_apart(
    measure, question_set, judge
):
    judge.replies["Answer"] = {
        "quotes": [],
        "sufficient": False,
        "answer": "The Forth Bridge fell.",
    }
    result = measure(*BASIC)
    [found] = result["conditions"]
    assert found["without_citations"] == 3
    assert found["uncited"]["value"] == found["unsupported"]["value"] == 1.0
    assert found["supported"]["value"] == 0.0
    assert "(there is no text)" in judge.prompts("CheckedClaims")[0]


@pytest.mark.slow
def test_an_empty_answer_claims_nothing_and_nobody_is_asked(measure, question_set, judge):
    judge.replies["Answer"] = {"quotes": [], "sufficient": False, "answer": ""}
    [found] = measure(*BASIC)["conditions"]
    assert judge.number_of("CheckedClaims") == 0
    assert (found["claims"]["value"], found["without_claims"]) == (0.0, 3)
    assert found["supported"] == {"value": None, "low": None, "high": None, "n": 0}


@pytest.mark.slow
def test_conditions_of_one_method_are_told_apart(measure, question_set, judge):
    result = measure(
        *("claims", "set", "--method", "graphrag:text", "--method", "graphrag:basic"), *MODEL[-2:],
        *("--model", "offline", "--judge", "openai:judge", "--limit", "1"),
    )  # fmt: skip
    assert [one["condition"] for one in result["conditions"]] == ["text", "ss"]
    assert (result["model"], result["judge"]) == ("offline", "openai:judge")
    assert {kind for kind, _ in judge.asked} <= {"CheckedClaims"}


@pytest.mark.slow
def test_questions_come_from_a_file_or_from_those_kept_with_the_index(measure, run, question_set):
    measure(*BASIC, "--index", "kept")
    file = Path("kept/evaluations/questions.jsonl")
    file.write_text('{"question": "Who designed the Forth Bridge?"}\n{"question": "Why?"}\n')
    asked = ("claims", "--index", "kept", "--method", "basic", *MODEL[:4])
    assert measure(*asked)["questions"] == 2
    Path("mine.txt").write_text("When was Tower Bridge opened?")
    [only] = measure(*asked, "--question-file", "mine.txt")["answers"]
    assert only["question"] == "When was Tower Bridge opened?"
    kept = json.loads(sorted(Path("kept/evaluations").glob("claims-*.json"))[-1].read_text())
    assert kept["experiment"] == "claims" and len(kept["plots"]) == 2


@pytest.mark.slow
def test_an_interrupted_command_goes_on_where_it_stopped(measure, run, question_set, judge):
    def broken(human):
        return failure(503, "gone") if "훈민정음" in human else claims_reply(human)

    judge.replies["CheckedClaims"] = broken
    kept = (*BASIC, "--index", "kept", "--concurrency", "1")
    ended = run("evaluate", *kept)
    assert ended.code == 1 and "the same command goes on from here" in ended.err
    answers = judge.number_of("Answer")
    before = judge.number_of("CheckedClaims")
    judge.replies["CheckedClaims"] = claims_reply
    assert measure(*kept)["conditions"][0]["answers"] == 3
    # The text that it cites tells of no birth, which one of them asks for: that is read twice.
    assert judge.number_of("Answer") == answers == 4
    assert judge.number_of("CheckedClaims") < before + 3


@pytest.mark.slow
def test_a_malformed_reply_is_counted_warned_of_and_no_verdict(run, question_set, judge):
    judge.replies["CheckedClaims"] = lambda human: (
        "I would rather not." if "훈민정음" in human else claims_reply(human)
    )
    ended = run("evaluate", *BASIC, "--json")
    [found] = json.loads(ended.out)["conditions"]
    assert (found["answers"], found["without_reply"]) == (2, 1)
    shown = run("evaluate", *BASIC)
    assert "1 answers got no usable reply" in shown.out and "Note:" in shown.err


@pytest.mark.slow
def test_a_dry_run_asks_nobody_and_is_exact_once_answers_are_kept(measure, question_set, judge):
    kept = (*BASIC, "--index", "kept")
    before = measure(*kept, "--dry-run")
    assert before["missing_answers"] == 3 and not judge.asked
    assert (before["answers"]["calls_least"], before["judging"]["calls_most"]) == (3, 3)
    judge.replies["CheckedClaims"] = failure(503, "gone")
    with pytest.raises(AssertionError):
        measure(*kept)
    between = measure(*kept, "--dry-run")
    assert judge.number_of("Answer") == 4  # one is doubted, and read twice
    assert between["missing_answers"] == 0 and between["answers"]["calls_most"] == 0
    assert between["judging"]["calls_least"] == between["judging"]["calls_most"] == 3
    assert between["judging"]["tokens_least"] == between["judging"]["tokens_most"] > 100
    judge.replies["CheckedClaims"] = claims_reply
    measure(*kept)
    assert measure(*kept, "--dry-run")["judging"]["calls_most"] == 0


@pytest.mark.slow
def test_a_dry_run_and_the_table_can_be_read_and_drawn(run, question_set, judge):
    assert "3 answers" in run("evaluate", *BASIC, "--dry-run").out
    shown = run("evaluate", *BASIC, "--plot", "claims.svg")
    assert "supported" in shown.out and "42.9" in shown.out
    assert "clusters at 0.8" in Path("claims.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["claims", *MODEL], 2, "Name the folder of a question set, or an index"),
        (["claims", "set"], 1, "needs a language model"),
        (["claims", "set", "--method", "graphrag:global:99", *MODEL], 2, "--level"),
        (["claims", "set", "--method", "magic", *MODEL], 2, "is no condition"),
        (["claims", "--index", "nowhere", *MODEL], 1, "nowhere"),
    ],
)
def test_wrong_usage_is_one_sentence(run, question_set, arguments, code, words):
    ended = run("evaluate", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert words in ended.err and len(ended.err.strip().splitlines()) == 1
