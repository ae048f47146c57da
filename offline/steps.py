"""The offline reader's replies to DeepRAG's prompts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..algorithms.deeprag.sub_questions import substitute
from ..language.comparing import Answered, comparison, compute, mentions
from ..language.support import CitablePassage, cite_point
from ..prompts.deeprag_replies import (
    COMPUTED,
    NOT_FOUND,
    OPEN,
    UNCERTAIN,
    NextStep,
    StepAnswer,
    StepReading,
    SubQuestions,
    SubQuestionText,
)
from ..prompts.prompt import Excerpt
from ..prompts.replies import Answer, Quote
from .decomposition.decompose import decompose

_MOST = 100

Steps = str | Sequence[Excerpt]
Reader = Callable[[str, Sequence[Excerpt]], Answer]


def earlier_steps(steps: Steps) -> list[Answered]:
    """The steps that a prompt shows, without what was computed from them."""
    shown = [step for step in steps if not isinstance(step, str) and step["id"] != COMPUTED]
    nothing = [step["text"].startswith((NOT_FOUND, OPEN, UNCERTAIN)) for step in shown]
    return [
        Answered(step["title"], "" if empty else step["text"])
        for step, empty in zip(shown, nothing, strict=True)
    ]


def next_step(question: str, steps: Steps) -> NextStep:
    """The next sub-question by grammar, which is always looked up."""
    text = next_sub_question(question, earlier_steps(steps))
    reason = "by the question's grammar" if text else "every sub-question was asked"
    return NextStep(finish=text is None, question=text or "", source="retrieve", reason=reason)


def read_step(
    question: str, steps: Steps, asked: str, texts: Sequence[Excerpt], read: Reader
) -> StepReading:
    """A reading of ``texts``, and the next sub-question by grammar."""
    found = read(asked, texts)
    answer = found.answer if found.sufficient else ""
    text = next_sub_question(question, [*earlier_steps(steps), Answered(asked, answer)])
    return StepReading(
        quotes=found.quotes,
        sufficient=found.sufficient,
        answer=found.answer,
        final="",
        decided=False,
        next=text or "",
        source="retrieve",
    )


def answer_from_steps(question: str, steps: Steps) -> StepAnswer:
    """The answer that can be computed from earlier ``steps``, if any."""
    computed = compute(question, earlier_steps(steps))
    return StepAnswer(found=computed is not None, answer=computed.answer if computed else "")


def split(question: str) -> SubQuestions:
    """The sub-questions by grammar, all of which ask for one fact."""
    parts = (part.text for part in decompose(question, _MOST))
    return SubQuestions(questions=[SubQuestionText(question=one, atomic=True) for one in parts])


def synthesize(question: str, steps: Steps, texts: Sequence[Excerpt], read: Reader) -> Answer:
    """The answer computed from ``steps``, or the answer of the last; else a reading of ``texts``.

    The last step is the only one whose answer no other asks about, and all steps are answered.
    """
    shown = [step for step in steps if not isinstance(step, str)]
    computed = [step["text"] for step in shown if step["id"] == COMPUTED]
    earlier = earlier_steps(steps)
    last = loose_ends(earlier)
    if not computed and len(last) == 1 and comparison(question) is None:
        computed = [last[0].answer] if all(step.answer for step in earlier) else []
    if computed:
        quotes = _quotes(earlier, texts)
        return Answer(quotes=quotes, sufficient=True, answer=computed[0], missing=[])
    return read(question, texts)


def _quotes(steps: Sequence[Answered], texts: Sequence[Excerpt]) -> list[Quote]:
    """The sentence of ``texts`` that is nearest to each answered step."""
    shown = [CitablePassage(text["id"], text["title"], text["text"]) for text in texts]
    found = [
        sentence
        for step in steps
        if step.answer
        for sentence in cite_point(f"{step.question} {step.answer}", shown)
    ]
    return [Quote(id=one.passage, quote=one.text) for one in found]


def next_sub_question(question: str, earlier: Sequence[Answered]) -> str | None:
    """The next of the sub-questions of ``question`` after the steps ``earlier``, or None.

    Known answers are filled in; sub-questions that refer to an answer not found are left out.
    """
    answers: dict[int, str] = {}
    taken = 0
    for number, part in enumerate(decompose(question), start=1):
        if any(place + 1 not in answers for place in part.depends_on):
            continue
        if taken == len(earlier):
            return substitute(part.text, answers)
        if earlier[taken].answer:
            answers[number] = earlier[taken].answer
        taken += 1
    return None


def loose_ends(steps: Sequence[Answered]) -> list[Answered]:
    """The steps whose answers no later step asks about."""
    return [
        step
        for place, step in enumerate(steps, 1)
        if not (step.answer and any(mentions(each.question, step.answer) for each in steps[place:]))
    ]
