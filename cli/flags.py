"""Flags of the command line, made from the fields of a context."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import typer
from annotated_types import Ge, Gt, Le
from pydantic import ValidationError
from pydantic.fields import FieldInfo
from rich.markup import escape

from ..context import Context, QuestionContext
from ..state.errors import RagraphsError
from ..state.filters import parse_where
from .operating import operate
from .show import print_json

C = TypeVar("C", bound=Context)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
_FILTER = (
    "Read only passages with such metadata: author=Ada, year>=1990, tag=a,b (any of these), "
    "author!=Ada. May be given several times; all must hold."
)
Shown = tuple[Any, Callable[[Any], None]]


class WrongUsageError(RagraphsError):
    """Flags that are each of the right form do not go together."""

    exit_code = 2


def context_options(context_type: type[Context]) -> Callable[[Callable[..., Any]], Any]:
    """Gives a command one flag for every field of ``context_type``, and the context they make."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        own = [
            parameter
            for parameter in inspect.signature(command, eval_str=True).parameters.values()
            if parameter.name != "context"
        ]
        flags = [_flag(name, context_type) for name in context_type.model_fields]

        @functools.wraps(command)
        def run(*, verbose: int = 0, prices: Path | None = None, **given: Any) -> Any:
            operate(verbose=verbose, prices=prices)
            chosen = {flag.name: given.pop(flag.name) for flag in flags}
            options = {name: value for name, value in chosen.items() if value is not None}
            if texts := options.pop("where", None):
                options["where"] = _filter(texts)
            return command(**given, context=parsed(lambda: context_type(**options)))

        operating = list(inspect.signature(operate, eval_str=True).parameters.values())
        run.__signature__ = inspect.Signature([*own, *flags, *operating])  # type: ignore[attr-defined]
        return run

    return decorate


def shown(command: Callable[..., Shown]) -> Callable[..., None]:
    """Gives ``--json`` to a command that returns its result and the function that prints it."""

    @functools.wraps(command)
    def run(*, as_json: bool, **given: Any) -> None:
        result, show = command(**given)
        print_json(result) if as_json else show(result)

    signature = inspect.signature(command, eval_str=True)
    flag = inspect.Parameter(
        "as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json
    )
    parameters = [*signature.parameters.values(), flag]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run


def _flag(name: str, context_type: type[Context]) -> inspect.Parameter:
    field = context_type.model_fields[name]
    kind = field.annotation
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(option for option in get_args(kind) if option is not type(None))
    if get_origin(kind) is list:
        kind = str
    is_filter = get_origin(kind) is dict
    kind = list[str] if is_filter else kind
    bounds = {type(bound): bound for bound in field.metadata}
    at_least, above, at_most = bounds.get(Ge), bounds.get(Gt), bounds.get(Le)
    default = _default(field)
    shown = ",".join(default) if isinstance(default, list) else str(default)
    flag = "--" + name.replace("_", "-")
    owner = _owner(name, context_type)
    description = _FILTER if is_filter else field.description
    option = typer.Option(
        f"{flag}/--no-{flag[2:]}" if kind is bool else flag,
        help=escape(f"{description}" + ("" if default is None else f" [{shown}]")),
        min=at_least.ge if at_least else above.gt if above else None,
        max=at_most.le if at_most else None,
        show_default=False,
        rich_help_panel=_panel(owner),
        hidden=owner not in (Context, QuestionContext, context_type),
        is_eager=name == "method",  # so that it is known when --help is shown
        callback=_reveal if name == "method" else None,
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, option],  # type: ignore[operator]
    )


def _filter(texts: list[str]) -> dict[str, Any]:
    try:
        return parse_where(texts)
    except RagraphsError as error:
        raise WrongUsageError(str(error)) from error


def _owner(name: str, context_type: type[Context]) -> type[Context]:
    """The most general context that has the field."""
    contexts = (one for one in reversed(context_type.__mro__) if issubclass(one, Context))
    return next(one for one in contexts if name in one.model_fields)


def _panel(owner: type[Context]) -> str:
    return str(owner.__doc__).splitlines()[0].rstrip(".")


def _reveal(ctx: typer.Context, method: str | None) -> str | None:
    """Shows in the help the settings of the chosen method, which are hidden otherwise."""
    for parameter in ctx.command.params:
        panel = getattr(parameter, "rich_help_panel", None) or ""
        if method and f" {method} " in panel:
            parameter.hidden = False  # type: ignore[attr-defined]
    return method


def _default(field: FieldInfo) -> Any:
    try:
        return field.get_default(call_default_factory=True, validated_data={})
    except RagraphsError:  # of the operator's settings, to be told when a command needs them
        return None


def parsed(make: Callable[[], C]) -> C:
    """The context that ``make`` makes of flags. Raises WrongUsageError, which names the flag."""
    try:
        return make()
    except ValidationError as error:
        problem = error.errors()[0]
        field = next(iter(problem["loc"]), None)
        name = "the options" if field is None else "--" + str(field).replace("_", "-")
        said = problem["msg"]
        if problem["type"] == "literal_error":
            said = f"{problem['input']!r} is not one of {problem['ctx']['expected']}"
        raise WrongUsageError(f"{name}: {said}.") from error
