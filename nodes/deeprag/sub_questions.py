"""Answering a sub-question, and the question from all of them, in both modes of DeepRAG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from ...algorithms.deeprag.comparing import Answered, Computed, compute
from ...algorithms.deeprag.sub_questions import same_question
from ...context import DeepragContext
from ...models.protocol import NoReplyError
from ...prompts.deeprag_replies import ShownStep, show_steps
from ...prompts.library import ANSWER, SYNTHESIZE
from ...prompts.prompt import number_passages
from ...state.answering import StopReason
from ...state.records import Citation, Evidence
from ..answer import check_citations, checked
from ..run import Run, Update


class SubAnswer(NamedTuple):
    """The answer to a sub-question, with citations; or none, and ``why`` not."""

    answer: str
    citations: list[Citation]
    why: Literal["", "not_found", "budget", "model_failed"]


class Support(NamedTuple):
    """A sub-question as it was asked, its answer (empty: not found) and its citations."""

    question: str
    answer: str
    citations: list[Citation]


class Conclusion(NamedTuple):
    """An answer to the whole question; ``why`` is None, or the reason that there is none.

    ``missing`` is what was not found, and ``computed`` what followed from the sub-questions alone.
    """

    answer: str
    citations: list[Citation]
    evidence: list[Evidence]
    sufficient: bool
    why: StopReason | None
    missing: Sequence[str] = ()
    computed: str = ""


async def retrieve_for(run: Run[DeepragContext], question: str, found: str) -> list[Evidence]:
    """The passages nearest to the sub-question ``question``, each marked ``found``."""
    passages = await run.search(question, run.context.step_passages)
    return [{**passage, "found": found} for passage in passages]


async def read_for(
    run: Run[DeepragContext], question: str, passages: Sequence[Evidence]
) -> SubAnswer:
    """The answer to a sub-question from ``passages``; a failure of the model is a warning."""
    if not passages:
        return SubAnswer("", [], "not_found")
    try:
        reply = await run.ask(ANSWER, question=question, texts=number_passages(passages))
    except NoReplyError as error:
        run.meter.warn(f"“{question[:80]}” was not answered. {error}")
        return unanswered_step(error)
    return sub_answer(reply.sufficient, reply.answer, check_citations(reply.quotes, passages))


def unanswered_step(error: NoReplyError) -> SubAnswer:
    """What stands in the place of an answer that the model did not give."""
    return SubAnswer("", [], "budget" if error.cause == "budget" else "model_failed")


def sub_answer(sufficient: bool, answer: str, citations: list[Citation]) -> SubAnswer:
    """``answer`` where it is sufficient and cited; else what was found in its place."""
    if sufficient and answer and citations:
        return SubAnswer(answer, citations, "")
    return SubAnswer("", citations, "not_found")


async def conclude_from(
    run: Run[DeepragContext],
    question: str,
    support: Sequence[Support],
    evidence: Sequence[Evidence],
) -> Conclusion:
    """The answer to ``question`` from what its sub-questions found.

    What compares or counts is computed. Where something was not found, passages are retrieved for
    the question itself, unless ``evidence`` has some, so that there is still an answer from what
    can be found.
    """
    pool = list(evidence)
    if len(support) == 1 and support[0].answer and same_question(support[0].question, question):
        return Conclusion(support[0].answer, support[0].citations, pool, True, None)
    whole = any(passage["found"] == "retrieved" for passage in pool)
    if not whole and not (support and all(one.answer for one in support)):
        pool = gather_evidence(pool, await run.search(question, run.context.top_k))
    if not pool:
        return Conclusion("", [], pool, False, "no_evidence")
    computed = compute(question, [Answered(one.question, one.answer) for one in support])
    shown = [ShownStep(one.question, one.answer, quotes_of(one.citations)) for one in support]
    steps = show_steps(shown, computed.answer if computed else "")
    try:
        reply = await run.ask(
            SYNTHESIZE, question=question, steps=steps, texts=number_passages(pool)
        )
    except NoReplyError as error:
        run.meter.warn(str(error))
        return _without_model(support, computed, pool, error)
    cited = check_citations(reply.quotes, pool)
    if reply.sufficient and not cited:
        run.meter.warn("The answer has no citation that could be checked.")
    sufficient = reply.sufficient and bool(reply.answer) and bool(cited)
    if not cited or (sufficient and (computed or all(one.answer for one in support))):
        cited = _united([cited, *(one.citations for one in _used(support, computed))])
    return Conclusion(
        reply.answer,
        cited,
        _best_first(pool, cited),
        sufficient,
        None,
        () if sufficient else reply.missing,
        computed.answer if computed else "",
    )


def quotes_of(citations: Iterable[Citation]) -> list[str]:
    """The sentences that citations quote."""
    return [citation["quote"] for citation in citations]


def _without_model(
    support: Sequence[Support],
    computed: Computed | None,
    pool: list[Evidence],
    error: NoReplyError,
) -> Conclusion:
    """The conclusion from the sub-questions alone."""
    used = _used(support, computed)
    answer = computed.answer if computed else used[-1].answer if used else ""
    return Conclusion(
        answer, _united([one.citations for one in used]), pool, False, error.stop_reason
    )


def _used(support: Sequence[Support], computed: Computed | None) -> list[Support]:
    places = computed.used if computed else range(len(support))
    return [support[place] for place in places if support[place].answer]


def _united(lists: Iterable[Sequence[Citation]]) -> list[Citation]:
    """All citations in order; of those that overlap the first."""
    found: list[Citation] = []
    for citations in lists:
        found += [one for one in citations if not any(_overlap(one, other) for other in found)]
    return found


def _overlap(a: Citation, b: Citation) -> bool:
    return a["passage"] == b["passage"] and a["start"] < b["end"] and b["start"] < a["end"]


def _best_first(pool: Sequence[Evidence], cited: Sequence[Citation]) -> list[Evidence]:
    """The passages that the answer cites, then the others as they were found."""
    places = {passage: place for place, passage in enumerate(c["passage"] for c in reversed(cited))}
    return sorted(pool, key=lambda passage: -places.get(passage["id"], -1))


def gather_evidence(known: Sequence[Evidence], more: Sequence[Evidence]) -> list[Evidence]:
    """``more`` before what is ``known``, each passage once, as it was found first."""
    both = [*more, *known]
    by_id = {passage["id"]: passage for passage in both}
    last = dict.fromkeys(passage["id"] for passage in reversed(both))
    return [by_id[id] for id in reversed(last)]


async def conclusion_update(
    run: Run[DeepragContext], question: str, conclusion: Conclusion, bound: StopReason | None
) -> Update:
    """The state's answer, checked, with the reason that the run ended for."""
    found = await checked(
        run,
        question,
        {
            "answer": conclusion.answer,
            "missing": list(conclusion.missing),
            "citations": conclusion.citations,
            "sufficient": conclusion.sufficient,
            "stop_reason": "answered" if conclusion.sufficient else "insufficient",
        },
        conclusion.evidence,
        conclusion.computed,
    )
    why = conclusion.why or bound or found["stop_reason"]
    return {**found, "evidence": conclusion.evidence, "stop_reason": why}
