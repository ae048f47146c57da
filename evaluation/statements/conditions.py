"""Conditions that are compared: a method, for GraphRAG with the kind of search and the level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast, get_args

from ...context import MethodName, SearchName
from ...graphs import graph_of
from ...state.errors import RagraphsError
from ..answering import Plan, Way, contexts_of


class Condition(NamedTuple):
    """A method under the name by which results show it, with settings of its own."""

    name: str
    method: MethodName
    settings: Mapping[str, str]


def condition_of(text: str, search: str = "local") -> Condition:
    """The condition METHOD, or graphrag:SEARCH[:LEVEL]; ``search`` is meant where none is named.

    Raises RagraphsError.
    """
    method, _, rest = text.partition(":")
    if method not in get_args(MethodName):
        known = ", ".join(get_args(MethodName))
        raise RagraphsError(f"{method!r} is no method; choose from {known}.")
    chosen, _, level = rest.partition(":")
    if method != "graphrag" and rest:
        raise RagraphsError(f"{text!r}: {method} has no kinds of search; name {method} alone.")
    if rest and chosen not in get_args(SearchName):
        kinds = ", ".join(get_args(SearchName))
        raise RagraphsError(f"{text!r}: {chosen!r} is no search of graphrag; choose from {kinds}.")
    if level and not level.isdecimal():
        raise RagraphsError(f"{text!r}: the level must be a number, such as graphrag:global:1.")
    settings = {"search": chosen or search} if method == "graphrag" else {}
    return Condition(text, cast(MethodName, method), settings | ({"level": level} if level else {}))


def ways_of(conditions: Sequence[Condition], plan: Plan) -> dict[str, Way]:
    """Each condition by name, with the settings of ``plan`` and its own, which go first.

    Raises RagraphsError for a setting that no method has.
    """
    contexts_of(plan._replace(methods=[one.method for one in conditions]))
    ways = {}
    for name, method, own in conditions:
        fields = graph_of(method)[1].model_fields
        shared = {field: value for field, value in plan.settings.items() if field in fields}
        alone = plan._replace(methods=[method], settings={**shared, **own})
        ways[name] = Way(method, contexts_of(alone)[method])
    return ways
