"""Prompts in words of the caller's own: for each, a setting that Studio shows at its node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

_LONGEST = 20_000
_ENDING = "_prompt"


class PromptField(NamedTuple):
    """A prompt that can be written anew: the ``nodes`` that ask it, and its built-in ``text``."""

    nodes: tuple[str, ...]
    text: str


# Filled by the rooms above, which know the nodes and the prompts.
_OFFERED: dict[str, dict[str, PromptField]] = {}


def offer(context: str, fields: Mapping[str, PromptField]) -> None:
    """Lets callers write the prompts ``fields`` anew in the context class of this name."""
    _OFFERED[context] = dict(fields)


def names_of(kind: Any) -> frozenset[str]:
    """The names of all settings of a context class, its prompts among them."""
    offered = (f"{name}{_ENDING}" for name in _offered(kind))
    return frozenset((*kind.model_fields, *offered))


def gathered(given: Any) -> Any:
    """``given`` with its settings ``NAME_prompt`` as the ``prompts`` of these names."""
    if not isinstance(given, Mapping):
        return given
    known = {name for fields in _OFFERED.values() for name in fields}
    own = {k: v for k, v in given.items() if k.endswith(_ENDING) and k[: -len(_ENDING)] in known}
    if not own:
        return given
    rest = {name: value for name, value in given.items() if name not in own}
    texts = {name[: -len(_ENDING)]: value for name, value in own.items()}
    return {**rest, "prompts": {**(rest.get("prompts") or {}), **texts}}


def checked(prompts: dict[str, str]) -> dict[str, str]:
    """``prompts`` without those in their built-in words. Raises ValueError for one of no use."""
    known = {name: one.text for fields in _OFFERED.values() for name, one in fields.items()}
    for name, text in prompts.items():
        if known and name not in known:
            raise ValueError(f"there is no prompt {name[:50]!r}; there are: {', '.join(known)}")
        if not text.strip():
            raise ValueError(f"the prompt {name} is empty; leave it out for the built-in one")
        if len(text) > _LONGEST:
            raise ValueError(f"the prompt {name} is longer than {_LONGEST:,} characters")
    return {name: text for name, text in prompts.items() if text.strip() != known.get(name)}


def with_prompts(schema: dict[str, Any], kind: Any) -> None:
    """Puts a property for each prompt into a JSON schema, as Studio edits them at their nodes."""
    properties = schema["properties"]
    properties.pop("prompts", None)
    for name, (nodes, text) in _offered(kind).items():
        properties[f"{name}{_ENDING}"] = {
            "type": "string",
            "title": f"Prompt {name.replace('_', ' ')}",
            "description": f"What the model is told before it is asked ({', '.join(nodes)}).",
            "default": text,
            "maxLength": _LONGEST,
            "group": "prompts",
            "langgraph_nodes": list(nodes),
            "langgraph_type": "prompt",
        }


def _offered(kind: Any) -> dict[str, PromptField]:
    """Prompts of the class, or of the next one above it that has any."""
    return next((_OFFERED[one.__name__] for one in kind.__mro__ if one.__name__ in _OFFERED), {})
