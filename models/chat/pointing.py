"""The form of a reply that may point only at the sentences that its prompt shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...prompts.replies import POINTERS


def pointing_at(numbers: Sequence[str], schema: dict[str, Any]) -> dict[str, Any]:
    """The closed ``schema`` in which the list of sentences takes these ``numbers`` alone."""
    fields = schema["properties"]
    if not numbers or POINTERS not in fields:
        return schema
    each = {"type": "string", "enum": list(numbers)}
    return {**schema, "properties": {**fields, POINTERS: {**fields[POINTERS], "items": each}}}
