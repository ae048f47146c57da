"""The retrieval narrative of DeepRAG: decide, then retrieve and read or answer from before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...algorithms.deeprag.comparing import Answered, compute
from ...algorithms.deeprag.policy import choose_source
from ...algorithms.deeprag.sub_questions import same_question
from ...context import DeepragContext
from ...index.progress import progress_of
from ...models.protocol import NoReplyError
from ...prompts.deeprag_replies import ShownStep, show_steps
from ...prompts.library import ANSWER_FROM_STEPS, NEXT_STEP
from ...prompts.prompt import Asked
from ...state.deeprag import DeepragState, NarrativeStep
from ..node import node
from ..run import Run, Texts, Update
from .sub_questions import gather_evidence, quotes_of, read_for, retrieve_for


@node(reserve=2)
async def decide(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Writes the next sub-question given all earlier answers, and where to answer it from."""
    steps, context = state["steps"], run.context
    if len(steps) >= context.max_steps:
        run.meter.warn(f"The limit of {context.max_steps} steps was reached.")
        return {"pending": [], "bound": "steps"}
    shown = _shown(steps)
    try:
        reply = await run.ask(NEXT_STEP, question=state["question"], steps=shown)
    except NoReplyError as error:
        run.meter.warn(str(error))
        return {"pending": [], "bound": "budget" if error.cause == "budget" else None}
    text = " ".join(reply.question.split())
    if reply.finish or not text or any(same_question(text, s["question"]) for s in steps):
        return {"pending": []}
    earlier = [Answered(step["question"], step["answer"]) for step in steps]
    decision = choose_source(context.policy, text, reply.source, reply.reason, earlier)
    progress_of("decide")(len(steps) + 1, context.max_steps)
    step: NarrativeStep = {
        "number": len(steps) + 1,
        "question": text,
        "source": decision.source,
        "reason": decision.reason,
        "passages": [],
        "answer": "",
        "found": False,
        "citations": [],
    }
    return {"pending": [step]}


@node()
async def retrieve_step(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Finds passages for the sub-question."""
    step = state["pending"][0]
    passages = await retrieve_for(run, step["question"], f"sub-question {step['number']}")
    return {
        "pending": [{**step, "passages": [passage["id"] for passage in passages]}],
        "evidence": gather_evidence(state["evidence"], passages),
    }


@node(reserve=1)
async def read_step(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Reads the passages of the sub-question for an intermediate answer."""
    step = state["pending"][0]
    by_id = {passage["id"]: passage for passage in state["evidence"]}
    question = Asked(step["question"], step["question"])  # it may repeat earlier answers
    found = await read_for(run, question, [by_id[id] for id in step["passages"]])
    return _taken(state, step, found.answer, found.citations, found.why == "budget")


@node(reserve=1)
async def answer_from_earlier(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Answers the sub-question from earlier answers: computed if it can be, else by the model."""
    step, steps = state["pending"][0], state["steps"]
    computed = compute(step["question"], [Answered(s["question"], s["answer"]) for s in steps])
    if computed is not None:
        cited = [citation for place in computed.used for citation in steps[place]["citations"]]
        return _taken(state, step, computed.answer, cited, False)
    shown = _shown(steps)
    try:
        reply = await run.ask(ANSWER_FROM_STEPS, question=step["question"], steps=shown)
    except NoReplyError as error:
        run.meter.warn(f"“{step['question'][:80]}” was not answered. {error}")
        return _taken(state, step, "", [], error.cause == "budget")
    answer = reply.answer if reply.found else ""
    cited = [citation for one in steps if one["answer"] for citation in one["citations"]]
    return _taken(state, step, answer, cited if answer else [], False)


def _shown(steps: Sequence[NarrativeStep]) -> Texts:
    return show_steps(
        [ShownStep(s["question"], s["answer"], quotes_of(s["citations"])) for s in steps]
    )


def _taken(
    state: DeepragState, step: NarrativeStep, answer: str, citations: list[Any], spent: bool
) -> Update:
    """The step with its answer, at the end of the narrative."""
    taken: NarrativeStep = {**step, "answer": answer, "found": bool(answer), "citations": citations}
    update: Update = {"steps": [*state["steps"], taken], "pending": []}
    return {**update, "bound": "budget"} if spent else update
