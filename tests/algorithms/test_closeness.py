"""In a long document, the passage comes first in which the words of a question stand together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.closeness import closeness, closest_first
from ragraphs.state.records import Passage

FAR = f"The clerk left. {'He spoke of other things. ' * 30}He lived in the town."
NEAR = f"{'He spoke of other things. ' * 30}The clerk lived in the town."
OTHERS = [f"Nothing of it is told in part {number}." for number in range(10)]


def passages(texts: list[str], documents: list[str] | None = None) -> dict[str, Passage]:
    return {
        str(n): {
            "id": str(n), "document": documents[n] if documents else "novel", "title": "",
            "text": text, "start": 0, "end": len(text), "metadata": {},
        }
        for n, text in enumerate(texts)
    }  # fmt: skip


def ranked(count: int) -> list[tuple[str, float]]:
    return [(str(n), 1 - n / 100) for n in range(count)]


def test_words_that_stand_together_count_more_than_the_same_words_apart():
    apart, together = closeness([FAR, NEAR], ["clerk", "live", "town"])
    assert 0 < apart < together == pytest.approx(1)


def test_a_word_is_found_where_another_begins_with_it_and_not_within_one():
    begins, within, case = closeness(["the landlady", "islandlady", "LANDLADY!"], ["landladi"])
    assert begins == case == pytest.approx(1) and within == 0


def test_passages_of_a_long_document_change_places_and_places_keep_their_scores():
    order = closest_first(ranked(12), passages([FAR, NEAR, *OTHERS]), ["clerk", "live", "town"])
    assert [id for id, _ in order[:2]] == ["1", "0"]
    assert [score for _, score in order] == [score for _, score in ranked(12)]


def test_passages_of_other_documents_stay_where_they_are():
    texts = [OTHERS[0], FAR, NEAR, *OTHERS[1:]]
    documents = ["page", *["novel"] * 11]
    order = closest_first(ranked(12), passages(texts, documents), ["clerk", "live", "town"])
    assert [id for id, _ in order[:3]] == ["0", "2", "1"]


def test_a_document_of_few_passages_keeps_its_order():
    few = [FAR, NEAR, *OTHERS[:7]]
    assert closest_first(ranked(9), passages(few), ["clerk", "live", "town"]) == ranked(9)


@given(
    st.lists(st.text("ab 한글", max_size=30), max_size=14), st.lists(st.text("ab한", min_size=1))
)
def test_any_passages_are_all_kept(texts, words):
    order = closest_first(ranked(len(texts)), passages(texts), words)
    assert sorted(id for id, _ in order) == sorted(map(str, range(len(texts))))
