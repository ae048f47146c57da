"""Writes the page of all settings: ``python docs/scripts/settings_page.py docs/settings.md``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from ragraphs import context
from ragraphs.graphs.methods import METHODS, Method, RouterContext
from ragraphs.settings import Settings

_INTRODUCTION = """\
# Settings

This page is made from the code, by `make docs`.

A *context* holds the settings of a caller: of a run of a graph, or of a command. The setting \
`top_k` is `context={"top_k": 5}` in Python and over HTTP, and `--top-k 5` on the command line. A \
setting that the graph does not have is refused. The settings of the [operator](#the-operator) \
come from the environment, or from a file `.env` in the working folder, and no caller can change \
them.
"""
_OPERATOR = """\
Whatever could reach another machine, another folder or a key is the operator's alone. With \
`RAGRAPHS_ROOT`, indexes are plain names below it, links out of it are not followed, and a run of \
the index may take at most 100,000,000 bytes, 20,000 documents and 100,000 new passages unless the \
operator sets other numbers. A larger run is refused before it begins. An address in `.env` \
receives only a key from the same file.
"""


def _see(method: Method) -> str:
    page = f"methods/{method.name}.md"
    is_written = Path(__file__).parents[1].joinpath(page).exists()
    return f"See [{method.title}]({page})." if is_written else ""


_GROUPS: tuple[tuple[str, type[BaseModel], type[BaseModel] | None, str], ...] = (
    ("All graphs", context.Context, None, ""),
    ("All questions", context.QuestionContext, context.Context, ""),
    ("index", context.IndexContext, context.Context, "See [Layers](layers.md)."),
    *(
        (one.name, one.context_type, context.QuestionContext, _see(one))
        for one in METHODS.values()
        if one.context_type is not context.BasicContext
    ),
)


def settings_page() -> str:
    """The page in Markdown: a table for each graph's own settings, and one for the operator's."""
    sections = [
        f"## {title}\n\n{note}\n\n{_table(_own(fields, base))}".replace("\n\n\n\n", "\n\n")
        for title, fields, base, note in _GROUPS
    ]
    methods = [fields for _, fields, base, _ in _GROUPS if base is context.QuestionContext]
    routing = _properties(RouterContext)
    shared: list[type[BaseModel]] = [context.QuestionContext]
    for known in shared + methods:
        routing = {name: value for name, value in routing.items() if name not in _properties(known)}
    router = (
        "See [Router](methods/router.md). The router also has the settings of every method.\n\n"
    )
    sections.append(f"## router\n\n{router}{_table(routing)}")
    sections.append(f"## The operator\n\n{_OPERATOR}\n{_operator_table()}")
    return "\n".join([_INTRODUCTION, *sections])


def _properties(fields: type[BaseModel]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = fields.model_json_schema()["properties"]
    return found


def _own(fields: type[BaseModel], base: type[BaseModel] | None) -> Mapping[str, Any]:
    """The settings that ``base`` has not, or has with another default."""
    inherited = _properties(base) if base else {}
    return {name: one for name, one in _properties(fields).items() if inherited.get(name) != one}


def _table(properties: Mapping[str, Any]) -> str:
    """A table of the settings, and one more of those that are advanced."""
    advanced = {n: one for n, one in properties.items() if one.get("group") == "advanced"}
    prompts = {n: one for n, one in properties.items() if one.get("group") == "prompts"}
    usual = {n: one for n, one in properties.items() if n not in {**advanced, **prompts}}
    told = f"\nAdvanced, constants of the paper:\n\n{_rows(advanced)}" if advanced else ""
    asked = ", ".join(f"`{n}` ({', '.join(one['langgraph_nodes'])})" for n, one in prompts.items())
    told += f"\nPrompts, and the nodes that ask them: {asked}.\n" if prompts else ""
    return f"{_rows(usual) if usual else ''}{told}"


def _rows(properties: Mapping[str, Any]) -> str:
    rows = [
        f"| `{name}` | {_values(one)} | {_default(_default_of(name, one))} | {one['description']} |"
        for name, one in properties.items()
    ]
    return "\n".join(["| setting | values | default | meaning |", "|---|---|---|---|", *rows, ""])


def _values(schema: Mapping[str, Any]) -> str:
    """The allowed values in words: a choice, or a kind with its bounds."""
    if "anyOf" in schema:
        kinds = [_values(one) for one in schema["anyOf"] if one.get("type") != "null"]
        return " or ".join(kinds)
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"any of {_values(schema['items'])}" if "enum" in schema["items"] else "list of text"
    kind = {"string": "text", "integer": "whole number", "boolean": "true or false"}.get(
        schema.get("type", ""), str(schema.get("type", "any"))
    )
    return " ".join([kind, *_bounds(schema)])


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    least, most = schema.get("minimum"), schema.get("maximum")
    if "exclusiveMinimum" in schema:
        yield f"above {schema['exclusiveMinimum']:g}"
    if least is not None and most is not None:
        yield f"{least:,} to {most:,}"
    elif least is not None:
        yield f"from {least:,}"
    elif most is not None:
        yield f"up to {most:,}"


def _default_of(name: str, schema: Mapping[str, Any]) -> object:
    """A setting's default, and not the value that this machine's operator has chosen."""
    operators = Settings.model_fields.get(name)
    return operators.default if operators and operators.default else schema.get("default")


def _default(value: object) -> str:
    return "–" if value in (None, "", []) else f"`{json.dumps(value)}`"


def _operator_table() -> str:
    fields = Settings.model_fields
    schemas = Settings.model_json_schema(by_alias=False)["properties"]
    rows = [
        f"| `{field.validation_alias or f'RAGRAPHS_{name.upper()}'}` "
        f"| {_default(schemas[name].get('default'))} | {field.description or ''} |"
        for name, field in fields.items()
    ]
    return "\n".join(["| variable | default | meaning |", "|---|---|---|", *rows, ""])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(settings_page(), encoding="utf-8")
