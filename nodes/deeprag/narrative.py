"""The retrieval narrative of DeepRAG: decide, then retrieve and read or answer from before."""

from __future__ import annotations

from collections.abc import Sequence

from ...algorithms.deeprag.policy import (
    MODEL_DECIDES,
    choose_source,
    completes,
    follows,
    opening_of,
    repeated,
)
from ...algorithms.deeprag.sub_questions import questions_in, same_question
from ...context import DeepragContext
from ...index.progress import progress_of
from ...language.analyser import keywords
from ...language.comparing import Answered, comparison, compute, mentions
from ...models.protocol import OFFLINE, NoReplyError
from ...offline.decomposition.decompose import independent_parts
from ...prompts.deeprag_replies import (
    ANSWER_FROM_STEPS,
    CLOSED_BOOK,
    NEXT_STEP,
    READ_STEP,
    ShownStep,
    show_steps,
)
from ...prompts.library import ANSWER
from ...prompts.prompt import FencedQuestion, number_passages
from ...state.deeprag import DeepragState, NarrativeStep, ProposedStep, StepSource
from ..answer import checked
from ..citing import answered
from ..node import node
from ..retrieve import first_and_ranking, nearest
from ..run import Run, Texts, Update
from .sub_questions import (
    SubAnswer,
    gather_evidence,
    quotes_of,
    retrieve_for,
    step_answer,
    sub_answer,
    unanswered_step,
)

_MOST_REPEATED = 2
_OF_ANSWER = ("answer", "missing", "doubt", "citations")
_MANY_PARTS = 3
_MORE = 5  # passages of the question's ranking that are read beside those of a missing fact
_REASONS: dict[StepSource, str] = {
    "retrieve": "not known from the steps before",
    "earlier": "follows from the steps before",
}
_SURE = "policy model: the model is sure of it"
_MISSING = "the passages of the question do not tell it"
_PART = "a part of the question by its grammar"
_REPEATED = " (The search for it found only texts that were read before.)"


@node(reserve=1)
async def read_question(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Tries the question itself, which needs no sub-question where its passages answer it.

    If they do not, the best-supported answer stands until a sub-question is answered. Where an
    earlier method has tried it, the narrative goes on from there. Without a model the grammar
    decides at once; where the model decides (``MODEL_DECIDES``) the question itself is not tried,
    as in the paper.
    """
    if run.context.model == OFFLINE:
        return {}
    if state["held"]["evidence"]:
        return _held(state)
    if run.context.policy in MODEL_DECIDES:
        return {}
    question = state["question"]
    progress_of("read_question")(0, run.context.max_steps)
    passages, ranked = await first_and_ranking(run, state)
    if not passages:
        return {}
    step = _step(0, question, "the question itself", [passage["id"] for passage in passages])
    try:
        reply = await run.ask(ANSWER, question=question, texts=number_passages(passages))
    except NoReplyError as error:
        run.meter.warn(f"The question itself was not answered. {error}")
        return {"ranked": ranked}
    read = await checked(run, question, answered(reply, passages), passages)
    cited = {citation["passage"] for citation in read["citations"]}
    kept = [one for one in passages if read["sufficient"] or one["id"] in cited]
    taken = sub_answer(read["sufficient"], read["answer"], read["citations"])
    if reply.sufficient:
        taken = taken._replace(doubted=read["answer"] if taken.why else "")
    kept_answer = {key: read[key] for key in _OF_ANSWER if key in read}
    return {**_taken(state, step, taken), **kept_answer, "evidence": kept, "ranked": ranked}


@node(reserve=2)
async def decide(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Chooses the next sub-question given all earlier answers, and where to answer it from.

    The last reading may have proposed it, or the first one named it as missing; else it is written.
    Nothing is asked that was asked before.
    """
    steps, context = state["steps"], run.context
    taken = sum(step["number"] > 0 for step in steps)
    open_steps = _open_steps(state)
    if _ended(state) or (state["proposed"] and not open_steps):
        return {"pending": []}
    if taken >= context.max_steps:
        run.meter.warn(f"The limit of {context.max_steps} steps was reached.")
        return {"pending": [], "bound": "steps"}
    try:
        proposed = (open_steps or [await _proposed(state, run)])[0]
    except NoReplyError as error:
        run.meter.warn(str(error))
        return {"pending": [], "bound": error.stop_reason if error.ends_run else None}
    text = " ".join(proposed["question"].split())
    if not text or _was_asked(text, state):
        return {"pending": []}
    decision = choose_source(
        context.policy, text, proposed["source"], proposed["reason"], _answers(steps)
    )
    progress_of("decide")(taken + 1, context.max_steps)
    step = _step(taken + 1, text, decision.reason)
    return {"pending": [{**step, "source": decision.source}], "proposed": []}


@node()
async def retrieve_step(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Finds passages for the sub-question: its own best ones, read before or not.

    Where the reading of the question missed it, one more makes up for each that was read before,
    and the next ones of the question's own ranking that no step has read are read as well.
    """
    step, most = state["pending"][0], run.context.step_passages
    missed, name = _is_missed(step["question"], state), f"sub-question {step['number']}"
    read = {id for one in state["steps"] for id in one["passages"]} if missed else set[str]()
    own = await retrieve_for(run, step["question"], name, most + len(read))
    again = sum(one["id"] in read for one in own[:most])
    found = [*own[:most], *[one for one in own[most:] if one["id"] not in read][:again]]
    if missed:
        read.update(one["id"] for one in found)
        ranked = await nearest(run, state, run.context.top_k)
        found = [*found, *[one for one in ranked if one["id"] not in read][:_MORE]]
    return {
        "pending": [{**step, "passages": [passage["id"] for passage in found]}],
        "evidence": gather_evidence(state["evidence"], found),
    }


@node(reserve=1)
async def read_step(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Reads the passages of the sub-question for its answer, and for the question's or the next."""
    step = state["pending"][0]
    by_id = {passage["id"]: passage for passage in state["evidence"]}
    passages = [by_id[id] for id in step["passages"]]
    if not passages:
        return _taken(state, step, SubAnswer("", [], "not_found"))
    told = _REPEATED if repeated([*state["steps"], step])[-1] else ""
    try:
        reply = await run.ask(
            READ_STEP,
            question=state["question"],
            steps=_shown(state["steps"]),
            texts=number_passages(passages),
            asked=FencedQuestion(step["question"], f"{step['question']}{told}"),
        )
    except NoReplyError as error:
        run.meter.warn(f"“{step['question'][:80]}” was not answered. {error}")
        return _taken(state, step, unanswered_step(error))
    found = await step_answer(run, step["question"], reply, passages)
    proposed: ProposedStep = {
        "question": reply.next,
        "source": reply.source,
        "reason": _REASONS[reply.source],
    }
    decides = run.context.policy == "trained"  # by its own word, which may be ``known``
    update = {**_taken(state, step, found), "proposed": [] if decides else [proposed]}
    if found.answer and reply.decided:
        return {**update, "final": reply.final}
    if completes(reply.final, state["answer"]):  # it is never sufficient
        update |= {"answer": reply.final, "citations": [*state["citations"], *found.citations]}
    return update


@node(reserve=2)
async def recall(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Answers the sub-question from what the model knows itself, where it says that it is sure.

    Its word suffices under the policy ``trained``, which the sub-question came from (the paper's
    parametric answers). Such an answer has no citation, and no answer that rests on it is
    sufficient.
    """
    step = state["pending"][0]
    reply = await run.ask(
        CLOSED_BOOK, otherwise="The sub-question is looked up.", question=step["question"]
    )
    decided = step["source"] == "known"
    if reply is None or not reply.answer or not (reply.known or decided):
        return {"pending": [{**step, "source": "retrieve"}]}
    reason = step["reason"] if decided else _SURE
    known: NarrativeStep = {**step, "source": "known", "reason": reason}
    return _taken(state, known, SubAnswer(reply.answer, [], ""))


@node(reserve=1)
async def answer_from_earlier(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Answers the sub-question from earlier answers: computed if it can be, else by the model.

    Under the policy ``biased`` the model's answer must itself be part of an earlier one; otherwise
    the sub-question is looked up.
    """
    step, steps = state["pending"][0], state["steps"]
    computed = compute(step["question"], _answers(steps))
    if computed is not None:
        cited = [citation for place in computed.used for citation in steps[place]["citations"]]
        return _taken(state, step, SubAnswer(computed.answer, cited, ""))
    try:
        reply = await run.ask(ANSWER_FROM_STEPS, question=step["question"], steps=_shown(steps))
    except NoReplyError as error:
        run.meter.warn(f"“{step['question'][:80]}” was not answered. {error}")
        return _taken(state, step, unanswered_step(error))
    answer = reply.answer if reply.found else ""
    if run.context.policy == "biased" and not (answer and follows(answer, _answers(steps))):
        reason = "policy biased: the answer is neither computed nor part of an earlier one"
        return {"pending": [{**step, "source": "retrieve", "reason": reason}]}
    cited = [citation for one in steps if one["answer"] for citation in one["citations"]]
    return _taken(state, step, sub_answer(bool(answer), answer, cited))


async def _proposed(state: DeepragState, run: Run[DeepragContext]) -> ProposedStep:
    """The next step as a model decides it from the steps alone."""
    reply = await run.ask(NEXT_STEP, question=state["question"], steps=_shown(state["steps"]))
    question = "" if reply.finish else reply.question
    return {"question": question, "source": reply.source, "reason": reply.reason}


def _held(state: DeepragState) -> Update:
    """The narrative as earlier methods left it: the question, and what was looked up for it."""
    held, reason = state["held"], "tried before"
    opening = _step(0, state["question"], reason, [text["id"] for text in held["evidence"]])
    before: list[NarrativeStep] = [
        {
            **_step(0, one["question"], reason),
            "answer": one["answer"],
            "found": bool(one["answer"]),
            "citations": one["citations"],
        }
        for one in held["answers"]
    ]
    return {"steps": [{**opening, "citations": held["citations"]}, *before]}


def _open_steps(state: DeepragState) -> list[ProposedStep]:
    """The sub-questions that could be next, not asked so far.

    First as the last reading proposed, then as was missing; where that reading knows no more, by
    the question's grammar.
    """
    missing: list[ProposedStep] = [
        {"question": question, "source": "retrieve", "reason": _MISSING}
        for question in questions_in(state["missing"], state["question"])
    ]
    left = _open_parts(state) if state["proposed"] else []
    parts: list[ProposedStep] = [
        {"question": part, "source": "retrieve", "reason": _PART} for part in left
    ]
    known = [*state["proposed"], *missing, *parts]
    return [one for one in known if one["question"] and not _was_asked(one["question"], state)]


def _open_parts(state: DeepragState) -> list[str]:
    """The parts of the question that no step asks about.

    A step about a thing that is compared asks about it in its own way.
    """
    asked = [
        one["question"]
        for one in state["steps"]
        if not same_question(one["question"], state["question"])
    ]
    compared = comparison(state["question"])
    things = compared.things if compared else ()

    def is_asked(part: str) -> bool:
        if named := [thing for thing in things if mentions(part, thing)]:
            return any(mentions(one, thing) for one in asked for thing in named)
        return any(keywords(part) <= keywords(one) for one in asked)

    return [part for part in independent_parts(state["question"]) if not is_asked(part)]


def _was_asked(question: str, state: DeepragState) -> bool:
    return any(same_question(question, step["question"]) for step in state["steps"])


def _is_missed(question: str, state: DeepragState) -> bool:
    """Whether the reading of the question named the sub-question ``question`` as missing."""
    missed = any(same_question(question, one) for one in state["missing"])
    return missed and opening_of(state["steps"]) is not None


def _ended(state: DeepragState) -> bool:
    """Whether the question is answered, or no search is likely to find more.

    Of many parts each is looked up, whatever is found for another one.
    """
    steps, opening = state["steps"], opening_of(state["steps"])
    if state["final"] or (opening and opening["found"]):
        return True
    if len(independent_parts(state["question"])) >= _MANY_PARTS and _open_parts(state):
        return False
    looked_up = [step for step in steps if step["number"] > 0]
    if looked_up and not looked_up[-1]["found"]:
        # Where the first look-up finds nothing, further ones seldom do: with a strong reader, for 2
        # of 17 questions. Another method may.
        in_vain = state["held"]["evidence"] and not any(step["found"] for step in looked_up)
        if in_vain or any(not one["question"] for one in state["proposed"]):
            return True
    return _fruitless(steps) >= _MOST_REPEATED


def _fruitless(steps: Sequence[NarrativeStep]) -> int:
    """The number of steps without an answer whose searches found nothing new."""
    pairs = zip(steps, repeated(steps), strict=True)
    return sum(again and not step["found"] for step, again in pairs)


def _answers(steps: Sequence[NarrativeStep]) -> list[Answered]:
    return [Answered(step["question"], step["answer"]) for step in steps]


def _shown(steps: Sequence[NarrativeStep]) -> Texts:
    return show_steps(
        [
            ShownStep(
                step["question"],
                step["answer"],
                quotes_of(step["citations"]),
                again,
                step["doubted"],
            )
            for step, again in zip(steps, repeated(steps), strict=True)
        ]
    )


def _step(number: int, question: str, reason: str, passages: Sequence[str] = ()) -> NarrativeStep:
    """A step that is to be looked up."""
    return {
        "number": number,
        "question": question,
        "source": "retrieve",
        "reason": reason,
        "passages": list(passages),
        "answer": "",
        "doubted": "",
        "found": False,
        "citations": [],
    }


def _taken(state: DeepragState, step: NarrativeStep, found: SubAnswer) -> Update:
    """The step with its answer, at the end of the narrative."""
    taken: NarrativeStep = {
        **step,
        "answer": found.answer,
        "doubted": found.doubted,
        "found": bool(found.answer),
        "citations": found.citations,
    }
    update: Update = {"steps": [*state["steps"], taken], "pending": [], "proposed": []}
    return {**update, "bound": found.why} if found.why in ("budget", "time") else update
