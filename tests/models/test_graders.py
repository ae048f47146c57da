"""Graders: what a model leaves out, and what happens when it fails."""

from __future__ import annotations

import pytest
from ragraphs.models.graders import MODEL_THRESHOLDS, SimilarityGrader, open_grader
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.models.meter import start_meter
from ragraphs.prompts.library import GRADE_PASSAGES
from ragraphs.prompts.prompt import number
from stub_openai import failure

QUESTION = "Who designed the Forth Bridge?"
TEXTS = number(
    [
        ("Forth Bridge", "The Forth Bridge was designed by John Fowler and Benjamin Baker."),
        ("Sonata", "A sonata is a piece of music."),
        ("Forth", "The Forth is a river in Scotland."),
    ]
)
SIMILARITY = SimilarityGrader(LexicalEmbedder())


async def grading(model, kind="model"):
    grader = open_grader(kind, model, LexicalEmbedder())
    return await grader.grade(GRADE_PASSAGES, QUESTION, TEXTS)


async def test_the_models_scores_stand_with_the_models_thresholds(openai, open_model):
    scores = [{"id": str(place), "score": place / 4} for place in (3, 1, 2)]
    openai.answer = lambda _: {"scores": scores}
    meter = start_meter(None)
    graded = await grading(await open_model())
    assert graded.scores == [0.25, 0.5, 0.75]
    assert graded.thresholds == MODEL_THRESHOLDS
    assert meter.warnings == []


async def test_a_text_left_out_counts_minus_one_with_a_warning(openai, open_model):
    openai.answer = lambda _: {"scores": [{"id": "2", "score": 0.5}, {"id": "9", "score": 1}]}
    meter = start_meter(None)
    graded = await grading(await open_model())
    assert graded.scores == [-1, 0.5, -1]
    assert meter.warnings == ["The model graded 1 of 3 texts."]


@pytest.mark.parametrize("scores", [[], [{"id": "the first", "score": 1}]])
async def test_similarity_takes_over_when_no_text_was_graded(openai, open_model, scores):
    openai.answer = lambda _: {"scores": scores}
    meter = start_meter(None)
    graded = await grading(await open_model())
    assert graded.scores == SIMILARITY.scores(QUESTION, TEXTS)
    assert "similarity grader took over" in meter.warnings[-1]


async def test_similarity_takes_over_from_a_failing_model(openai, open_model):
    openai.answer = lambda _: failure(401, "No")
    meter = start_meter(None)
    graded = await grading(await open_model())
    assert graded.scores == SIMILARITY.scores(QUESTION, TEXTS)
    assert graded.thresholds == SIMILARITY.thresholds != MODEL_THRESHOLDS
    assert "(401: No)" in meter.warnings[0] and "took over" in meter.warnings[0]


async def test_similarity_takes_over_without_calls_left(openai, open_model):
    start_meter(0)
    assert (await grading(await open_model())).thresholds == SIMILARITY.thresholds
    assert openai.requests == []


async def test_similarity_by_choice_asks_no_model(openai, open_model):
    graded = await grading(await open_model(), "similarity")
    assert graded.scores[0] == max(graded.scores) and openai.requests == []


def test_nothing_to_grade_is_no_score():
    assert SIMILARITY.scores(QUESTION, []) == []
