"""Conditions: the ways to answer that are compared, by the names that a person gives them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from pydantic import ValidationError

from ...algorithms.router.decision import NEEDS
from ...context import GraphragContext, MethodName, QuestionContext, SearchName
from ...graphs import graph_of
from ...index.communities import load_communities
from ...index.layers import layers_of
from ...index.opening import Index
from ...nodes.graphrag.global_search import map_contexts
from ...state.errors import RagraphsError
from ..answering import Answerer, Way

_SHORT = {"text": "graphrag:text", "ss": "graphrag:basic"}
_LEVEL = re.compile(r"C(\d+)", re.IGNORECASE)
_WITHOUT_LAYERS = {"text", "basic"}
_MOST_CALLS = 1000
_FORM = (
    "a condition is METHOD, METHOD:NAME=VALUE such as hoprag:top_k=5, graphrag:global:0 (C0), "
    "graphrag:text (text), graphrag:basic (ss), graphrag:local or graphrag:drift, and METHOD is "
    f"one of router, {', '.join(get_args(MethodName))}"
)


class ConditionError(RagraphsError):
    """A condition that cannot be asked."""

    exit_code = 2


def default_conditions(index: Index) -> list[str]:
    """The paper's conditions that ``index`` has the layers for. Blocks.

    The second level is left out where it is the same as the first.
    """
    levels = []
    if "communities" in layers_of(index):
        view = load_communities(index)
        levels = ["C0"] if view.at(0) == view.at(1) else ["C0", "C1"]
    return [*levels, "text", "ss"]


def ways_of(names: Sequence[str], context: QuestionContext, index: Index) -> dict[str, Way]:
    """The way to answer that each name means, with the settings of ``context``. Blocks.

    A condition that reads all reports or texts gets as many requests as that takes, unless
    ``context`` limits them. Raises ConditionError.
    """
    ways: dict[str, Way] = {}
    for given in names:
        name, method, settings = _parsed(given.strip())
        way = _way(given, method, settings, context)
        _check_layers(name, way, index)
        if same := next((known for known, other in ways.items() if other == way), None):
            raise ConditionError(f"{given} is the same condition as {same}; name each once.")
        ways[name] = way
    if len(ways) < 2:
        raise ConditionError("A comparison needs two conditions; name them by --condition.")
    return {name: _with_requests(way, context, index) for name, way in ways.items()}


def reads_all(way: Way) -> bool:
    """Whether every report of a level, or every passage, is read for each question."""
    context = way.context
    return (
        isinstance(context, GraphragContext)
        and way.method == "graphrag"
        and (context.search == "text" or (context.search == "global" and not context.dynamic))
    )


def _parsed(given: str) -> tuple[str, str, dict[str, str]]:
    """The name that a condition is shown by, its method and its settings."""
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
    return _shown(method, settings) or given, method, settings


def _shown(method: str, settings: Mapping[str, str]) -> str:
    """The short name of one of the paper's conditions; else empty."""
    if method != "graphrag":
        return ""
    if settings.keys() == {"search", "level"} and settings["search"] == "global":
        return f"C{int(settings['level'])}"
    searches = {"graphrag:text": "text", "graphrag:basic": "ss"}
    only = settings.keys() == {"search"}
    return searches.get(f"graphrag:{settings['search']}", "") if only else ""


def _way(given: str, method: str, settings: dict[str, Any], context: QuestionContext) -> Way:
    if method not in ("router", *get_args(MethodName)):
        raise ConditionError(f"{given!r} is no condition: {_FORM}.")
    answerer = cast(Answerer, method)
    _, kind = graph_of(answerer)
    for name in settings:
        if name not in kind.model_fields or name == "index":
            raise ConditionError(f"{name!r} in {given!r} is no setting of {method}; leave it out.")
    try:
        return Way(answerer, context.narrowed(kind, **settings))
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"])) or given
        raise ConditionError(
            f"{place} in {given!r} cannot be {problem['input']!r}: {problem['msg']}."
        ) from error


def _check_layers(name: str, way: Way, index: Index) -> None:
    needed = NEEDS[way.method].layers if way.method in NEEDS else ()
    if isinstance(way.context, GraphragContext) and way.context.search in _WITHOUT_LAYERS:
        needed = ()
    if missing := set(needed) - set(layers_of(index)):
        raise ConditionError(
            f"{name} needs what the index does not have; build it with: ragraphs index --layers "
            f"{','.join(sorted(missing))} --index {index.name}"
        )


def _with_requests(way: Way, context: QuestionContext, index: Index) -> Way:
    """``way`` with requests for all that it reads: in any order twice the contexts will do."""
    if not reads_all(way) or "max_calls" in way.context.model_fields_set:
        return way
    assert isinstance(way.context, GraphragContext)
    needed = 2 * len(map_contexts(index, way.context)) + 1
    most = min(_MOST_CALLS, max(needed, way.context.max_calls))
    return way._replace(context=way.context.model_copy(update={"max_calls": most}))
