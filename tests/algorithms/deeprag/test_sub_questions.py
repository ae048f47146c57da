"""Sub-questions form a directed acyclic graph, whatever a model says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.deeprag.sub_questions import acyclic, questions_in, references, substitute

TEXTS = st.lists(
    st.text(alphabet="ab #123?", max_size=12) | st.just("What is #1?") | st.just(""), max_size=60
)


@given(TEXTS, st.integers(2, 24))
def test_whatever_is_kept_refers_backwards_only(texts, most):
    parts = acyclic(texts, "the question", most)
    assert len(parts) <= most and len(parts) != 1
    for place, part in enumerate(parts):
        assert part.text.strip()
        assert all(needed < place for needed in part.depends_on)
        assert sorted({n - 1 for n in references(part.text)}) == sorted(set(part.depends_on))


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [""],
        ["Who wrote it?"],
        ["who wrote it", "WHO WROTE IT?"],
        ["What is #1?", "Which?"],
        ["What is #2?", "What was #1?"],
        ["A?", "What is #7?"],
    ],
)
def test_what_does_not_split_a_question_leaves_it_atomic(texts):
    assert acyclic(texts, "Who wrote it?", 24) == ()


def test_a_thousand_sub_questions_are_cut_to_the_bound():
    parts = acyclic([f"What is {n}?" for n in range(1000)], "All?", 23)
    assert [part.text for part in parts] == [f"What is {n}?" for n in range(23)]


def test_what_ends_with_a_question_mark_is_a_question():
    texts = ["Who wrote it? ", "No sentence says it.", "누가 썼나？", ""]
    assert questions_in(texts, "") == ["Who wrote it? ", "누가 썼나？"]


@pytest.mark.parametrize(
    ("missing", "parent", "kept"),
    [
        ("When did the director die?", "When did the director of Orlo Vint die?", False),
        ("When did he die?", "When did the director of Orlo Vint die?", False),
        ("Who directed Orlo Vint?", "When did the director of Orlo Vint die?", True),
        ("Who is the largest producer of salt?", "Is Norway the largest producer of salt?", True),
        ("How is the server started?", "how do I serve files?", True),
        ("그의 아내는 누구인가?", "오를로 빈트 감독의 아내는 누구인가?", False),
        ("오를로 빈트의 감독은 누구인가?", "오를로 빈트 감독의 아내는 누구인가?", True),
    ],
)
def test_a_missing_fact_about_somebody_unnamed_cannot_be_looked_up(missing, parent, kept):
    assert questions_in([missing], parent) == [missing] * kept


def test_references_follow_what_they_refer_to_when_the_order_changes():
    parts = acyclic(["When did #2 die?", "Who made it?", "", "Where was #1?"], "Parent?", 9)
    assert [(part.text, part.depends_on) for part in parts] == [
        ("Who made it?", ()),
        ("When did #1 die?", (0,)),
        ("Where was #2?", (1,)),
    ]


def test_answers_are_filled_in_and_do_not_become_references():
    assert substitute("Is #1 like #2 or #12?", {1: "Ann", 2: "#1 hit"}) == (
        "Is Ann like no. 1 hit or #12?"
    )
