"""The reply to the prompt that fits extraction and reports to a collection."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from ..language.analyser import one_line
from .extraction_replies import OptionalText
from .lenient import Bounds, Names, listed
from .replies import PromptReply


def _types(value: object) -> list[str]:
    """Each type once, in lower case; a text with commas is a list."""
    parts = value.split(",") if isinstance(value, str) and "\n" not in value else listed(value)
    types = (one_line(str(part)).strip(" .-*\"'").lower() for part in parts)
    return [one for one in dict.fromkeys(types) if one]


class Tuning(PromptReply):
    """The things to look for in a collection, and how descriptions and reports are written."""

    other_names: ClassVar[Names] = {
        "types": ("entity_types", "kinds"),
        "language": ("languages",),
        "tone": ("style",),
    }
    longest: ClassVar[Bounds] = {"types": 40, "language": 40, "tone": 400}
    most: ClassVar[Bounds] = {"types": 20}

    types: Annotated[
        list[str], BeforeValidator(_types), Field(min_length=1, description="Kinds of things.")
    ]
    language: Annotated[OptionalText, Field(description="Of most texts, in English.")] = ""
    tone: Annotated[OptionalText, Field(description="One sentence on how to write.")] = ""
