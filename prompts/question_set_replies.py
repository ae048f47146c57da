"""The replies of the prompts that write and check the questions of a set."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from .extraction_replies import Numbers
from .lenient import Bounds, Names, filled, listed
from .replies import PromptReply, Quote, TextNumber

_QUESTION, _ANSWER, _QUOTE = 1000, 500, 4000
Texts = Annotated[list[str], BeforeValidator(listed)]
_TEXT: Names = {"text": ("id", "number", "passage")}


class FactQuestion(PromptReply):
    """A question that one text answers."""

    longest: ClassVar[Bounds] = {
        "question": _QUESTION,
        "answer": _ANSWER,
        "aliases": _ANSWER,
        "quote": _QUOTE,
    }
    most: ClassVar[Bounds] = {"aliases": 20}
    other_names: ClassVar[Names] = {
        **_TEXT,
        "quote": ("sentence", "evidence"),
        "question": (),
        "answer": (),
        "aliases": ("alias",),
    }

    text: Annotated[TextNumber, Field(description="Number of the text.")]
    quote: Annotated[str, Field(description="The sentence with the answer, word for word.")]
    question: Annotated[str, Field(min_length=1, description="The question.")]
    answer: Annotated[str, Field(min_length=1, description="The answer in its shortest form.")]
    aliases: Annotated[
        Texts, Field(default_factory=list, description="Other ways to write the answer.")
    ]


class FactQuestions(PromptReply):
    """The questions that texts answer, one for a text."""

    most: ClassVar[Bounds] = {"questions": 100}
    most_tokens: ClassVar[int] = 4096

    questions: Annotated[list[FactQuestion], Field(description="One question for each text.")]


class ChainQuestion(PromptReply):
    """A question that two texts answer together; without a ``bridge`` there is none."""

    longest: ClassVar[Bounds] = {
        "bridge": _ANSWER,
        "first": _QUESTION,
        "second": _QUESTION,
        "question": _QUESTION,
        "answer": _ANSWER,
        "aliases": _ANSWER,
    }
    most: ClassVar[Bounds] = {"aliases": 20, "quotes": 10}

    bridge: Annotated[str, Field(description="What leads from text 1 to text 2; or empty.")]
    first: Annotated[str, Field(description="The question that text 1 answers by the bridge.")]
    second: Annotated[str, Field(description="The question on the bridge that text 2 answers.")]
    question: Annotated[str, Field(description="Both in one, without the bridge.")]
    answer: Annotated[str, Field(description="The answer in its shortest form.")]
    aliases: Annotated[Texts, Field(description="Other ways to write the answer.")]
    quotes: Annotated[list[Quote], Field(description="A sentence of each text, word for word.")]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """Without a bridge the rest may be left out; one quote stands for a list of it."""
        if not isinstance(value, dict):
            return value
        given = {key: item for key, item in value.items() if item is not None}
        if isinstance(given.get("quotes"), str | dict):
            given["quotes"] = [given["quotes"]]
        if "bridge" not in value or given.get("bridge"):
            return {"aliases": [], **given}
        texts = dict.fromkeys(("bridge", "first", "second", "question", "answer"), "")
        return {**texts, "aliases": [], "quotes": []}


class OpenQuestion(PromptReply):
    """A question that comes close to a text, which does not answer it."""

    longest: ClassVar[Bounds] = {"question": _QUESTION}
    other_names: ClassVar[Names] = {**_TEXT, "question": ()}

    text: Annotated[TextNumber, Field(description="Number of the text.")]
    question: Annotated[str, Field(min_length=1, description="The question.")]


class OpenQuestions(PromptReply):
    """The questions that texts come close to, one for a text."""

    most: ClassVar[Bounds] = {"questions": 100}

    questions: Annotated[list[OpenQuestion], Field(description="One question for each text.")]


class CheckedQuestion(PromptReply):
    """The answer to a question from its texts; empty where they do not answer it."""

    longest: ClassVar[Bounds] = {"answer": 2000}
    most: ClassVar[Bounds] = {"texts": 200}
    other_names: ClassVar[Names] = {
        "id": ("question", "number"),
        "clear": ("is_clear",),
        "texts": ("text",),
        "answerable": ("is_answerable", "sufficient"),
        "answer": (),
    }

    id: Annotated[TextNumber, Field(description="Number of the question.")]
    clear: Annotated[bool, Field(description="Whether it says whom or what it is about.")]
    texts: Annotated[Numbers, Field(description="Numbers of texts that state what it asks.")]
    answerable: Annotated[bool, Field(description="Whether its texts state all facts needed.")]
    answer: Annotated[str, Field(description="The answer in its shortest form; or empty.")]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """A null answer or list is empty; whether it can be answered has to be said."""
        return filled(super().tidy(value), texts=[], answer="")


class CheckedQuestions(PromptReply):
    """The answers to questions, each from its own texts."""

    most: ClassVar[Bounds] = {"answers": 100}
    most_tokens: ClassVar[int] = 4096

    answers: Annotated[list[CheckedQuestion], Field(description="An answer to each question.")]
