"""Conditions: the ways to answer that are compared, by the names that a person gives them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, get_args

from ..context import SearchName
from ..graphs.methods import METHODS
from ..state.errors import RagraphsError
from .answering import Answerer, AnsweringPlan, Way, contexts_of, way_of

_SHORT = {"text": "graphrag:text", "ss": "graphrag:basic"}
_LEVEL = re.compile(r"C(\d+)", re.IGNORECASE)
_FORM = (
    "a condition is METHOD, METHOD:NAME=VALUE such as hoprag:top_k=5, graphrag:global:0 (C0), "
    "graphrag:text (text), graphrag:basic (ss), graphrag:local or graphrag:drift, and METHOD is "
    f"one of router, {', '.join(METHODS)}"
)


class ConditionError(RagraphsError):
    """A condition that cannot be asked."""

    exit_code = 2


class Condition(NamedTuple):
    """A method, or the router, under the name that results show, with settings of its own."""

    name: str
    method: Answerer
    settings: Mapping[str, str]


def condition_of(given: str, search: SearchName | None = None) -> Condition:
    """The condition of that name, short or long. Raises ConditionError.

    GraphRAG searches in the way ``search`` where ``given`` does not say how.
    """
    given = given.strip()
    head, _, rest = given.partition(":")
    level = _LEVEL.fullmatch(head)
    long = f"graphrag:global:{int(level[1])}" if level else _SHORT.get(head.casefold(), head)
    method, *parts = [*long.split(":"), *filter(None, rest.split(":"))]
    settings: dict[str, str] = {}
    for part in parts:
        name, is_setting, value = part.partition("=")
        if is_setting:
            settings[name] = value
        elif method == "graphrag" and part in get_args(SearchName):
            settings["search"] = part
        elif method == "graphrag" and part.isdecimal() and settings.get("search") == "global":
            settings["level"] = part
        else:
            raise ConditionError(f"{given!r} is no condition: {_FORM}.")
    if method not in ("router", *METHODS):
        raise ConditionError(f"{given!r} is no condition: {_FORM}.")
    name = _shown(method, settings) or given
    if method == "graphrag" and search is not None:
        settings.setdefault("search", search)
    return Condition(name, method, settings)


def ways_of(conditions: Sequence[Condition], plan: AnsweringPlan) -> dict[str, Way]:
    """Each condition by name, with the settings of ``plan`` and its own, which go first.

    Raises RagraphsError for a setting that no method has.
    """
    contexts_of(plan._replace(methods=[one.method for one in conditions]))
    return {name: way_of(method, plan, own) for name, method, own in conditions}


def _shown(method: str, settings: Mapping[str, str]) -> str:
    """The short name of one of the paper's conditions; else empty."""
    if method != "graphrag":
        return ""
    if settings.keys() == {"search", "level"} and settings["search"] == "global":
        return f"C{int(settings['level'])}"
    searches = {"graphrag:text": "text", "graphrag:basic": "ss"}
    only = settings.keys() == {"search"}
    return searches.get(f"graphrag:{settings['search']}", "") if only else ""
