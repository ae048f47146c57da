"""The script that fits the confidence of short answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ragraphs.offline.finder import confidence

from lab.training import fit_finder

PEOPLE = ("Ann Lee", "Bob Ray", "Cy Fox", "Dee Poe", "Eve Roth", "Flo Hart")
PASSAGES = [
    {"id": f"p{place}", "title": name, "text": f"{name} was born in Rome in 19{place}0."}
    for place, name in enumerate(PEOPLE)
]
QUESTIONS = [
    {
        "question": f"In what year was the founder of Acme {place} born?",
        "answer": f"19{place}0",
        "supporting": [f"p{place}"],
        "decomposition": [
            {"question": f"Acme {place} >> founded by", "answer": name},
            {"question": "In what year was #1 born ?", "answer": f"19{place}{place % 2}"},
        ],
    }
    for place, name in enumerate(PEOPLE)
]


@pytest.mark.slow
def test_single_questions_are_asked_and_an_answer_of_other_passages_is_wrong(capsys):
    Path("set").mkdir()
    for name, rows in (("passages", PASSAGES), ("questions", QUESTIONS)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        Path(f"set/{name}.jsonl").write_text(lines)
    singles = fit_finder._singles(QUESTIONS[0])
    assert [single.question for single in singles] == ["In what year was Ann Lee born?"]
    fit_finder.main(["set"], "lexical")
    told = capsys.readouterr()
    weights = json.loads(told.out)
    assert 0 <= confidence((1.0, 0.4), weights) <= 1
    assert '{"0": [6, 3]' in told.err
