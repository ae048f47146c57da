"""The shipped classifier on questions that it was not trained on."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from ragraphs.algorithms.router.decision import first_method, kind_probabilities
from ragraphs.algorithms.router.features import FEATURES, question_features
from ragraphs.graphs.methods import METHODS
from ragraphs.models.router import KIND_CLASSIFIER

from lab.training.routing_examples import EXAMPLES

DATA = Path(__file__).parents[2] / "data"
ALL = dict.fromkeys(METHODS, "")


def rows_of(name, file="questions"):
    lines = (DATA / name / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def share(questions, method, web):
    kinds = [kind_probabilities(question_features(q), KIND_CLASSIFIER) for q in questions]
    return Counter(first_method(one, METHODS, ALL, web).method for one in kinds)[method] / len(
        questions
    )


def asked(kind, language, file="questions"):
    return [
        row["question"]
        for row in rows_of("routing", file)
        if row["kind"] == kind and row["language"] == language
    ]


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize(
    ("kind", "method", "web", "least"),
    [
        ("whole", "graphrag", True, 0.8),
        ("fresh", "crag", True, 0.8),
        ("fresh", "basic", False, 1.0),
        ("fact", "basic", False, 0.9),
        ("fact", "basic", True, 0.8),
    ],
)
def test_questions_of_each_kind_begin_where_they_should(language, kind, method, web, least):
    assert share(asked(kind, language), method, web) >= least


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize(
    ("kind", "method", "least"), [("whole", "graphrag", 0.8), ("fact", "basic", 0.9)]
)
def test_questions_written_blindly_begin_where_they_should(language, kind, method, least):
    assert share(asked(kind, language, "blind"), method, web=False) >= least


@pytest.mark.slow
def test_questions_on_kinds_of_documents_unknown_to_the_classifier_begin_where_they_should():
    whole, facts = (
        [row["question"] for row in rows_of("routing", "apart") if row["kind"] == kind]
        for kind in ("whole", "fact")
    )
    assert share(whole, "graphrag", web=False) >= 0.85
    assert share(facts, "basic", web=False) >= 0.93


def test_how_to_questions_are_told_from_those_about_the_whole():
    for language in ("en", "ko"):
        assert share(asked("whole", language, "manuals"), "graphrag", web=False) >= 0.85
        assert share(asked("fact", language, "manuals"), "basic", web=False) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("web", [True, False])
def test_questions_on_single_documents_begin_cheaply(web):
    assert share([row["question"] for row in rows_of("natural")], "basic", web) >= 0.95


def test_no_test_question_is_among_the_examples():
    examples = {text for pairs in EXAMPLES.values() for text, _ in pairs}
    for file in ("questions", "blind", "apart", "manuals"):
        assert not examples.intersection(row["question"] for row in rows_of("routing", file))
    assert KIND_CLASSIFIER["features"] == list(FEATURES)
