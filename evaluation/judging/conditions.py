"""The conditions that a judge compares, as ways to answer over an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from ...context import GraphragContext, QuestionContext
from ...graphs import graph_of
from ...graphs.methods import METHODS
from ...index.communities import load_communities
from ...index.layers import built_layers
from ...index.opening import Index
from ...nodes.graphrag.global_search import map_contexts
from ..answering import Answerer, Way
from ..conditions import ConditionError, condition_of

_WITHOUT_LAYERS = {"text", "basic"}
_MOST_CALLS = 1000


def default_conditions(index: Index) -> list[str]:
    """The paper's conditions that ``index`` has the layers for. Blocks.

    The second level is left out where it is the same as the first.
    """
    levels = []
    if "communities" in built_layers(index):
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
        name, method, settings = condition_of(given)
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
        and context.search in ("text", "global")
    )


def _way(
    given: str, method: Answerer, settings: Mapping[str, Any], context: QuestionContext
) -> Way:
    _, kind = graph_of(method)
    for name in settings:
        if name not in kind.model_fields or name == "index":
            raise ConditionError(f"{name!r} in {given!r} is no setting of {method}; leave it out.")
    try:
        return Way(method, context.narrowed(kind, **settings))
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"])) or given
        raise ConditionError(
            f"{place} in {given!r} cannot be {problem['input']!r}: {problem['msg']}."
        ) from error


def _check_layers(name: str, way: Way, index: Index) -> None:
    needed = METHODS[way.method].layers if way.method in METHODS else ()
    if isinstance(way.context, GraphragContext) and way.context.search in _WITHOUT_LAYERS:
        needed = ()
    if missing := set(needed) - set(built_layers(index)):
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
