"""`lab.experiments router --recorded`: outcomes of a model that were recorded elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ragraphs.evaluation.datasets import LabelledQuestion
from ragraphs.evaluation.figures import read_figures

from lab.experiments.recorded import read_recorded

FILE = Path("outcomes.jsonl")


def row(method, id, answer, sufficient=True, calls=1, **more):
    told = {"method": method, "id": id, "answer": answer, "sufficient": sufficient}
    return {**told, "calls": calls, "tokens": 100 * calls, **more}


ROWS = [
    row("basic", "designer", "John Fowler", citations=1),
    row("basic", "birth", "", False, missing=["Where was John Fowler born?"], citations=1),
    row("basic", "hangul", "1443년", citations=1),
    row("deeprag", "designer", "John Fowler", calls=4),
    row("deeprag", "birth", "in the city of Sheffield", calls=5),
    row("deeprag", "hangul", "1446년", calls=4),
    row("router", "designer", "John Fowler", tried=["basic"]),
    row("router", "birth", "Sheffield", calls=2, tried=["basic", "deeprag"]),
    row("router", "hangul", "1443년", tried=["basic"]),
]


def write(rows):
    FILE.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows))


def compare(experiment, *arguments, rows=ROWS):
    write(rows)
    ended = experiment("router", "set", "--recorded", str(FILE), *arguments, "--json")
    assert (ended.code, ended.err) == (0, "")
    found = json.loads(ended.out)
    return found, {one["strategy"]: one for one in found["strategies"]}


def test_recorded_outcomes_are_compared_and_nobody_is_asked(experiment, question_set, openai):
    found, by_name = compare(experiment)
    assert openai.requests == [] and not Path(".ragraphs").exists()
    assert (found["questions"], found["model"]) == (3, "outcomes.jsonl")
    figures = {name: (one["em"], one["calls"], one["tokens"]) for name, one in by_name.items()}
    assert figures["always basic"] == (0.3333, 1.0, 100)
    assert figures["always deeprag"] == (0.6667, 4.3333, 433.3333)
    assert figures["cascade"] == (0.6667, 1.3333, 133.3333)
    assert figures["cascade, from scratch"] == (0.3333, 2.6667, 266.6667)
    paths = {"basic": 2, "basic → deeprag": 1}
    assert by_name["cascade"]["chosen"] == by_name["cascade, from scratch"]["chosen"] == paths
    assert found["verdict"].startswith("The cascade does not beat deeprag")


def test_rows_without_tokens_are_compared_all_the_same(experiment, question_set):
    found, by_name = compare(experiment, rows=[{**one, "tokens": None} for one in ROWS])
    assert (by_name["always basic"]["em"], by_name["always basic"]["tokens"]) == (0.3333, 0)
    assert any("do not say how many tokens" in note for note in found["notes"])


def test_a_right_answer_in_a_sentence_is_not_misleading_and_another_answer_is(
    experiment, question_set
):
    _, by_name = compare(experiment)
    basic, deeprag = by_name["always basic"], by_name["always deeprag"]
    assert (basic["misleading"], basic["misleading_of_sufficient"]) == (0.3333, 0.5)
    assert (deeprag["em"], deeprag["misleading"]) == (0.6667, 0.0)


def test_a_list_and_questions_in_place_of_ids_are_read_as_well(experiment, question_set):
    asked = {one["id"]: one["question"] for one in question_set_rows()}
    by_question = [{**one, "id": "", "question": asked[one["id"]]} for one in ROWS]
    found, _ = compare(experiment)
    write(by_question)
    FILE.write_text(json.dumps([json.loads(line) for line in FILE.read_text().splitlines()]))
    ended = experiment("router", "set", "--recorded", str(FILE), "--json")
    assert json.loads(ended.out)["strategies"] == found["strategies"]


def question_set_rows():
    return [json.loads(line) for line in Path("set/questions.jsonl").read_text().splitlines()]


def test_what_lacks_is_said(experiment, question_set):
    rows = [one for one in ROWS if (one["method"], one["id"]) != ("deeprag", "hangul")]
    rows = [one for one in rows if one["method"] != "router"]
    rows += [row("magic", "designer", "?"), row("basic", "unheard of", "?")]
    found, by_name = compare(experiment, rows=rows)
    assert found["questions"] == 2 and "cascade" not in by_name
    told = " ".join(found["notes"])
    assert "1 rows of outcomes.jsonl are of 'magic', which is not compared." in told
    assert "1 rows of outcomes.jsonl are of no question of the set that has an answer." in told
    assert "2 of 3 questions were recorded for every method (basic 3, deeprag 2)" in told
    assert "outcomes.jsonl has no outcomes of crag, hoprag, tog2, graphrag, agent, router." in told
    assert found["verdict"].startswith("The cascade, from scratch,")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no JSON", "is neither a JSON list nor JSON lines"),
        ('{"method": "basic"}\n', "Row 1 of outcomes.jsonl: answer: Field required; a row needs"),
        ("7\n", "Row 1 of outcomes.jsonl"),
        (json.dumps(row("router", "designer", "?")), "has no outcome of a single method"),
        (
            "\n".join(map(json.dumps, [row("basic", "birth", "?"), row("crag", "hangul", "?")])),
            "No question has an outcome by every method of outcomes.jsonl (basic 1, crag 1)",
        ),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_sentence(experiment, question_set, text, said):
    if text is not None:
        FILE.write_text(text)
    ended = experiment("router", "set", "--recorded", str(FILE))
    assert (ended.code, ended.out) == (1, "")
    assert said in " ".join(ended.err.split()) and "Traceback" not in ended.err


@pytest.mark.parametrize("name", ["musique", "2wiki", "hotpotqa"])
def test_the_recorded_outcomes_of_the_readme_are_whole(name):
    file = Path(__file__).parents[3] / "lab" / "data" / "figures" / f"answers_{name}.jsonl.gz"
    rows = [one for measured in read_figures(file) for one in measured.outputs]
    ids = list(dict.fromkeys(row.id for row in rows))
    methods = list(dict.fromkeys(row.method for row in rows))
    questions = [LabelledQuestion(id, id, ("?",), "", frozenset()) for id in ids]
    read = read_recorded(file, questions, methods)
    assert {"basic", "deeprag", "router"} <= set(methods) and read.notes == []
    assert {len(scored) for scored in read.scored.values()} == {len(ids)}
