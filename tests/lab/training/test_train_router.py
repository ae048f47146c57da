"""The script that trains the router."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from ragraphs.algorithms.router.decision import KINDS, kind_probabilities, likely_kind
from ragraphs.algorithms.router.features import question_features

from lab.training import train_router
from lab.training.routing_examples import EXAMPLES

ROWS = [
    {"question": "Who was born first, Ann Lee or Bob Ray?", "type": "comparison"},
    {"question": "What treats a cold?", "type": "Fact Retrieval"},
    {"question": "What is that?", "type": "unheard of"},
    {
        "question": "Where was the founder of Acme born?",
        "type": "2hop",
        "decomposition": [
            {"question": "Acme >> founded by", "answer": "Ann Lee"},
            {"question": "Where was #1 born ?", "answer": "Rome"},
        ],
    },
]


def write_questions():
    Path("set").mkdir()
    text = "".join(json.dumps(row) + "\n" for row in ROWS)
    Path("set/questions.jsonl").write_text(text)


def test_facts_come_from_types_and_from_decompositions():
    write_questions()
    cases = train_router.read_facts("set")
    assert [case.kind for case in cases] == ["fact"] * 4
    assert cases[-1].features == question_features("Where was Ann Lee born?")


@pytest.mark.slow
def test_training_writes_parameters_that_the_product_reads_and_is_repeatable(capsys, monkeypatch):
    monkeypatch.setattr(train_router, "_HALVES", 1)  # divisions of our own examples
    write_questions()
    with Path("router.json").open("w") as file:
        train_router.main(["set"], file)
    trained = json.loads(Path("router.json").read_text())
    assert set(trained["weights"]) == set(KINDS)
    report = [line.split(": {")[0] for line in capsys.readouterr().err.splitlines()]
    left_out = ["set", "English", "Korean", "half of English", "half of Korean"]
    assert report == [f"without {name}" for name in left_out]
    train_router.main(["set"])
    assert json.loads(capsys.readouterr().out) == trained
    right = [
        likely_kind(kind_probabilities(question_features(text), trained)) == kind
        for examples in EXAMPLES.values()
        for text, kind in examples
    ]
    assert np.mean(right) > 0.75


def test_every_kind_has_examples_in_both_languages():
    for examples in EXAMPLES.values():
        assert {kind for _, kind in examples} == set(KINDS)
        assert all(text.strip() == text and text for text, _ in examples)
