"""The Mermaid drawing of a tree of questions."""

from __future__ import annotations

from ragraphs.algorithms.deeprag.sub_questions import acyclic
from ragraphs.algorithms.deeprag.tree import ROOT, decide_waiting, new_node, split
from ragraphs.views.pages.tree_drawing import draw_tree


def grown():
    (root,) = decide_waiting([new_node(ROOT, "", 0, 'Which "A" is older?', atomic=False)], 3, 24)
    parts = acyclic(["Who made A?", "When was #1 born?"], root["question"], 23)
    tree = split(root, parts, [True, True])
    tree[1] = {**tree[1], "status": "answered", "answer": "Ann; [x] <b>"}
    return decide_waiting(tree, 3, 24)


def test_parts_hang_from_their_question_and_needed_answers_are_dotted():
    drawn = draw_tree(grown())
    assert drawn.startswith("graph TD;")
    assert "q0 --> q1;" in drawn and "q0 --> q2;" in drawn
    assert "q1 -.-> q2;" in drawn


def test_labels_show_questions_and_answers_and_cannot_break_the_drawing():
    drawn = draw_tree(grown())
    assert '["Which #quot;A#quot; is older?<br/>(split)"]' in drawn
    assert "<br/>Ann#59; #91;x#93; #lt;b#gt;" in drawn
    assert "When was Ann#59;" in drawn


def test_long_texts_are_cut():
    drawn = draw_tree([new_node(ROOT, "", 0, "why " * 100, atomic=True)])
    assert max(map(len, drawn.splitlines())) < 150 and "…" in drawn
