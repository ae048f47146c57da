"""Grading without a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.crag.grading import features, grade, rescaled
from ragraphs.models.graders import _CALIBRATED

KINDS = sorted(_CALIBRATED)


def test_features_are_shares_of_keywords_and_of_names() -> None:
    question = "When did the Forth Bridge open?"
    all_words = features(question, "Forth Bridge", "It was opened in 1890.", 0.5)
    no_name = features(question, "Tay Bridge", "It was opened in 1878.", 0.5)
    assert all_words == (1.0, 1.0, 0.5)
    assert no_name == (pytest.approx(2 / 3), pytest.approx(1 / 2), 0.5)


def test_a_question_without_capitalised_names_is_judged_by_its_keywords() -> None:
    question = "훈민정음은 언제 반포되었습니까?"
    assert features(question, "훈민정음", "1446년에 이를 반포하였다.", 0.3)[1] == 1.0
    assert features(question, "경복궁", "태조가 1395년에 지었다.", 0.3)[1] == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_grades_rise_with_the_cosine_and_stay_within_bounds(kind: str) -> None:
    parameters = _CALIBRATED[kind]
    grades = [grade((0.5, 0.5, cosine), parameters) for cosine in (-1.0, 0.0, 0.5, 1.0)]
    assert grades == sorted(grades)
    assert -1 <= grades[0] < grades[-1] <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_thresholds_are_in_order_and_a_grade_can_reach_them(kind: str) -> None:
    parameters = _CALIBRATED[kind]
    assert -1 < parameters["lower"] <= parameters["upper"] < grade((1, 1, 1), parameters)


@given(
    st.floats(-0.5, 0.9),
    st.floats(0.05, 1),
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1)),
)
def test_cosines_that_lie_elsewhere_get_the_same_grades_when_rescaled(other, gap, values):
    usual = _CALIBRATED["lexical"]
    stretch = gap / (usual["cosines"]["own"] - usual["cosines"]["other"])
    cosine = other + (values[2] - usual["cosines"]["other"]) * stretch
    parameters = rescaled(usual, {"own": other + gap, "other": other})
    graded = grade((*values[:2], cosine), parameters)
    assert graded == pytest.approx(grade(values, usual), abs=1e-6)
    assert parameters["upper"] == usual["upper"]
