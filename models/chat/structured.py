"""Reading the typed reply that a prompt asked for out of the text of a reply."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeVar

from json_repair import repair_json
from pydantic import ValidationError

from ...prompts.replies import PromptReply

R = TypeVar("R", bound=PromptReply)

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)


class MalformedReplyError(ValueError):
    """The text holds no reply of the wanted type; the message says why, for the model to read."""


def read_reply(text: str, reply: type[R]) -> tuple[R, int]:
    """The typed reply in ``text``, and the number of malformed list items left out of it.

    Thinking, fences and text around the JSON are dropped, and broken JSON is mended.
    Raises MalformedReplyError.
    """
    bare = _THINKING.sub("", text).strip()
    if not bare:
        raise MalformedReplyError("The reply was empty.")
    data = _json_object(bare, reply)
    if data is None:
        raise MalformedReplyError("The reply was not a JSON object.")
    try:
        value = reply.model_validate(data)
    except ValidationError as error:
        raise MalformedReplyError(_explain(error)) from error
    return value, _left_out(reply.tidy(data), value)


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


def _json_object(text: str, reply: type[PromptReply]) -> dict[str, Any] | None:
    """The object in ``text``; a bare list stands for a reply that is nothing but one list."""
    start, end = text.find("{"), text.rfind("}")
    for candidate in (text, text[max(start, 0) : end + 1]):
        data = _tried(json.loads, candidate)
        if isinstance(data, dict):
            return data
        if isinstance(data, list) and len(reply.model_fields) == 1:
            return {next(iter(reply.model_fields)): data}
    if start < 0:
        return None
    repaired = _tried(partial(repair_json, return_objects=True), text[start:])
    if isinstance(repaired, list):
        repaired = next((item for item in repaired if isinstance(item, dict)), None)
    return repaired if isinstance(repaired, dict) and repaired else None


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
        (items, getattr(value, key, items))
        for key, items in data.items()
        if isinstance(items, list)
    ]
    return sum(len(items) - len(kept) for items, kept in lists if isinstance(kept, list))
