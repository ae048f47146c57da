"""The questions of a judged comparison: written once, edited by a person, spread evenly."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging_support import BEST, WORSE, by
from ragraphs.evaluation.judging.questions import (
    PersonaQuestion,
    QuestionQuota,
    keep_questions,
    read_questions,
)
from ragraphs.evaluation.judging.questions import spread as spread_over
from ragraphs.state.errors import RagraphsError

SMALL = ("--personas", "2", "--tasks", "2", "--per-task", "2")
TWO = ("--condition", WORSE, "--condition", BEST)
FEW = st.integers(1, 6)


@pytest.fixture
def small(judged):
    judged.model.answers["Verdicts"] = by(len)
    return lambda *arguments: judged(*SMALL, *TWO, *arguments)


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.slow
def test_questions_are_written_for_personas_and_tasks_and_kept_with_the_index(judged, small):
    result = small()
    assert judged.model.counts["Personas"] == 1
    assert judged.model.counts["CollectionQuestions"] == 2
    rows = lines(judged.questions)
    assert rows == result["asked"] and len(rows) == result["questions"] == 8
    assert set(Counter((row["persona"], row["task"]) for row in rows).values()) == {2}
    assert "8 questions of 8 that were wanted are in" in result["notes"][0]
    [described] = judged.model.of("Personas")
    assert "Circle of " in described and "- " in described.split('title="Titles"')[1]


@pytest.mark.slow
def test_edited_questions_are_used_as_they_are(judged, small):
    small()
    file = judged.questions
    file.write_text('{"question": "What did I ask?"}\nA plain one?\n\n', encoding="utf-8")
    result = small()
    assert [one["question"] for one in result["asked"]] == ["What did I ask?", "A plain one?"]
    assert result["notes"][0].startswith("2 of the 2 questions in ")
    assert judged.model.counts["Personas"] == 1
    file.write_text('{"question": "Fine?"}\n{"persona": "x"}\n', encoding="utf-8")
    refused = judged.ended(*TWO)
    assert refused.code == 1 and re.search(r"Row 2 of .* is no question", refused.err)


@pytest.mark.slow
def test_new_questions_leave_the_old_ones_and_choose_other_people(judged, small):
    small()
    before = judged.questions.read_text()
    result = small("--new-questions")
    assert judged.questions.with_stem("questions-1").read_text() == before
    assert not {row["question"] for row in lines(judged.questions)} & {
        json.loads(line)["question"] for line in before.splitlines()
    }
    assert json.loads(before.splitlines()[0])["persona"] in judged.model.of("Personas")[1]
    assert "The questions before are in" in result["notes"][1]


@pytest.mark.slow
def test_no_more_is_generated_than_is_needed(judged, small):
    result = small("--questions", "3", "--personas", "5")
    assert result["questions"] == 3 and len({row["persona"] for row in result["asked"]}) == 3
    assert "People: 3. Tasks for each: 1" in judged.model.of("Personas")[0]
    assert judged.model.counts["CollectionQuestions"] == 3


@pytest.mark.slow
def test_a_model_that_writes_fewer_questions_is_told_of_and_none_is_an_error(judged, small):
    judged.model.answers["CollectionQuestions"] = {"tasks": {"A": ["One?", "Two?"]}}
    assert small()["notes"][0].startswith("2 questions of 8 that were wanted")
    judged.model.answers["Personas"] = "I cannot."
    refused = judged.ended(*SMALL, *TWO, "--new-questions")
    assert refused.code == 1 and "The model wrote no questions that can be used" in refused.err
    assert len(lines(judged.questions)) == 2


@given(FEW, FEW, FEW, st.integers(1, 250))
def test_questions_are_spread_evenly_over_personas_and_tasks(personas, tasks, per_task, most):
    wanted = QuestionQuota(personas, tasks, per_task, most)
    counts = wanted.counts()
    assert wanted.total == min(most, personas * tasks * per_task)
    totals = [sum(row) for row in counts]
    assert len(totals) == min(personas, most) and max(totals) - min(totals) <= 1
    for row in counts:
        assert max(row) - min(row) <= 1 and (len(row) == tasks or max(row) == 1)
    asked = [
        PersonaQuestion(str(person), str(task), f"{person} {task} {n}")
        for person in range(personas)
        for task in range(tasks)
        for n in range(per_task)
    ]
    chosen = spread_over(asked, most)
    found = Counter((one.persona, one.task) for one in chosen)
    assert sorted(found.values()) == sorted(count for row in counts for count in row)
    assert chosen == [one for one in asked if one in chosen]


def test_a_file_of_questions_is_read_once_each_and_must_have_some(tmp_path):
    file = tmp_path / "own.txt"
    file.write_text("One?\nTwo?\nOne?\n", encoding="utf-8")
    assert [one.question for one in read_questions(file)] == ["One?", "Two?"]
    file.write_text("\n")
    with pytest.raises(RagraphsError, match="has no question"):
        read_questions(file)
    with pytest.raises(RagraphsError, match="cannot be read"):
        read_questions(tmp_path / "none")
    backups = [keep_questions(file, [PersonaQuestion("", "", str(n))]) for n in range(3)]
    assert [one and one.name for one in backups] == ["own-1.txt", "own-2.txt", "own-3.txt"]
