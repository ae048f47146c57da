"""Reading the typed reply that a prompt asked for out of the text of a reply."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Generic, NamedTuple, SupportsIndex, TypeVar, overload

from json_repair import repair_json
from pydantic import ValidationError

from ...prompts.replies import PromptReply

R = TypeVar("R", bound=PromptReply)

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)


_LONGEST_REPLY = 500_000
_LONGEST_MENDED = 40_000
_LOOKS = 6


class ReadReply(NamedTuple, Generic[R]):
    """A typed reply; how it differs from the text that it was read from.

    ``left_out`` malformed items are missing, the fields ``cut`` were longer than their bounds, and
    ``lost_its_end`` says that the JSON stops before its last bracket.
    """

    value: R
    left_out: int
    cut: frozenset[str]
    lost_its_end: bool


class MalformedReplyError(ValueError):
    """The text holds no reply of the wanted type; the message says why, for the model to read."""


def read_reply(text: str, reply: type[R]) -> ReadReply[R]:
    """The typed reply in ``text``.

    Thinking, fences and text around the JSON are dropped, and broken JSON is mended.
    Raises MalformedReplyError.
    """
    if len(text) > _LONGEST_REPLY:
        raise MalformedReplyError("The reply was too long; be brief.")
    bare = _THINKING.sub("", text).strip()
    if not bare:
        raise MalformedReplyError("The reply was empty.")
    data, lost_its_end = _json_object(bare, reply)
    if data is None:
        raise MalformedReplyError("The reply was not a JSON object.")
    cut: set[str] = set()
    try:
        value = reply.model_validate(data, context=cut)
    except ValidationError as error:
        raise MalformedReplyError(_explain(error)) from error
    return ReadReply(value, _left_out(reply.tidy(data), value), frozenset(cut), lost_its_end)


@cache
def reply_schema(reply: type[PromptReply]) -> dict[str, Any]:
    """The JSON schema of a reply: references resolved, every key required and no other allowed."""
    schema = reply.model_json_schema()
    definitions = schema.pop("$defs", {})
    closed: dict[str, Any] = _close(schema, definitions)
    return {"title": reply.__name__, "description": (reply.__doc__ or "").strip(), **closed}


def _close(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_close(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _close(definitions[node["$ref"].rsplit("/", 1)[-1]], definitions)
    closed = {
        key: {name: _close(part, definitions) for name, part in value.items()}
        if key == "properties"
        else _close(value, definitions)
        for key, value in node.items()
        if key not in {"title", "default"}
    }
    if closed.get("type") == "object":
        closed["additionalProperties"] = False
        closed["required"] = list(closed.get("properties", {}))
    return closed


def _json_object(text: str, reply: type[PromptReply]) -> tuple[dict[str, Any] | None, bool]:
    """The object in ``text``, and whether it had lost its end, and was mended.

    A bare list stands for a reply that is nothing but one list. Raises MalformedReplyError for
    JSON that is too broken to be mended.
    """
    start, end = text.find("{"), text.rfind("}")
    for candidate in (text, text[max(start, 0) : end + 1]):
        data = _tried(json.loads, candidate)
        if isinstance(data, dict):
            return data, False
        if isinstance(data, list) and len(reply.model_fields) == 1:
            return {next(iter(reply.model_fields)): data}, False
    if start < 0:
        return None, False
    if len(text) - start > _LONGEST_MENDED:
        raise MalformedReplyError("The reply was not valid JSON, and too long; be brief.")
    mended = _tried(_mended, text[start:])
    if isinstance(mended, list):
        mended = next((item for item in mended if isinstance(item, dict)), None)
    if not isinstance(mended, dict) or not mended:
        return None, False
    return mended, any(text.count(opened) > text.count(closed) for opened, closed in ("{}", "[]"))


def _mended(text: str) -> Any:
    """The value of broken JSON. Raises ValueError where mending it takes too long."""
    looks = [_LOOKS * len(text) + _LONGEST_MENDED]
    return repair_json(_Metered(text, looks), return_objects=True)


class _Metered(str):
    """Text of which only so many characters may be looked at, for mending can be quadratic.

    Mending what models write takes about two looks a character.
    """

    left: list[int]

    def __new__(cls, text: str, left: list[int]) -> _Metered:
        """``left`` is the number of looks, shared by all parts of the text."""
        metered = super().__new__(cls, text)
        metered.left = left
        return metered

    @overload
    def __getitem__(self, place: SupportsIndex, /) -> str: ...

    @overload
    def __getitem__(self, place: slice, /) -> _Metered: ...

    def __getitem__(self, place: Any, /) -> str:
        part = super().__getitem__(place)
        self.left[0] -= len(part)
        if self.left[0] < 0:
            raise ValueError("too broken to be mended")
        return _Metered(part, self.left) if isinstance(place, slice) else part

    def __add__(self, other: str, /) -> _Metered:
        return _Metered(super().__add__(other), self.left)


def _tried(read: Callable[[str], Any], text: str) -> Any:
    """The value that ``read`` gives for ``text``, or None where it cannot."""
    try:
        return read(text)
    except (ValueError, RecursionError):
        return None


def _explain(error: ValidationError) -> str:
    problems = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'reply'}: {problem['msg']}"
        for problem in error.errors()[:3]
    ]
    return "The reply did not have the right form (" + "; ".join(problems) + ")."


def _left_out(data: dict[str, Any], value: PromptReply) -> int:
    lists = [
        (items[: value.most_items(key)], getattr(value, key, items))
        for key, items in data.items()
        if isinstance(items, list)
    ]
    return sum(len(items) - len(kept) for items, kept in lists if isinstance(kept, list))
