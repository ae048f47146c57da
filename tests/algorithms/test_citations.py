"""Quotes in a text, and citations that overlap."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.citations import overlap, united, whole_quotes
from ragraphs.language.analyser import Span

TOLD = "Fowler and Baker therefore made the new bridge far stronger than it needed to be."
TEXT = f"The train fell into the river with it. {TOLD} It is of steel."


def quoted(*quotes: str, text: str = TEXT) -> list[str]:
    spans = [Span(text.index(one), text.index(one) + len(one), one) for one in quotes]
    return [span.text for span in whole_quotes(spans, text)]


def test_quotes_that_meet_in_a_sentence_are_all_of_it():
    assert quoted("Fowler and Baker therefore", "far stronger", "It is of steel.") == [
        TOLD,
        "It is of steel.",
    ]


def test_a_quote_that_begins_within_a_word_is_whole_sentences():
    assert quoted(f"h it. {TOLD[:60]}") == [TOLD]
    assert quoted("into the riv") == ["The train fell into the river with it."]


def test_one_quote_stays_as_it_is_written():
    assert quoted("the new bridge") == ["the new bridge"]
    assert quoted(f"{TOLD} It is of steel.") == [f"{TOLD} It is of steel."]


def test_a_quote_of_code_is_whole_lines():
    code = "Do this:\n\n    import app\n    app.run(1, 2)\n    app.end()\n\nThen go on."
    assert quoted("run(1", text=code) == ["app.run(1, 2)"]
    assert quoted("app.run(1, 2)\n    app", text=code) == ["app.run(1, 2)\n    app.end()"]


def citation(start: int, end: int, passage: str = "p", document: str = "d") -> Any:
    text = "abcdefghij"
    return {
        "passage": passage,
        "document": document,
        "title": "",
        "start": start,
        "end": end,
        "quote": text[start:end],
    }


def test_citations_that_overlap_are_one():
    assert united([citation(0, 4), citation(6, 9), citation(2, 7)]) == [citation(0, 9)]
    assert united([citation(2, 4), citation(0, 9)]) == [citation(0, 9)]
    apart = [citation(0, 4), citation(4, 8), citation(0, 4, "q", "e")]
    assert united(apart) == apart
    assert united([citation(0, 4), citation(1, 5, "q"), citation(4, 9, "q")]) == [
        citation(0, 4),
        citation(4, 9, "q"),
    ]


WORDS = st.lists(st.sampled_from(["A b.", "he", "went.", "| a | b |", "\n", "x = f(1)", "“o”"]))


@given(WORDS.map(" ".join), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 30))))
def test_whole_quotes_are_of_the_text_and_apart(text: str, places: list[tuple[int, int]]):
    ends = [(start, min(start + length, len(text))) for start, length in places]
    spans = [Span(a, b, text[a:b]) for a, b in ends if text[a:b].strip()]
    found = whole_quotes(spans, text)
    assert all(text[one.start : one.end] == one.text for one in found)
    assert all(any(overlap(span, one) for one in found) for span in spans)
