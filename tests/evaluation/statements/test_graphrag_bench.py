"""``ragraphs evaluate graphrag-bench``: its files, and its measures by type of question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ragraphs.evaluation.statements.bench_set import BenchQuestion, load_bench
from ragraphs.evaluation.statements.predictions import prediction, write_predictions
from ragraphs.state.errors import RagraphsError
from statements_support import MODEL, texts_in

MOUNT = "Mont St. Michel is located in Normandy."
ARTHUR = "Merlin produced King Arthur."
CORPORA = [
    {"corpus_name": "Novel-1", "context": f"{MOUNT} Many pilgrims come."},
    {"corpus_name": "Novel 2", "context": [ARTHUR, "Sir Bedevere threw Excalibur."]},
]


def row(number, source, question, answer, kind, **more):
    return {"id": f"q{number}", "source": source, "question": question, "answer": answer,
            "question_type": kind, **more}  # fmt: skip


QUESTIONS = [
    row(1, "Novel-1", "Where is Mont St. Michel?", "It is in Normandy.", "Fact Retrieval",
        evidence=[MOUNT], evidence_tripples=["(Mont St. Michel, was in, Normandy)"]),
    row(2, "Novel 2", "Who produced King Arthur?", "Merlin", "Fact Retrieval", evidence=ARTHUR),
    row(3, "Novel 2", "Retell how Arthur came.", "Merlin made him.", "Creative Generation"),
    row(4, "Novel 2", "Tell it again.", "Merlin did.", "creative generation"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def files():
    """The files of the benchmark in the folder ``bench``."""
    for name, rows in (("Questions/q_questions", QUESTIONS), ("Corpus/novel", CORPORA)):
        file = Path(f"bench/{name}.json")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(rows))


def matched_reply(human):
    """One statement of two is right, and one of the gold's three is covered."""
    return {
        "answer": [
            {"statement": "a", "in_reference": True},
            {"statement": "b", "in_reference": False},
        ],
        "reference": [{"statement": text, "in_answer": text == "a"} for text in "acd"],
    }


@pytest.fixture(autouse=True)
def replies(judge):
    judge.replies["MatchedStatements"] = matched_reply
    judge.replies["CheckedClaims"] = {
        "claims": [
            {"claim": "a", "texts": ["1"], "verdict": "supported"},
            {"claim": "b", "texts": [], "verdict": "not said"},
        ]
    }


BASIC = ("graphrag-bench", "bench", "--method", "basic", *MODEL)


@pytest.mark.slow
def test_every_measure_agrees_with_the_replies_by_hand(measure, judge):
    """Of F1: one right, one wrong, two missing, 2 / (2 + 1 + 2) = 0.4; of coverage: 1 / 3."""
    result = measure(*BASIC)
    [found] = result["conditions"]
    facts = found["by_type"]["Fact Retrieval"]
    assert {name: facts[name]["n"] for name in ("rouge_l", "accuracy", "coverage")} == {
        "rouge_l": 2,
        "accuracy": 2,
        "coverage": 2,
    }
    assert (facts["statements"]["value"], facts["coverage"]["value"]) == (0.4, 0.3333)
    assert facts["accuracy"]["value"] == pytest.approx(
        0.75 * 0.4 + 0.25 * facts["similarity"]["value"], abs=1e-3
    )
    assert facts["evidence_recall"]["value"] == 1.0
    assert facts["faithfulness"] == {"value": None, "low": None, "high": None, "n": 0}
    creative = found["by_type"]["Creative Generation"]
    assert (creative["faithfulness"]["value"], creative["faithfulness"]["n"]) == (0.5, 2)
    assert creative["evidence_recall"]["n"] == 0
    assert found["by_type"]["all"]["rouge_l"]["n"] == 4
    means = [facts["accuracy"]["value"], creative["accuracy"]["value"]]
    assert found["average"] == pytest.approx(sum(means) / 2, abs=1e-3)
    first = result["answers"][0]
    assert first["statements"] == {"right": 1, "wrong": 1, "covered": 1, "missing": 2}
    assert first["scores"]["rouge_l"] == pytest.approx(
        2 * 3 / (4 + len(first["answer"].replace(".", "").split())), abs=1e-3
    )


@pytest.mark.slow
def test_documents_of_an_index_that_are_not_of_the_corpus_are_named(run, measure):
    Path("notes.md").write_text("Caen is near.")
    run("index", "notes.md", "--index", "idx/Novel-1", "--embeddings", "lexical")
    told = measure(*BASIC, "--source", "Novel-1", "--index", "idx")["warnings"][0]
    assert "not of Novel-1: 1 (" in told and "notes.md" in told


@pytest.mark.slow
def test_a_judge_sees_answer_and_reference_and_the_retrieved_passages_for_faithfulness(
    measure, judge
):
    measure(*BASIC)
    shown = texts_in(judge.prompts("MatchedStatements")[0])
    assert shown["reference"] == "It is in Normandy." and set(shown) == {"answer", "reference"}
    assert judge.number_of("MatchedStatements") == 4 and judge.number_of("CheckedClaims") == 2
    texts = texts_in(judge.prompts("CheckedClaims")[0])
    assert ARTHUR in texts["1"] and "Excalibur" in texts["1"]


@pytest.mark.slow
@pytest.mark.parametrize(("which", "asked"), [("all", 4), ("none", 0)])
def test_faithfulness_is_asked_for_as_often_as_wanted(measure, judge, which, asked):
    measure(*BASIC, "--faithfulness", which)
    assert judge.number_of("CheckedClaims") == asked


@pytest.mark.slow
def test_without_a_model_only_what_needs_none_is_measured(measure):
    result = measure("graphrag-bench", "bench", "--method", "basic", "--embeddings", "lexical")
    facts = result["conditions"][0]["by_type"]["Fact Retrieval"]
    assert result["judge"] == "offline" and result["conditions"][0]["average"] is None
    assert facts["rouge_l"]["n"] == 2 and facts["evidence_recall"]["value"] == 1.0
    assert facts["accuracy"]["value"] is facts["coverage"]["value"] is None


@pytest.mark.slow
def test_an_empty_answer_is_wrong_and_nobody_is_asked(measure, judge):
    judge.replies["Answer"] = {"quotes": [], "sufficient": False, "answer": ""}
    [found] = measure(*BASIC)["conditions"]
    every = found["by_type"]["all"]
    assert {every[n]["value"] for n in ("rouge_l", "accuracy", "statements", "coverage")} == {0.0}
    assert found["without_answer"] == 4 and judge.number_of("MatchedStatements") == 0


@pytest.mark.slow
def test_every_corpus_has_its_own_index_in_which_finished_questions_are_kept(measure, judge):
    first = measure(*BASIC, "--index", "own")
    asked = len(judge.asked)
    again = measure(*BASIC, "--index", "own")
    assert len(judge.asked) == asked
    assert first["conditions"][0]["by_type"] == again["conditions"][0]["by_type"]
    assert {one.name for one in Path("own").iterdir()} == {"Novel-1", "Novel-2", "evaluations"}
    measure(*BASIC, "--index", "own", "--source", "Novel 2")
    assert len(judge.asked) == asked
    assert list(Path("own/Novel-2/evaluations").glob("graphrag-bench-*.json"))


@pytest.mark.slow
def test_a_reply_that_is_no_use_is_counted_and_no_verdict(run, judge):
    judge.replies["MatchedStatements"] = {"answer": [], "reference": []}
    ended = run("evaluate", *BASIC, "--json")
    [found] = json.loads(ended.out)["conditions"]
    assert found["without_reply"] == 4
    assert found["by_type"]["all"]["accuracy"]["value"] is None
    assert found["by_type"]["all"]["rouge_l"]["n"] == 4


@pytest.mark.slow
def test_a_dry_run_asks_nobody(measure, run, judge):
    before = measure(*BASIC, "--index", "own", "--dry-run")
    assert (before["missing_answers"], before["answers"]["calls_least"]) == (4, 4)
    assert before["judging"]["calls_most"] == 4 + 2 and not judge.asked
    assert not Path("own").exists()
    measure(*BASIC, "--index", "own")
    after = measure(*BASIC, "--index", "own", "--dry-run", "--faithfulness", "all")
    assert (after["missing_answers"], after["judging"]["calls_least"]) == (0, 2)
    assert "judging" in run("evaluate", *BASIC, "--dry-run").out


@pytest.mark.slow
def test_the_table_and_the_drawing_name_the_types(run, judge):
    shown = run("evaluate", *BASIC, "--plot", "bench.svg")
    assert "Fact Retrieval" in shown.out and "Mean accuracy of the types" in shown.out
    assert "Creative Generation" in Path("bench.svg").read_text()


@pytest.mark.slow
def test_answers_are_written_as_the_scripts_of_the_benchmark_read_them(measure):
    """Of June 2025 a list for each type with the keys below; today one list."""
    offline = ("--method", "basic", "--embeddings", "lexical", "--predictions", "answers.json")
    result = measure("graphrag-bench", "bench", *offline)
    by_type = json.loads(Path("answers.json").read_text())
    assert {kind: len(rows) for kind, rows in by_type.items()} == {
        "Fact Retrieval": 2,
        "Creative Generation": 2,
    }
    first = by_type["Fact Retrieval"][0]
    given = {one["id"]: one["answer"] for one in result["answers"]}
    assert first["question"] == "Where is Mont St. Michel?"
    assert first["gold_answer"] == first["ground_truth"] == "It is in Normandy."
    assert first["generated_answer"] == given["q1"]
    assert first["context"] == [f"{MOUNT} Many pilgrims come."] and first["evidence"] == [MOUNT]
    rows = json.loads(Path("answers.list.json").read_text())
    assert [row["id"] for row in rows] == ["q1", "q2", "q3", "q4"]
    assert first in rows and first["question_type"] == "Fact Retrieval"


def test_each_of_several_conditions_has_files_of_its_own():
    rows = [prediction(BenchQuestion("q1", "Novel", "Who?", "Ada", "other", ()), "", [])]
    write_predictions(Path("a.json"), {"basic": rows, "graphrag:local": rows})
    assert {one.name for one in Path().glob("a*")} == {
        *("a-basic.json", "a-basic.list.json"),
        *("a-graphrag-local.json", "a-graphrag-local.list.json"),
    }


def test_a_place_that_cannot_be_written_is_refused_before_anybody_is_asked(run, judge):
    ended = run("evaluate", *BASIC, "--predictions", "no/such/answers.json")
    assert ended.code == 1 and "name a .json file in a folder that exists" in ended.err
    assert not judge.asked


def test_files_may_be_lines_and_a_limit_is_of_each_type():
    lines = Path("questions.jsonl")
    lines.write_text("\n".join(json.dumps(one | {"source": None}) for one in QUESTIONS))
    Path("medical.json").write_text(json.dumps({"corpus_name": "Medical", "context": "A text."}))
    found = load_bench(lines, "medical.json", limit=1)
    [(corpus, asked)] = found.parts
    assert (found.name, corpus.name, [one.id for one in asked]) == (
        "questions",
        "Medical",
        ["q1", "q3"],
    )
    assert asked[0].evidence == (MOUNT,) and asked[1].kind == "Creative Generation"
    whole = load_bench("bench")
    assert [corpus.name for corpus, _ in whole.parts] == ["Novel-1", "Novel 2"]
    assert whole.parts[1][0].text == f"{ARTHUR}\n\nSir Bedevere threw Excalibur."


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda: Path("bench/Questions/q_questions.json").unlink(), "no JSON file of questions"),
        (lambda: Path("bench/more_questions.json").write_text("[]"), "several files of questions"),
        (lambda: Path("bench/Corpus/novel.json").write_text("{"), "neither JSON nor JSON lines"),
        (lambda: Path("bench/Corpus/novel.json").write_text('[{"a": 1}]'), "Row 1 of .*context"),
        (lambda: Path("bench/Corpus/novel.json").write_text("[]"), "no corpus 'Novel-1'"),
    ],
)
def test_a_bad_file_is_one_sentence(change, words):
    change()
    with pytest.raises(RagraphsError, match=words):
        load_bench("bench")


def test_an_unknown_source_and_a_lacking_corpus_are_one_sentence():
    with pytest.raises(RagraphsError, match="No question is about X; there are Novel 2, Novel-1"):
        load_bench("bench", sources=["X"])
    with pytest.raises(RagraphsError, match=r"Name the corpus of q_questions\.json"):
        load_bench("bench/Questions/q_questions.json")
