"""Measuring how questions are split: gold sub-questions, and gold facts."""

from __future__ import annotations

import json

import pytest
from ragraphs.evaluation.figures import read_figures
from ragraphs.state.errors import RagraphsError

from lab.benchmarks.decomposition import evaluate, main

CHAIN = {
    "question": "Who is the spouse of the director of Blue Sky?",
    "type": "2hop",
    "decomposition": [
        {"question": "Blue Sky >> director"},
        {"question": "Who is the spouse of #1"},
    ],
}
COMPARISON = {
    "question": "Which film has the director who died first, Stella or Marius?",
    "type": "bridge",
    "triples": [
        ["Stella", "director", "Ann Lee"],
        ["Stella", "director", "Bob Ray"],
        ["Marius", "director", "Cy Day"],
        ["Ann Lee", "date of death", "1900"],
        ["Bob Ray", "date of death", "1910"],
        ["Cy Day (director)", "date of death", "1920"],
    ],
}
TOO_FEW = {**CHAIN, "question": "Who directed Blue Sky?", "type": "wrong"}
OTHER_NAME = {**CHAIN, "question": "Is Blue Sky by Ann Lee?", "type": "wrong"}
OTHER_NAME["decomposition"] = [{"question": "Who is Ann Lee?"}, {"question": "Who is Blue Sky?"}]


@pytest.fixture
def measured(tmp_path):
    def write(*rows):
        lines = "\n".join(json.dumps(row) for row in rows)
        (tmp_path / "questions.jsonl").write_text(lines)
        return tmp_path

    return write


@pytest.mark.slow
def test_the_right_number_and_names_count_and_are_kept(measured, tmp_path):
    result = evaluate(measured(CHAIN, COMPARISON), tmp_path / "f.jsonl.gz")
    [kept] = read_figures(tmp_path / "f.jsonl.gz")
    assert [one.scores for one in kept.outputs] == [{"leaves": 1, "entities": 1, "both": 1}] * 2
    assert (result["questions"], result["leaves"], result["entities"], result["both"]) == (
        2,
        1,
        1,
        1,
    )
    assert set(result["by_type"]) == {"2hop", "bridge"}


@pytest.mark.slow
def test_too_few_sub_questions_and_names_without_one_of_their_own_do_not(measured):
    shares = evaluate(measured(TOO_FEW, OTHER_NAME))["by_type"]["wrong"]
    assert (shares["leaves"], shares["entities"], shares["both"]) == (0, 0.5, 0)


@pytest.mark.slow
def test_questions_without_gold_parts_are_refused_in_a_sentence(measured):
    assert evaluate(measured(CHAIN, {"question": "Who?"}))["without_gold"] == 1
    with pytest.raises(RagraphsError, match="decomposition"):
        evaluate(measured({"question": "Who?"}))


def test_json_is_one_document(measured, capsys):
    main(str(measured(CHAIN)))
    assert json.loads(capsys.readouterr().out)["both"] == 1
