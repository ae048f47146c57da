"""The replies that the prompts ask for: small, typed, and read leniently.

A list keeps its good items when some are malformed; comparing its length with the raw list's tells
how many were left out. Every text and every list has a bound, so that no reply adds more to an
index or a question than an honest one. A value that a type lets through needs no parsing.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from .lenient import Bounds, Names, clean, renamed, shortened

_LONGEST_TEXT = 20_000
_MOST_ITEMS = 2000
_SHORT_TEXT, _SHORT_LIST, _LONG_LIST = 300, 10, 100


class PromptReply(BaseModel):
    """The base of every reply: lists keep their good items, objects may use ``other_names``.

    ``longest`` are the most characters of a field's text, or of each text in its list; ``most`` the
    most items of a field's list; ``most_tokens`` the most tokens that a model may write. Where it
    ``is_weighed``, each grade is the mean of the digits that the model thought of, if it tells. The
    validation context, if it is a set, gets the names of the fields that were cut.
    """

    model_config = ConfigDict(
        coerce_numbers_to_str=True, str_strip_whitespace=True, allow_inf_nan=False, defer_build=True
    )
    other_names: ClassVar[Names] = {}
    longest: ClassVar[Bounds] = {}
    most: ClassVar[Bounds] = {}
    most_tokens: ClassVar[int] = 2048
    is_weighed: ClassVar[bool] = False

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """``value`` in the form of the fields, where it differs in form only."""
        return renamed(value, cls.other_names) if cls.other_names else value

    @model_validator(mode="before")
    @classmethod
    def _tidied(cls, value: Any) -> Any:
        return cls.tidy(value)

    @classmethod
    def most_items(cls, field: str) -> int:
        """The most items of the list in ``field``."""
        return cls.most.get(field, _MOST_ITEMS)

    @classmethod
    def asked_bounds(cls, field: str) -> tuple[int, int]:
        """The most characters and the most items that a model may write in ``field``.

        Less than is read: honest texts are ten times shorter, honest lists three times.
        """
        longest, most = cls.longest.get(field, _LONGEST_TEXT), cls.most_items(field)
        text = min(longest, max(_SHORT_TEXT, longest // 4))
        return text, min(most, _LONG_LIST, max(_SHORT_LIST, most // 2))

    @field_validator("*", mode="wrap")
    @classmethod
    def _keep_good_items(cls, value: Any, validate: Callable[[Any], Any]) -> Any:
        try:
            return validate(value)
        except ValidationError:
            if not isinstance(value, list):
                raise
            kept: list[Any] = []
            for item in value:
                with suppress(ValidationError):
                    kept.extend(validate([item]))
            if not kept:
                raise
            return kept

    # The last one defined is the outermost: it bounds what is tried item by item, too.
    @field_validator("*", mode="wrap")
    @classmethod
    def _bound(cls, value: Any, validate: Callable[[Any], Any], info: ValidationInfo) -> Any:
        field = info.field_name or ""
        longest, most = cls.longest.get(field, _LONGEST_TEXT), cls.most_items(field)
        given = clean(value[:most] if isinstance(value, list) else value)
        kept = validate(given)
        cut = shortened(kept, longest)
        if isinstance(info.context, set) and (
            cut != kept or (isinstance(value, list) and len(value) > most)
        ):
            info.context.add(field)
        return cut


def _bare_number(value: Any) -> Any:
    """``[1]``, ``Text 1`` and ``1.0`` name text 1; a text without a usable number names none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    digits = re.search(r"\d+", str(value))
    return str(int(digits.group())) if digits and len(digits.group()) <= _MOST_DIGITS else ""


def _sentence_number(value: Any) -> Any:
    """``[1.2]`` names sentence 1.2; what names none may still name a text."""
    found = re.search(_SENTENCE, str(value))
    return found.group() if found else _bare_number("" if value is None else value)


_MOST_DIGITS = 9
TextNumber = Annotated[str, BeforeValidator(_bare_number), Field(max_length=_MOST_DIGITS)]
_SENTENCE = rf"\d{{1,{_MOST_DIGITS}}}\.\d{{1,{_MOST_DIGITS}}}"
POINTERS = "from"  # the name of the list of sentences in replies


LARGEST_GRADE = 4
# The words for a score in [-1, 1]: of 120 recorded ones of passages, 26 of the 30 from 0.5 on are
# gold, 1 of the 13 above 0, and 3 of the 77 others.
_NEEDED, _RELATED = 0.5, 0.0
_WORDS = {"related": 2, "needed": LARGEST_GRADE}


def _grade(value: Any) -> Any:
    return min(max(value, 0), LARGEST_GRADE) if isinstance(value, int | float) else value


class TextGrade(PromptReply):
    """How far one numbered text helps to answer a question: 4 states it, 3 leads to it."""

    id: TextNumber
    grade: Annotated[
        float,
        BeforeValidator(_grade),
        WithJsonSchema({"type": "integer", "enum": list(range(LARGEST_GRADE + 1))}),
    ]


class Grades(PromptReply):
    """The numbered texts that help to answer a question, graded; one that is left out does not."""

    is_weighed: ClassVar[bool] = True
    most: ClassVar[Bounds] = {"grades": 150}

    grades: list[TextGrade]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """Lists of needed and related texts, and scores in [-1, 1], are understood as well."""
        if not isinstance(value, dict) or "grades" in value:
            return value
        scores = value.get("scores")
        if isinstance(scores, list):
            given = [one for one in scores if isinstance(one, dict)]
            numbers = [one for one in given if isinstance(one.get("score"), int | float)]
            if scores and not numbers:
                return value
            value = {
                "needed": [one.get("id") for one in numbers if one["score"] >= _NEEDED],
                "related": [one.get("id") for one in numbers if _RELATED < one["score"] < _NEEDED],
            }
        told = {word: value[word] for word in _WORDS if isinstance(value.get(word), list)}
        listed = [{"id": id, "grade": _WORDS[word]} for word, ids in told.items() for id in ids]
        return {"grades": listed} if told else value


class Queries(PromptReply):
    """Web search queries."""

    longest: ClassVar[Bounds] = {"queries": 400}
    most: ClassVar[Bounds] = {"queries": 10}

    queries: Annotated[list[str], Field(description="One to three queries of keywords.")]


class Quote(PromptReply):
    """A sentence of a text: its number, as ``1.2``, or the words copied from the text ``id``."""

    longest: ClassVar[Bounds] = {"quote": 4000}
    id: Annotated[str, BeforeValidator(_sentence_number)] = ""
    quote: str = ""

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """A bare sentence is a quote from any of the texts, unless it begins with its number."""
        if isinstance(value, bool) or not isinstance(value, str | float):
            return value
        number = re.match(rf"\W*({_SENTENCE})\W*", str(value))
        copied = value if number is None or number.end() < len(str(value)) else ""
        return {"id": number[1] if number else "", "quote": copied}

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not (self.quote or "." in self.id):
            raise ValueError("neither the number of a sentence nor its words")
        return self


class Pointing(PromptReply):
    """The base of replies that point at the sentences of their texts which support them."""

    most: ClassVar[Bounds] = {"quotes": 50, POINTERS: 50}

    quotes: Annotated[
        list[Annotated[Quote, WithJsonSchema({"type": "string", "maxLength": 2 * _MOST_DIGITS})]],
        Field(
            validation_alias=AliasChoices(POINTERS, "quotes"),
            description="Numbers of the sentences that support it, such as 1.2.",
        ),
    ]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """One sentence stands for a list of it, and a text may hold several numbers."""
        value = super().tidy(value)
        if not isinstance(value, dict) or not value.keys() & {POINTERS, "quotes"}:
            return value
        given = value.get(POINTERS) or value.get("quotes") or []
        several = [given] if isinstance(given, str | dict) else given
        if isinstance(several, list):
            several = [part for one in several for part in _each(one)]
        rest = {key: part for key, part in value.items() if key != POINTERS}
        return {**rest, "quotes": several}


def _each(value: Any) -> list[Any]:
    """The numbers of a text that is nothing but several; any other value as it is."""
    words = isinstance(value, str) and not re.search(r"[^\W\d]", value)
    return re.findall(_SENTENCE, value) if words else [value]


def _as_list(value: Any) -> Any:
    """One text stands for a list of it, and nothing for texts without a word."""
    given = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(given, list):
        return given
    return [one for one in given if not isinstance(one, str) or one.strip()]


# Prompts ask for no more; a longer list is read all the same.
Missing = Annotated[list[str], BeforeValidator(_as_list), Field(json_schema_extra={"maxItems": 3})]


class CitedAnswer(Pointing):
    """An answer with the sentences that support it."""

    most: ClassVar[Bounds] = {**Pointing.most, "follow_ups": 20}

    sufficient: Annotated[bool, Field(description="Whether the texts contain the answer.")]
    answer: Annotated[str, Field(description="The answer, in the question's language.")]


class Answer(CitedAnswer):
    """An answer, and what it lacks."""

    longest: ClassVar[Bounds] = {"missing": 500}
    most: ClassVar[Bounds] = {**CitedAnswer.most, "missing": 10}

    missing: Annotated[
        Missing, Field(default_factory=list, description="Questions that the texts do not answer.")
    ]


class AnswerCheck(PromptReply):
    """The claims of an answer that its citations do not support."""

    longest: ClassVar[Bounds] = {"unsupported": 300}
    most: ClassVar[Bounds] = {"unsupported": 20}

    unsupported: Annotated[list[str], Field(description="Claims that no sentence supports.")]
    sufficient: Annotated[bool, Field(description="Whether the rest answers the question.")]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """One claim stands for a list of it; the rest answers where there is nothing else."""
        if not isinstance(value, dict):
            return value
        claims = value.get("unsupported") or []
        claims = [claims] if isinstance(claims, str) else claims
        return {"sufficient": not claims, **value, "unsupported": claims}


class PassageQuestions(PromptReply):
    """The questions of one passage (HopRAG's in-coming and out-coming questions)."""

    longest: ClassVar[Bounds] = {"incoming": 500, "outgoing": 500}
    most: ClassVar[Bounds] = {"incoming": 100, "outgoing": 100}

    incoming: Annotated[list[str], Field(description="Questions that the passage answers.")]
    outgoing: Annotated[list[str], Field(description="Questions that it raises.")]


class KeptTexts(PromptReply):
    """The numbered texts to keep."""

    keep: Annotated[list[TextNumber], Field(description="Numbers of the texts, best first.")]


class StandAloneQuestion(PromptReply):
    """A question that can be understood without the conversation before it."""

    question: Annotated[str, Field(min_length=1, description="The rewritten question.")]
