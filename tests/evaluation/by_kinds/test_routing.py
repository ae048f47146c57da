"""The router by kinds decides as it did: decisions recorded from it when it was the router."""

from __future__ import annotations

import pytest
from ragraphs.evaluation.by_kinds.routing import PRIOR, Signs, rank
from ragraphs.graphs.methods import METHODS
from ragraphs.state.errors import RagraphsError

ALL = dict.fromkeys(METHODS, "")
RECORDED = [
    (
        "When did the Titanic sink?",
        Signs(False, False),
        "single",
        "basic crag hoprag tog2 deeprag graphrag",
        False,
    ),
    (
        "When did the Titanic sink?",
        Signs(False, True),
        "fresh",
        "crag basic hoprag tog2 deeprag graphrag",
        True,
    ),
    (
        "In what year was the composer of the opera Fidelio's teacher born?",
        Signs(False, False),
        "bridge",
        "hoprag deeprag crag basic tog2 graphrag",
        False,
    ),
    (
        "In what year was the composer of the opera Fidelio's teacher born?",
        Signs(True, False),
        "linked_bridge",
        "tog2 hoprag deeprag crag basic graphrag",
        False,
    ),
    (
        "Who is older, Serena Williams or Venus Williams?",
        Signs(False, False),
        "comparison",
        "deeprag tog2 hoprag crag basic graphrag",
        False,
    ),
    (
        "If the licence ends early, which fees are returned, and how are they paid?",
        Signs(False, False),
        "several",
        "deeprag hoprag crag basic tog2 graphrag",
        False,
    ),
    (
        "What are the main topics across the whole collection?",
        Signs(False, True),
        "whole_corpus",
        "graphrag deeprag hoprag crag basic tog2",
        False,
    ),
    (
        "Tell me about Captain Ahab.",
        Signs(False, False),
        "about",
        "graphrag crag basic tog2 hoprag deeprag",
        False,
    ),
    (
        "What is the latest exchange rate of the yen right now?",
        Signs(False, False),
        "fresh",
        "crag basic hoprag tog2 deeprag graphrag",
        False,
    ),
    (
        "피델리오를 작곡한 사람의 스승은 어디에서 태어났습니까?",
        Signs(False, False),
        "bridge",
        "hoprag deeprag crag basic tog2 graphrag",
        False,
    ),
    (
        "세리나와 비너스 중 누가 더 나이가 많습니까?",
        Signs(False, False),
        "comparison",
        "deeprag tog2 hoprag crag basic graphrag",
        False,
    ),
    (
        "모든 문서의 전반적인 주제와 경향은 무엇입니까?",
        Signs(False, False),
        "whole_corpus",
        "graphrag deeprag hoprag crag basic tog2",
        False,
    ),
    (
        "What movie stars Robert De Niro and the producer of The Jewel of the Nile?",
        Signs(False, False),
        "bridge",
        "hoprag deeprag crag basic tog2 graphrag",
        False,
    ),
    (
        "Which team is better?",
        Signs(False, False),
        "single",
        "basic crag hoprag tog2 deeprag graphrag",
        False,
    ),
]


@pytest.mark.parametrize(("question", "signs", "kind", "methods", "abstained"), RECORDED)
def test_recorded_decisions_are_taken_again(question, signs, kind, methods, abstained):
    assert rank(question, ALL, signs) == (kind, methods.split(), abstained)


def test_methods_that_are_out_are_not_ranked():
    obstacles = {**ALL, "hoprag": "It needs a layer.", "tog2": "It needs a layer."}
    ranked = rank("Tell me about Captain Ahab.", obstacles, Signs()).methods
    assert ranked[0] == "graphrag" and set(ranked) == set(ALL) - {"hoprag", "tog2"}
    assert not rank("When did it sink?", {"basic": ""}, Signs()).abstained
    with pytest.raises(RagraphsError, match="No method can be used"):
        rank("When did it sink?", {"basic": "It needs calls."}, Signs())


def test_every_row_of_the_table_has_every_method():
    assert all(set(row) == set(METHODS) for row in PRIOR.values())
