"""Settings as forms show them: groups for Studio, and fields for the Open Agent Platform."""

from __future__ import annotations

from typing import Any

from .prompts import with_prompts

# Constants of the papers, which few people change.
ADVANCED = frozenset(
    "upper lower strip_sentences strip_cut strips_kept as_printed alpha max_depth "
    "step_passages drift_depth drift_width max_cluster_size report_tokens".split()
)


def as_form(schema: dict[str, Any], kind: Any) -> None:
    """Adds to the JSON schema of a context the prompts, the groups, and the fields of forms."""
    with_prompts(schema, kind)
    for name, one in schema["properties"].items():
        if name in ADVANCED:
            one["group"] = "advanced"
        one["metadata"] = {"x_oap_ui_config": _field(one)}


def _field(one: dict[str, Any]) -> dict[str, Any]:
    """The field of a form for a property of a JSON schema."""
    plain = next((each for each in one.get("anyOf", [one]) if each.get("type") != "null"), one)
    field: dict[str, Any] = {"type": _kind(one, plain), "description": one.get("description", "")}
    if one.get("default") is not None:
        field["default"] = one["default"]
    if "enum" in plain:
        field["options"] = [{"label": value, "value": value} for value in plain["enum"]]
    bounds = {"min": "minimum", "max": "maximum"}
    return field | {name: plain[key] for name, key in bounds.items() if key in plain}


def _kind(one: dict[str, Any], plain: dict[str, Any]) -> str:
    if one.get("langgraph_type") == "prompt":
        return "textarea"
    if "enum" in plain:
        return "select"
    kinds = {"boolean": "boolean", "integer": "number", "number": "number", "string": "text"}
    return kinds.get(plain.get("type", ""), "json")
