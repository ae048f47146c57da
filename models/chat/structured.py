"""Reading the typed reply that a prompt asked for out of the text of a reply."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
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
_LONGEST_COUNTED, _MOST_COUNTED = 1000, 100
_SIGNS_A_TOKEN = 2
_TOKENS_OF_A_NUMBER = 8
_UNSENT_IN_BOUNDS = {"title", "default"}
_UNSENT = {*_UNSENT_IN_BOUNDS, "maxItems", "maxLength"}


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


def holds_thoughts_only(text: str) -> bool:
    """Whether ``text`` ended before the reply began; some servers do not show thoughts at all."""
    return not text or (_THINKING.search(text) is not None and not _THINKING.sub("", text).strip())


def read_reply(text: str, reply: type[R], cut_off: bool = False) -> ReadReply[R]:
    """The typed reply in ``text``.

    Thinking, fences and text around the JSON are dropped, and broken JSON is mended. A reply that
    was ``cut_off`` says nothing in the fields that it did not reach, and an answer that breaks off
    does not suffice. Raises MalformedReplyError.
    """
    if len(text) > _LONGEST_REPLY:
        raise MalformedReplyError("The reply was too long; be brief.")
    bare = _THINKING.sub("", text).strip()
    if not bare:
        raise MalformedReplyError("The reply was empty.")
    data, lost_its_end = _json_object(bare, reply)
    if data is None:
        raise MalformedReplyError("The reply was not a JSON object.")
    if cut_off:
        broken = lost_its_end and next(reversed(data), "") == "answer" and "sufficient" in data
        data = {**_nothing_said(reply), **reply.tidy(data)}
        data |= {"sufficient": False} if broken else {}
    cut: set[str] = set()
    try:
        value = reply.model_validate(data, context=cut)
    except ValidationError as error:
        raise MalformedReplyError(_explain(error)) from error
    return ReadReply(value, _left_out(reply.tidy(data), value), frozenset(cut), lost_its_end)


@cache
def reply_schema(reply: type[PromptReply], *, bounded: bool = False) -> dict[str, Any]:
    """The JSON schema of a reply: references resolved, every key required and no other allowed.

    If ``bounded``, texts and lists end where the reply's own bounds say that no honest one goes on.
    """
    schema = reply.model_json_schema()
    closed: dict[str, Any] = _close(schema, schema.pop("$defs", {}), reply if bounded else None)
    return {"title": reply.__name__, "description": (reply.__doc__ or "").strip(), **closed}


def most_tokens(schema: Mapping[str, Any]) -> int:
    """The tokens of the longest reply that a bounded ``schema`` allows, roughly."""
    if "enum" in schema:
        return max(_tokens(str(value)) for value in schema["enum"])
    if "properties" in schema:
        parts = schema["properties"].items()
        return 2 + sum(_tokens(name) + most_tokens(part) for name, part in parts)
    if "items" in schema:
        return 2 + int(schema.get("maxItems", _MOST_COUNTED)) * most_tokens(schema["items"])
    if schema.get("type") == "string":
        return 2 + int(schema.get("maxLength", _LONGEST_REPLY)) // _SIGNS_A_TOKEN
    return 2 + _TOKENS_OF_A_NUMBER


def _tokens(word: str) -> int:
    return 2 + len(word) // _SIGNS_A_TOKEN


def _close(node: Any, definitions: dict[str, Any], bounds: type[PromptReply] | None) -> Any:
    """``node`` without references; with the bounds of the reply ``bounds`` that it is of."""
    if isinstance(node, list):
        return [_close(item, definitions, bounds) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[-1]
        return _close(definitions[name], definitions, bounds and _replies()[name])
    closed = {
        key: {name: _field(name, part, definitions, bounds) for name, part in value.items()}
        if key == "properties"
        else _close(value, definitions, bounds)
        for key, value in node.items()
        if key not in (_UNSENT if bounds is None else _UNSENT_IN_BOUNDS)
    }
    if closed.get("type") == "object":
        closed["additionalProperties"] = False
        closed["required"] = list(closed.get("properties", {}))
    return closed


def _field(
    name: str, node: Any, definitions: dict[str, Any], bounds: type[PromptReply] | None
) -> Any:
    closed = _close(node, definitions, bounds)
    if bounds is not None:
        longest, most = bounds.asked_bounds(name)
        _bind(closed, longest, most)
    return closed


def _bind(node: dict[str, Any], longest: int, most: int) -> None:
    """Bounds a text, or a list and the texts in it, unless the schema does so already.

    Longer texts than llama.cpp's grammars can count are left to the limit of the whole reply.
    """
    if node.get("type") == "array":
        node.setdefault("maxItems", most)
        _bind(node["items"], longest, most)
    elif node.get("type") == "string" and "enum" not in node and longest <= _LONGEST_COUNTED:
        node.setdefault("maxLength", longest)


def _replies() -> dict[str, type[PromptReply]]:
    """All types of replies and of their parts that are imported by now, by name."""
    found: dict[str, type[PromptReply]] = {}
    classes: list[type[PromptReply]] = [PromptReply]
    while classes:
        found |= {each.__name__: each for each in classes}
        classes = [below for each in classes for below in each.__subclasses__()]
    return found


@cache
def _nothing_said(reply: type[PromptReply]) -> dict[str, Any]:
    """The empty value of each field that a reply of this type must have."""
    empty = {"array": [], "boolean": False, "string": ""}
    schema = reply.model_json_schema()
    fields = schema["properties"]
    return {name: empty.get(fields[name].get("type")) for name in schema.get("required", ())}


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
