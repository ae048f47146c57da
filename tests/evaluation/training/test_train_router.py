"""The script that trains the router."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from ragraphs.algorithms.router.decision import KINDS, kind_probabilities
from ragraphs.algorithms.router.features import question_features
from ragraphs.evaluation.training import train_router
from ragraphs.evaluation.training.routing_examples import EXAMPLES

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


def test_kinds_come_from_types_and_single_facts_from_decompositions():
    write_questions()
    cases = train_router.read_cases("set")
    assert [case.kind for case in cases] == ["comparison", "single", "bridge", "single"]
    assert cases[-1].features == question_features("Where was Ann Lee born?")


def test_training_writes_parameters_that_the_product_reads_and_is_repeatable(capsys):
    write_questions()
    with Path("router.json").open("w") as file:
        train_router.main(["set"], file)
    trained = json.loads(Path("router.json").read_text())
    assert set(trained["weights"]) == set(KINDS) and trained["margin"] >= 0
    report = dict(
        line.split(" {", 1) for line in capsys.readouterr().err.splitlines() if "{" in line
    )
    assert list(report) == ["set", "own examples, English", "own examples, Korean"]
    train_router.main(["set"])
    assert json.loads(capsys.readouterr().out) == trained
    again = train_router.train(train_router.read_sources(["set"]))
    assert {**again, "margin": trained["margin"]} == trained
    right = [
        max(shares := kind_probabilities(question_features(text), trained), key=shares.get) == kind
        for examples in EXAMPLES.values()
        for text, kind in examples
    ]
    assert np.mean(right) > 0.75


def test_every_kind_has_examples_in_both_languages():
    for examples in EXAMPLES.values():
        assert {kind for _, kind in examples} == set(KINDS)
        assert all(text.strip() == text and text for text, _ in examples)
