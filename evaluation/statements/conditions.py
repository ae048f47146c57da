"""Conditions as ways to answer with the settings of a plan."""

from __future__ import annotations

from collections.abc import Sequence

from ...graphs import graph_of
from ..answering import AnsweringPlan, Way, contexts_of
from ..conditions import Condition


def ways_of(conditions: Sequence[Condition], plan: AnsweringPlan) -> dict[str, Way]:
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
