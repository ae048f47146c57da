"""An answer in short: for tools, other programs, and terminals."""

from __future__ import annotations

from typing_extensions import TypedDict

from ..language.analyser import one_line
from ..state.answering import AnswerOutput, StopReason
from ..state.places import told_place


class ShortQuote(TypedDict):
    """A verbatim quotation, and its place in words."""

    quote: str
    place: str


class ShortAnswer(TypedDict):
    """An answer with its quotations.

    ``stop_reason`` says why the run ended, and ``missing`` names the facts that the documents lack;
    ``warnings`` say what went wrong, and what to do.
    """

    answer: str
    sufficient: bool
    stop_reason: StopReason | None
    quotes: list[ShortQuote]
    missing: list[str]
    warnings: list[str]


_NO_ANSWER: dict[StopReason | None, str] = {
    "model_failed": "There is no answer: the language model gave no usable reply.",
    "time": "There is no answer: the time for the question was over.",
    "budget": "There is no answer: the limit of the run was reached.",
    "no_model": "The documents give no certain answer.",
}


def short_answer(output: AnswerOutput) -> ShortAnswer:
    """The parts of ``output`` that a person, or a model that called a tool, reads."""
    return {
        "answer": output["answer"],
        "sufficient": output["sufficient"],
        "stop_reason": output["stop_reason"],
        "quotes": [
            {"quote": citation["quote"], "place": told_place(citation)}
            for citation in output["citations"]
        ],
        "missing": output["missing"],
        "warnings": output["warnings"],
    }


def short_text(answer: ShortAnswer) -> str:
    """``answer`` as text: the answer, its numbered quotations with their places, and the gaps.

    >>> print(short_text(short_answer(crag_graph.invoke({"question": "Who designed it?"}))))
    John Fowler
    <BLANKLINE>
    [1] “It was designed by John Fowler.” — Forth Bridge (forth.txt, characters 10–41)
    """
    nothing = _NO_ANSWER.get(answer["stop_reason"], "The documents give no answer.")
    failed = answer["stop_reason"] == "model_failed"
    parts = [answer["answer"] or " ".join([nothing, *(answer["warnings"] if failed else ())])]
    if answer["answer"] and not answer["sufficient"]:
        parts.append("The documents do not support all of this answer.")
    quotes = [f"“{one_line(each['quote'])}” — {each['place']}" for each in answer["quotes"]]
    parts.append("\n".join(f"[{number}] {quote}" for number, quote in enumerate(quotes, start=1)))
    if answer["missing"]:
        parts.append("\n- ".join(["The documents do not say:", *answer["missing"]]))
    return "\n\n".join(filter(None, parts))
