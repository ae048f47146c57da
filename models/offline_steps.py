"""The offline reader's replies to DeepRAG's prompts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..algorithms.comparing import Answered, compute
from ..algorithms.decomposition import comparison, decompose
from ..algorithms.narrative import loose_ends, next_sub_question
from ..prompts.prompt import Excerpt
from ..prompts.replies import Answer
from ..prompts.step_replies import (
    COMPUTED,
    NOT_FOUND,
    NextStep,
    StepAnswer,
    SubQuestions,
    SubQuestionText,
)

_MOST = 100

Steps = str | Sequence[Excerpt]
Reader = Callable[[str, Sequence[Excerpt]], Answer]


def earlier_steps(steps: Steps) -> list[Answered]:
    """The steps that a prompt shows, without what was computed from them."""
    return [
        Answered(step["title"], "" if step["text"] == NOT_FOUND else step["text"])
        for step in _shown(steps)
        if step["id"] != COMPUTED
    ]


def next_step(question: str, steps: Steps) -> NextStep:
    """The next sub-question by grammar, which is always looked up."""
    text = next_sub_question(question, earlier_steps(steps))
    reason = "by the question's grammar" if text else "every sub-question was asked"
    return NextStep(finish=text is None, question=text or "", source="retrieve", reason=reason)


def answer_from_steps(question: str, steps: Steps) -> StepAnswer:
    """What can be computed from earlier answers."""
    computed = compute(question, earlier_steps(steps))
    return StepAnswer(found=computed is not None, answer=computed.answer if computed else "")


def split(question: str) -> SubQuestions:
    """The sub-questions by grammar, all of which ask for one fact."""
    parts = decompose(question, _MOST)
    return SubQuestions(
        questions=[SubQuestionText(question=part.text, atomic=True) for part in parts]
    )


def synthesize(question: str, steps: Steps, texts: Sequence[Excerpt], read: Reader) -> Answer:
    """What was computed, else the answers that no other sub-question uses, else a reading.

    Of several such answers those that were found are told, each with its sub-question. Without
    quotes of its own where the answer is that of the steps, which have theirs.
    """
    computed = [step["text"] for step in _shown(steps) if step["id"] == COMPUTED]
    if computed:
        return Answer(quotes=[], sufficient=True, answer=computed[0])
    last = loose_ends(earlier_steps(steps))
    found = [step for step in last if step.answer]
    if not found or comparison(question) is not None:
        return read(question, texts)
    several = "\n".join(f"{step.question} {step.answer}" for step in found)
    answer = found[0].answer if len(last) == 1 else several
    return Answer(quotes=[], sufficient=len(found) == len(last), answer=answer)


def _shown(steps: Steps) -> Sequence[Excerpt]:
    return () if isinstance(steps, str) else steps
