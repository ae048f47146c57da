"""The form of a reply that may point only at the sentences that its prompt shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...prompts.replies import POINTERS


def pointing_at(numbers: Sequence[str], schema: dict[str, Any]) -> dict[str, Any]:
    """The bounded ``schema`` whose list of sentences takes these ``numbers``, no more than all."""
    fields = schema["properties"]
    if not numbers or POINTERS not in fields:
        return schema
    pointers = {
        **fields[POINTERS],
        "items": {"type": "string", "enum": list(numbers)},
        "maxItems": min(fields[POINTERS]["maxItems"], len(numbers)),
    }
    return {**schema, "properties": {**fields, POINTERS: pointers}}
