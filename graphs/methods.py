"""One record for each method that answers questions; all lists of methods are made from them.

docs/extend.md shows how a method is added. Importing the records imports no graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field, create_model

from ..context import (
    AgentContext,
    BasicContext,
    CragContext,
    DeepragContext,
    GraphragContext,
    HopragContext,
    QuestionContext,
    Tog2Context,
)
from ..context import RouterContext as KnownSettings


class Method(NamedTuple):
    """A method: its graph is ``graph`` in ``graphs/NAME.py``.

    ``title`` is as in the paper. ``layers`` are the layers of the index that it needs besides
    passages. ``calls`` is the least number of model calls when the method begins, ``further`` when
    it goes on from findings. ``shown`` are the keys of its state that the page shows beside
    passages. ``description`` is one sentence on its way, ``suits`` tells what to choose it for.
    """

    name: str
    title: str
    context_type: type[QuestionContext]
    layers: tuple[str, ...]
    calls: int
    further: int
    shown: tuple[str, ...]
    description: str
    suits: str


# The router lists and draws them in this order, and begins with the first of the cheapest ones.
_RECORDS = (
    Method(
        name="basic",
        title="Basic",
        context_type=BasicContext,
        layers=(),
        calls=1,
        further=1,
        shown=(),
        description="Retrieves the nearest passages and answers from them: the cheapest method.",
        suits="one fact that one passage states",
    ),
    Method(
        name="crag",
        title="CRAG",
        context_type=CragContext,
        layers=(),
        calls=3,
        further=2,
        shown=("grades", "verdict", "queries"),
        description="Grades the passages found, keeps their useful sentences, and searches the web "
        "where they fail (if the operator allows it).",
        suits="facts that the index may not hold",
    ),
    Method(
        name="deeprag",
        title="DeepRAG",
        context_type=DeepragContext,
        layers=(),
        calls=3,
        further=1,
        shown=("steps", "pending", "tree"),
        description="Splits a question into sub-questions, looks each up, and combines their "
        "answers.",
        suits="comparisons, several parts or conditions",
    ),
    Method(
        name="hoprag",
        title="HopRAG",
        context_type=HopragContext,
        layers=("hops",),
        calls=2,
        further=2,
        shown=("hops",),
        description="Walks from passage to passage by the questions that they raise and answer.",
        suits="facts that stand in several texts",
    ),
    Method(
        name="tog2",
        title="ToG-2",
        context_type=Tog2Context,
        layers=("entities",),
        calls=3,
        further=2,
        shown=("topics", "paths"),
        description="Walks the relations of the question's entities, and reads the sentences that "
        "state them.",
        suits="how named things are related",
    ),
    Method(
        name="graphrag",
        title="GraphRAG",
        context_type=GraphragContext,
        layers=("entities", "communities"),
        calls=2,
        further=2,
        shown=("points", "communities", "look_ups"),
        description="Reads reports on communities of entities, each of which sums up its part.",
        suits="the whole of the documents, everything about one subject",
    ),
    Method(
        name="agent",
        title="Agent",
        context_type=AgentContext,
        layers=(),
        calls=1,
        further=1,
        shown=("actions",),
        description="Reads, and chooses tools to find what is missing, in turns: searches by "
        "meaning and exact words, entities, walks, reports.",
        suits="hard questions to a strong model",
    ),
)
METHODS = {method.name: method for method in _RECORDS}


def told_methods() -> list[dict[str, Any]]:
    """Name, title, description and shown keys of each method, as the page lists them."""
    return [
        {key: getattr(method, key) for key in ("name", "title", "description", "shown")}
        for method in METHODS.values()
    ]


def _router_context() -> Any:
    """Settings of the router and of all methods, and the names of the methods to choose from."""
    own = (method.context_type for method in METHODS.values())
    choice = KnownSettings.model_fields["method"]
    return create_model(
        "RouterContext",
        __base__=(KnownSettings, *(kind for kind in own if not issubclass(KnownSettings, kind))),
        __doc__=KnownSettings.__doc__,
        __module__=__name__,
        method=(MethodChoice, Field(choice.default, description=choice.description)),
    )


if TYPE_CHECKING:
    MethodName = str
    MethodChoice = str
    RouterContext = KnownSettings
else:
    MethodName = Literal[tuple(METHODS)]
    MethodChoice = Literal[("auto", *METHODS)]
    RouterContext = _router_context()
