"""Answering the question from all of its sub-questions, in both modes of DeepRAG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from ...algorithms.citations import united
from ...algorithms.deeprag.policy import agrees, opening_of
from ...algorithms.deeprag.sub_questions import same_question
from ...algorithms.deeprag.tree import ROOT
from ...context import DeepragContext
from ...language.comparing import Answered, Computed, compute
from ...models.protocol import NoReplyError
from ...prompts.deeprag_replies import ANSWER_FROM_STEPS, SYNTHESIZE, ShownStep, show_steps
from ...prompts.prompt import number_passages
from ...state.answering import StopReason
from ...state.deeprag import DeepragState, NarrativeStep, TreeNode
from ...state.records import Citation, Evidence
from ..answer import checked
from ..citing import check_citations
from ..node import node
from ..retrieve import nearest, ranking
from ..run import Run, Update
from .sub_questions import Support, gather_evidence, quotes_of

_KNOWN = "The answer rests on what the model says that it knows itself, without documents."


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


@node(answers=True)
async def conclude(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Answers the question from all that its sub-questions found, in either mode.

    Nobody is asked where the last reading gave the answer, or where nothing more was found than
    before the first sub-question.
    """
    question, evidence, opening = state["question"], state["evidence"], opening_of(state["steps"])
    tried = opening is not None or bool(state["held"]["evidence"])
    if tried and not _found_more(state):
        return await _as_before(state, run)
    if state["mode"] == "narrative":
        told = [step for step in state["steps"] if step["number"] or step["found"]]
        support = [_support(step) for step in told]
    else:
        support = tree_support(state["tree"])
    conclusion, update = _as_read(state, support), Update()
    if conclusion is None:
        if lacks_evidence(support, evidence):
            found = await nearest(run, state, run.context.top_k)
            evidence = gather_evidence(evidence, found[: run.context.top_k])
            update["ranked"] = ranking(found)
        conclusion = await conclude_from(run, question, support, evidence)
    if any(step["source"] == "known" for step in state["steps"]):
        run.meter.warn(_KNOWN)
        conclusion = conclusion._replace(sufficient=False)
    return {**update, **await _checked(run, question, conclusion, state["bound"])}


def _found_more(state: DeepragState) -> bool:
    """Whether a sub-question of this run was answered."""
    steps = any(step["found"] and step["number"] for step in state["steps"])
    return steps or any(one["status"] == "answered" for one in state["tree"])


async def _as_before(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """The answer as it stood before the first sub-question, with the texts that it was read in."""
    opening, texts = opening_of(state["steps"]), state["held"]["evidence"]
    if not texts:
        texts = (await nearest(run, state, run.context.top_k))[: run.context.top_k]
    sufficient = opening is not None and opening["found"]
    return {
        "answer": state["answer"],
        "evidence": gather_evidence(texts, state["evidence"]),
        "sufficient": sufficient,
        "stop_reason": state["bound"] or ("answered" if sufficient else "insufficient"),
    }


def _as_read(state: DeepragState, support: Sequence[Support]) -> Conclusion | None:
    """The answer that the last reading gave, unless another one is computed from the steps.

    It rests on what the question's own passages told, and on every step that was answered.
    """
    final, opening = state["final"], opening_of(state["steps"])
    computed = _computed(state["question"], support)
    if not final or (computed and not agrees(final, computed.answer)):
        return None
    steps = [one.citations for one in support if one.answer]
    cited = united(chain(opening["citations"] if opening else [], *steps))
    evidence = _best_first(state["evidence"], cited)
    told = computed.answer if computed else ""
    return Conclusion(final, cited, evidence, True, None, (), told)


def tree_support(nodes: Sequence[TreeNode]) -> list[Support]:
    """The questions below the root, in the order of the tree, with their answers."""
    ordered = sorted(nodes, key=lambda one: [int(part) for part in one["id"].split(".")])
    alone = len(nodes) == 1
    return [_support(one) for one in ordered if alone or one["id"] != ROOT]


def _support(one: NarrativeStep | TreeNode) -> Support:
    return Support(one["question"], one["answer"], one["citations"], one["doubted"])


def lacks_evidence(support: Sequence[Support], evidence: Sequence[Evidence]) -> bool:
    """Whether something was not found, and no passage found for the question itself is there.

    With such passages there is still an answer from what can be found.
    """
    whole = any(passage["found"] in ("retrieved", "date") for passage in evidence)
    return not whole and not (support and all(one.answer for one in support))


async def conclude_from(
    run: Run[DeepragContext],
    question: str,
    support: Sequence[Support],
    evidence: Sequence[Evidence],
) -> Conclusion:
    """The answer to ``question`` from what its sub-questions found.

    Comparisons and counts are computed.
    """
    pool = list(evidence)
    if len(support) == 1 and support[0].answer and same_question(support[0].question, question):
        return Conclusion(support[0].answer, support[0].citations, pool, True, None)
    computed = _computed(question, support)
    shown = [
        ShownStep(one.question, one.answer, quotes_of(one.citations), doubted=one.doubted)
        for one in support
    ]
    if not pool:
        return await _from_answers(run, question, support, shown, computed)
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
        cited = united(chain(cited, *(one.citations for one in _used(support, computed))))
    return Conclusion(
        reply.answer,
        cited,
        _best_first(pool, cited),
        sufficient,
        None,
        () if sufficient else reply.missing,
        computed.answer if computed else "",
    )


async def _from_answers(
    run: Run[DeepragContext],
    question: str,
    support: Sequence[Support],
    shown: Sequence[ShownStep],
    computed: Computed | None,
) -> Conclusion:
    """The conclusion where nothing was looked up: from answers that the model knew, if any."""
    if not any(one.answer for one in support):
        return Conclusion("", [], [], False, "no_evidence")
    if computed:
        return Conclusion(computed.answer, [], [], False, None, (), computed.answer)
    try:
        reply = await run.ask(ANSWER_FROM_STEPS, question=question, steps=show_steps(shown))
    except NoReplyError as error:
        run.meter.warn(str(error))
        return _without_model(support, None, [], error)
    return Conclusion(reply.answer if reply.found else "", [], [], False, None)


def _computed(question: str, support: Sequence[Support]) -> Computed | None:
    return compute(question, [Answered(one.question, one.answer) for one in support])


def _without_model(
    support: Sequence[Support], computed: Computed | None, pool: list[Evidence], error: NoReplyError
) -> Conclusion:
    """The conclusion from the sub-questions alone."""
    used = _used(support, computed)
    answer = computed.answer if computed else used[-1].answer if used else ""
    return Conclusion(
        answer, united(chain(*(one.citations for one in used))), pool, False, error.stop_reason
    )


def _used(support: Sequence[Support], computed: Computed | None) -> list[Support]:
    places = computed.used if computed else range(len(support))
    return [support[place] for place in places if support[place].answer]


def _best_first(pool: Sequence[Evidence], cited: Sequence[Citation]) -> list[Evidence]:
    """The passages that the answer cites, then the others as they were found."""
    places = {passage: place for place, passage in enumerate(c["passage"] for c in reversed(cited))}
    return sorted(pool, key=lambda passage: -places.get(passage["id"], -1))


async def _checked(
    run: Run[DeepragContext], question: str, conclusion: Conclusion, bound: StopReason | None
) -> Update:
    """The part of the output that a conclusion decides, with the reason that the run ended for."""
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
