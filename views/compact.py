"""An answer in short: for tools, other programs, and terminals."""

from __future__ import annotations

from typing_extensions import TypedDict

from ..state.answering import AnswerOutput
from ..state.records import Citation, Passage


class ShortQuote(TypedDict):
    """A verbatim quotation, and its place in words."""

    quote: str
    place: str


class ShortAnswer(TypedDict):
    """An answer with its quotations; ``missing`` says what the documents do not tell."""

    answer: str
    sufficient: bool
    quotes: list[ShortQuote]
    missing: list[str]


def short_answer(output: AnswerOutput) -> ShortAnswer:
    """The parts of ``output`` that a person, or a model that called a tool, reads."""
    return {
        "answer": output["answer"],
        "sufficient": output["sufficient"],
        "quotes": [
            {"quote": citation["quote"], "place": place_of(citation)}
            for citation in output["citations"]
        ],
        "missing": output["missing"],
    }


def place_of(citation: Citation | Passage) -> str:
    """The place of a quotation in words: ``Title (notes.pdf, page 3, characters 10–52)``.

    Without a title, only what stands in the brackets.
    """
    page = citation.get("metadata", {}).get("page")
    places = [
        citation["document"],
        *([] if page is None else [f"page {page}"]),
        f"characters {citation['start']}–{citation['end']}",
    ]
    where = ", ".join(places)
    return f"{citation['title']} ({where})" if citation["title"] else where
