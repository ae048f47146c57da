"""The settings of a run, out of any context that the run was given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from ..state.errors import RagraphsError
from ..state.own import Own
from .base import Context
from .indexing import IndexContext
from .prompts import names_of
from .questions import RouterContext

C = TypeVar("C", bound=Context)

OURS = "ragraphs"
_OBJECTS = Own.__dataclass_fields__.keys()
_PLAIN = (str, int, float, list, tuple, dict)


def settled(given: Any, context_type: type[C]) -> C:
    """The settings of a run as ``context_type``, out of any context that the run was given.

    A node of ours may run under a graph of another program, whose context LangGraph hands down as
    it is: None, a dictionary, or an object. Where it has something called ``ragraphs``, a context
    of ours or a dictionary, that alone is read, and its names are checked. Else the values that are
    called like settings of ours are taken, and all others left alone. Raises RagraphsError where
    one does not fit.
    """
    if given is None:
        return context_type()
    if isinstance(given, context_type):
        return given
    if isinstance(given, Context):
        return given.narrowed(context_type)
    ours = meant_for_us(given, context_type)
    if ours is not None:
        return ours
    names = context_type.model_fields.keys() - {"prompts"}  # which may well be the caller's own
    found = {name: _value(given, name) for name in names}
    fitting: dict[str, Any] = {
        name: value for name, value in found.items() if isinstance(value, _PLAIN)
    }
    try:
        return context_type(**fitting)
    except ValidationError as error:
        raise RagraphsError(
            f"The caller's context has a value that does not suit ragraphs ({_problem(error)}); "
            f"put the settings that are meant for ragraphs under {OURS!r} in it."
        ) from error


def meant_for_us(given: Any, context_type: type[C]) -> C | None:
    """The settings under ``ragraphs`` in the context of another program; None where it has none.

    Raises RagraphsError for a name that no setting of ours has, and for a value that does not fit.
    """
    ours = _value(given, OURS)
    if ours is None or callable(ours):
        return None
    if isinstance(ours, Context):
        return ours.narrowed(context_type)
    if not isinstance(ours, Mapping):
        raise RagraphsError(
            f"{OURS!r} in the caller's context must be a dictionary of settings, or a context such "
            f"as {context_type.__name__}(index='notes'), not {type(ours).__name__}."
        )
    return named(ours, context_type)


def named(given: Mapping[str, Any], context_type: type[C]) -> C:
    """The settings ``given`` by name. Settings of other graphs of ours are left out.

    Raises RagraphsError for a name that no setting of ours has, and for a value that does not fit.
    """
    fields = names_of(context_type)
    known = fields | names_of(RouterContext) | names_of(IndexContext)
    for name in given:
        if name not in known:
            raise RagraphsError(unknown(str(name), context_type))
    try:
        return context_type(**{name: value for name, value in given.items() if name in fields})
    except ValidationError as error:
        raise RagraphsError(f"A setting cannot be used: {_problem(error)}.") from error


def unknown(name: str, context_type: type[Context]) -> str:
    """One sentence on a setting that there is not, with the name that may have been meant."""
    from difflib import get_close_matches

    if name in _OBJECTS:
        return f"{name!r} is no setting but an object: hand it over by ragraphs.build or using()."
    near = get_close_matches(name, names_of(context_type), n=1, cutoff=0.5)
    known = (
        f"did you mean {near[0]!r}?"
        if near
        else f"there are: {', '.join(sorted(context_type.model_fields))}."
    )
    return f"There is no setting {name!r}; {known}"


def _value(given: Any, name: str) -> Any:
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


def _problem(error: ValidationError) -> str:
    problem = error.errors()[0]
    place = ".".join(map(str, problem["loc"])) or "context"
    return f"{place}: {problem['msg'].removeprefix('Value error, ').rstrip('.')}"
