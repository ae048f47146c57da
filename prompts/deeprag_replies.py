"""DeepRAG's prompts and their replies."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import BeforeValidator, Field

from .lenient import Bounds
from .prompt import Excerpt, Prompt
from .replies import POINTERS, Answer, Pointing, PromptReply

NOT_FOUND, OPEN = "(not found)", "(open)"  # without and with sentences that come close
UNCERTAIN = "(not certain)"
REPEATED = "The search for it found only texts that were read before."
COMPUTED = "computed"
LONGEST_SUB_QUESTION = 1000
NO_STEPS = "None yet."


class ShownStep(NamedTuple):
    """A sub-question with its answer, or, where that is empty, the sentences that came closest.

    ``repeated`` tells that its search found only texts that were read before, ``doubted`` is an
    answer that these sentences may not support.
    """

    question: str
    answer: str
    told: Sequence[str] = ()
    repeated: bool = False
    doubted: str = ""


def show_steps(steps: Sequence[ShownStep], computed: str = "") -> str | list[Excerpt]:
    """Sub-questions with their answers, as the prompts show them."""
    shown: list[Excerpt] = [
        {"id": f"Q{place}", "title": step.question, "text": step.answer or _not_found(step)}
        for place, step in enumerate(steps, start=1)
    ]
    if computed:
        shown.append({"id": COMPUTED, "title": "computed from these answers", "text": computed})
    return shown or NO_STEPS


def _not_found(step: ShownStep) -> str:
    quoted = " ".join(f"“{sentence}”" for sentence in step.told)
    said = [
        f"{UNCERTAIN} {step.doubted}" if step.doubted else OPEN if quoted else NOT_FOUND,
        REPEATED if step.repeated else "",
        quoted and f"The texts say: {quoted}",
    ]
    return " ".join(filter(None, said))


def _source(value: Any) -> Any:
    """The source that a model means by its word for it; ``retrieve`` where it speaks of that too.

    ``known`` is every word for memory, the paper's parametric answer.
    """
    said = str(value).lower()
    meant = (source for source, words in _SOURCES.items() if re.search(words, said))
    return "retrieve" if "retriev" in said else next(meant, "retrieve")


def _source_read(value: Any) -> Any:
    """The same of a reading, which may know nothing but what was found before."""
    return "retrieve" if _source(value) == "retrieve" else "earlier"


_SOURCES = {"known": r"known|param|memor", "earlier": r"earlier|comput|answers|previous|none"}
Source = Annotated[Literal["retrieve", "earlier", "known"], BeforeValidator(_source)]


class NextStep(PromptReply):
    """What to do next: answer the question, or ask one more sub-question."""

    longest: ClassVar[Bounds] = {"question": LONGEST_SUB_QUESTION, "reason": 1000}

    finish: Annotated[bool, Field(description="Whether the steps suffice for the answer.")]
    question: Annotated[str, Field(description="The next sub-question; empty at the end.")]
    source: Annotated[
        Source,
        Field(description="Where its answer comes from: retrieve, earlier answers, or known."),
    ]
    reason: Annotated[str, Field(description="Why, in a few words.")]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        given = {key: item for key, item in value.items() if item is not None}
        empty = {"question": "", "source": "retrieve", "reason": ""}
        return {**empty, "finish": not given.get("question"), **given}


class StepReading(Pointing):
    """The answer to a sub-question from its texts; then the question's, or the next sub-question.

    A reply that asks for one more sub-question has not ``decided`` the question yet.
    """

    longest: ClassVar[Bounds] = {"next": LONGEST_SUB_QUESTION}
    most: ClassVar[Bounds] = {"quotes": 20, POINTERS: 20}

    sufficient: Annotated[bool, Field(description="Whether they answer the sub-question.")]
    answer: Annotated[str, Field(description="The answer to the sub-question, or empty.")]
    final: Annotated[str, Field(description="The answer to the question itself, or empty.")]
    decided: Annotated[bool, Field(description="Whether every fact that it needs is stated.")]
    next: Annotated[str, Field(description="The next sub-question; empty at the end.")]
    source: Annotated[
        Literal["retrieve", "earlier"],
        BeforeValidator(_source_read),
        Field(description="Where its answer comes from: retrieve, or earlier answers."),
    ]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """Without a next sub-question the steps end."""
        value = super().tidy(value)
        if not isinstance(value, dict):
            return value
        given = {key: item for key, item in value.items() if item is not None}
        given["next"] = given.get("next") or ""  # which 0 and false are not
        given["decided"] = not given["next"] and given.get("decided", bool(given.get("final")))
        return {"quotes": [], "answer": "", "final": "", "source": "retrieve", **given}


class StepAnswer(PromptReply):
    """An answer that follows from earlier ones."""

    longest: ClassVar[Bounds] = {"answer": 4000}

    found: Annotated[bool, Field(description="Whether the earlier answers decide it.")]
    answer: Annotated[str, Field(description="The answer, or empty.")]


class SubQuestionText(PromptReply):
    """One of the questions that a question is split into."""

    longest: ClassVar[Bounds] = {"question": LONGEST_SUB_QUESTION}

    question: Annotated[str, Field(description="The question; #1 is the answer of the first.")]
    atomic: Annotated[bool, Field(description="Whether it asks for one fact only.")]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"question": value, "atomic": True}
        if isinstance(value, dict):
            return {"atomic": True, **{k: v for k, v in value.items() if v is not None}}
        return value


class SubQuestions(PromptReply):
    """What a question is split into, in order; one or none if it asks for one fact."""

    most: ClassVar[Bounds] = {"questions": 50}

    questions: list[SubQuestionText]


class ClosedBookAnswer(PromptReply):
    """What a model says without any documents."""

    longest: ClassVar[Bounds] = {"answer": 2000}

    known: Annotated[bool, Field(description="Whether the model is sure.")]
    answer: Annotated[str, Field(description="The answer in its shortest form; or empty.")]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """An answer of which it is not said that it is sure is a guess."""
        return {"known": False, **value} if isinstance(value, dict) else value


NEXT_STEP = Prompt("next_step", NextStep)
READ_STEP = Prompt("read_step", StepReading)
ANSWER_FROM_STEPS = Prompt("answer_from_steps", StepAnswer)
CLOSED_BOOK = Prompt("closed_book", ClosedBookAnswer)
DECOMPOSE = Prompt("decompose", SubQuestions)
SYNTHESIZE = Prompt("synthesize", Answer)
