"""Graders: what a model leaves out, and what happens when it fails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from ragraphs.algorithms.crag.strips import verdict
from ragraphs.models.graders import MODEL_THRESHOLDS, SimilarityGrader, open_grader
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.models.meter import start_meter
from ragraphs.prompts.library import GRADE_PASSAGES
from ragraphs.prompts.prompt import number
from stub_openai import chat, failure

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


async def test_a_text_has_one_of_five_grades_and_is_left_out_without_a_warning(openai, open_model):
    openai.answer = lambda _: {"grades": [{"id": 3, "grade": 4}, {"id": "1", "grade": 3}]}
    meter = start_meter(None)
    graded = await grading(await open_model())
    assert graded == ([0.5, -1, 1], MODEL_THRESHOLDS)
    assert meter.warnings == []
    openai.answer = lambda _: {"needed": ["3"], "related": [1, 3, 9]}
    assert await grading(await open_model(temperature=0.1)) == ([0, -1, 1], MODEL_THRESHOLDS)


def told(body, *grades):
    """A reply with grades, token by token, each with the chances of its digits."""
    tokens = [{"token": '{"grades": [', "logprob": 0}]
    for place, chances in enumerate(grades, start=1):
        top = [{"token": f" {d}", "logprob": math.log(p)} for d, p in chances.items()]
        last = "]}" if place == len(grades) else ", "
        said = [{"token": f'{{"id": "{place}", "grade":'}, {**top[0], "top_logprobs": top}]
        tokens += [*said, {"token": "}"}, {"token": last}]
    text = "".join(token["token"] for token in tokens)
    reply = chat(text)
    if body.get("logprobs"):
        fence = [{"token": "```json", "logprob": 0}], [{"token": "```", "logprob": 0}]
        listed = [*fence[0], *tokens, *fence[1]]
        reply.body["choices"][0]["logprobs"] = {"content": listed}
    return reply


async def test_a_grade_lies_between_the_steps_where_the_server_tells_probabilities(
    openai, open_model
):
    openai.answer = lambda body: told(body, {3: 0.5, 4: 0.5}, {0: 0.75, 2: 0.25}, {4: 1.0})
    scores, thresholds = await grading(await open_model())
    assert scores == pytest.approx([0.75, -0.75, 1])
    assert verdict(scores[:2], thresholds.upper, thresholds.lower) == "correct"
    assert verdict([0.7, -0.75], thresholds.upper, thresholds.lower) == "ambiguous"


async def test_a_server_without_probabilities_is_asked_for_steps_from_then_on(openai, open_model):
    def refusing(body):
        return (
            failure(400, "logprobs is not supported") if "logprobs" in body else told(body, {3: 1})
        )

    openai.answer = refusing
    model = await open_model()
    assert (await grading(model)).scores == [0.5, -1, -1]
    sent = len(openai.chats)
    await open_grader("model", model, LexicalEmbedder()).grade(GRADE_PASSAGES, "Who?", TEXTS)
    assert ["logprobs" in body for body in openai.chats] == [True, False, False] and sent == 2


@pytest.mark.parametrize(
    ("reply", "drawn"),
    [
        ({"grades": [{"id": "2", "grade": 4}]}, "correct"),
        ({"grades": [{"id": "2", "grade": 3}, {"id": "1", "grade": 9e9}]}, "correct"),
        ({"grades": [{"id": "2", "grade": 3}]}, "ambiguous"),
        ({"grades": [{"id": "2", "grade": 1}]}, "incorrect"),
        ({"grades": []}, "incorrect"),
        ({"needed": [2], "related": []}, "correct"),
        ({"needed": [], "related": [1, 2, 3]}, "ambiguous"),
        ({"needed": [], "related": []}, "incorrect"),
        ({"related": ["2"]}, "ambiguous"),
        ({"scores": [{"id": "2", "score": 0.9}]}, "correct"),
        ({"scores": [{"id": str(n), "score": -0.6} for n in (1, 2, 3)]}, "incorrect"),
        ({"scores": [{"id": "1", "score": 0.4}, {"id": "2", "score": -0.6}]}, "ambiguous"),
    ],
)
async def test_a_model_can_reach_every_verdict(openai, open_model, reply, drawn):
    openai.answer = lambda _: reply
    scores, thresholds = await grading(await open_model())
    assert verdict(scores, thresholds.upper, thresholds.lower) == drawn


@pytest.mark.parametrize(
    "reply",
    [
        {"needed": ["Forth Bridge"], "related": []},
        {"needed": [], "related": [7]},
        {"scores": [{"id": "the first", "score": 1}]},
    ],
)
async def test_similarity_takes_over_when_only_unknown_texts_were_named(openai, open_model, reply):
    openai.answer = lambda _: reply
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


class Embeddings:
    """Vectors that are all nearly the same, as from some embedding models."""

    name, local, semantic = "somebody:new", True, True

    def embed(self, texts):
        return np.array([[1.0, len(text) / 100] for text in texts]) / 1.4


UNRELATED = number([("Sonata", "A sonata is a piece of music."), ("Salt", "Salt is a mineral.")])


def test_embeddings_without_a_fit_call_nothing_correct_that_shares_no_word_nor_incorrect_at_all():
    grader = SimilarityGrader(Embeddings())
    thresholds = grader.thresholds
    of_others = grader.scores(QUESTION, UNRELATED)
    assert verdict(of_others, thresholds.upper, thresholds.lower) == "ambiguous"
    of_all = grader.scores(QUESTION, [*UNRELATED, *TEXTS])
    assert verdict(of_all, thresholds.upper, thresholds.lower) == "correct"
    assert min(of_all) > thresholds.cut


def test_a_grader_that_is_fitted_to_an_index_goes_by_its_embeddings():
    fitted = {"weights": [0, 0, 4], "bias": -2, "upper": 0.1, "lower": -0.1, "cut": -0.3}
    grader = SimilarityGrader(Embeddings(), fitted)
    assert grader.thresholds[:3] == (0.1, -0.1, -0.3)
    assert len(set(grader.scores(QUESTION, UNRELATED))) == 2


def test_without_a_model_only_a_strip_that_shares_nothing_with_the_question_is_cut():
    strips = number([("Forth Bridge", "Painting it never ends."), ("Sonata", "It has movements.")])
    cut = SIMILARITY.thresholds.cut
    assert [score > cut for score in SIMILARITY.scores(QUESTION, strips)] == [True, False]
