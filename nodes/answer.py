"""Answering from the evidence, with citations that were checked."""

from __future__ import annotations

from collections.abc import Sequence

from ..algorithms.citations import locate
from ..context import QuestionContext
from ..models.meter import current_meter
from ..prompts.library import ANSWER
from ..prompts.prompt import number_passages
from ..prompts.replies import Answer, Quote
from ..state.answering import QuestionState
from ..state.records import Citation, Evidence
from .node import node
from .run import Run, Update


@node(answers=True)
async def answer(state: QuestionState, run: Run[QuestionContext]) -> Update:
    """Answers the question from ``evidence`` and nothing else, or says that it cannot."""
    evidence = state["evidence"]
    if not evidence:
        return {"stop_reason": state["stop_reason"] or "no_evidence"}
    reply = await run.ask(ANSWER, question=state["question"], texts=number_passages(evidence))
    return answered(reply, evidence)


def answered(reply: Answer, evidence: Sequence[Evidence]) -> Update:
    """The part of the output that a reply from ``evidence`` decides, with checked citations."""
    citations = check_citations(reply.quotes, evidence)
    sufficient = _is_supported(reply, citations)
    return {
        "answer": reply.answer,
        "missing": "" if sufficient else reply.missing,
        "citations": citations,
        "sufficient": sufficient,
        "stop_reason": "answered" if sufficient else "insufficient",
    }


def check_citations(quotes: Sequence[Quote], evidence: Sequence[Evidence]) -> list[Citation]:
    """The quotes that stand in the passage they name, or in another one; a warning for the rest.

    ``id`` of a quote is the passage's number in ``evidence``, from 1.
    """
    citations: list[Citation] = []
    for quote in quotes:
        citation = _cite(quote, evidence)
        if citation is None:
            current_meter().warn(
                f"A citation pointed nowhere and was left out: “{quote.quote[:80]}”."
            )
        elif citation not in citations:
            citations.append(citation)
    return citations


def _cite(quote: Quote, evidence: Sequence[Evidence]) -> Citation | None:
    named = [p for place, p in enumerate(evidence, start=1) if str(place) == quote.id.strip("[] ")]
    for passage in [*named, *evidence]:
        span = locate(quote.quote, passage["text"])
        if span is not None:
            return {
                "passage": passage["id"],
                "document": passage["document"],
                "title": passage["title"],
                "start": passage["start"] + span.start,
                "end": passage["start"] + span.end,
                "quote": span.text,
            }
    return None


def _is_supported(reply: Answer, citations: Sequence[Citation]) -> bool:
    if reply.sufficient and not citations:
        current_meter().warn("The answer has no citation that could be checked.")
    return reply.sufficient and bool(citations) and bool(reply.answer)
