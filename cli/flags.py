"""Flags of the command line, made from the fields of a context."""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import typer
from annotated_types import Ge, Gt, Le
from pydantic import ValidationError
from pydantic.fields import FieldInfo
from rich.markup import escape
from typer.core import TyperGroup

from ..context import Context
from ..context.form import ADVANCED
from ..state.errors import RagraphsError, plain_problem
from ..state.filters import parse_where
from .operating import operate
from .show import print_json

T = TypeVar("T")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
_FILTER = (
    "Read only passages with such metadata: author=Ada, year>=1990, tag=a,b (either), "
    "path=minutes/** (a folder). Several must all hold."
)
Shown = tuple[Any, Callable[[Any], None]]

INDEX_ONLY = frozenset({"index"})
# The flags that most people want, in this order; --help-all shows the others, by subject.
_FIRST = ("index", "model", "method", "where", "layers", "embeddings", "max_calls", "max_cost",
          "dry_run")  # fmt: skip
_SUBJECTS = {
    "Model": "temperature timeout max_seconds max_retries concurrency small_model",
    "Cost": "max_tokens prices",
    "Retrieval": "retriever top_k rerank rerank_candidates",
    "Router": "escalations",
    "Passages": "chunk_tokens chunk_overlap",
    "Entities": "entity_types examples claims gleanings",
    "Upkeep": "refresh repair purge",
}
_HELP_ALL = "help_all"
_PANELS = {name: subject for subject, names in _SUBJECTS.items() for name in names.split()}


class WrongUsageError(RagraphsError):
    """Flags that are each of the right form do not go together."""

    exit_code = 2


def context_options(
    context_type: type[Context], only: Collection[str] | None = None, without: Collection[str] = ()
) -> Callable[[Callable[..., Any]], Any]:
    """Gives a command a flag for fields of ``context_type``, and the context they make.

    A command that never reads some fields names the ``only`` ones it reads, or those it goes
    ``without``.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        own = [
            parameter
            for parameter in inspect.signature(command, eval_str=True).parameters.values()
            if parameter.name != "context"
        ]
        names = context_type.model_fields if only is None else only
        left = {*without, "prompts"}  # which are longer than a flag
        read = [name for name in context_type.model_fields if name in names and name not in left]
        first = [_flag(name, context_type) for name in _FIRST if name in read]
        others = [_flag(name, context_type) for name in read if name not in _FIRST]
        flags = [*first, *others]

        @functools.wraps(command)
        def run(*, verbose: int = 0, prices: Path | None = None, **given: Any) -> Any:
            operate(verbose=verbose, prices=prices)
            given.pop(_HELP_ALL, None)
            chosen = {flag.name: given.pop(flag.name, None) for flag in flags}
            options = {name: value for name, value in chosen.items() if value is not None}
            if texts := options.pop("where", None):
                options["where"] = _filter(texts)
            return command(**given, context=parsed(lambda: context_type(**options)))

        operating = list(inspect.signature(operate, eval_str=True).parameters.values())
        keyword = inspect.Parameter.KEYWORD_ONLY
        more = inspect.Parameter(_HELP_ALL, keyword, default=False, annotation=_HelpAll)
        parameters = [*first, *own, *others, *operating, more]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
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
    flag = "--" + name.replace("_", "-")
    owner = _owner(name, context_type)
    option = typer.Option(
        f"{flag}/--no-{flag[2:]}" if kind is bool and field.default is True else flag,
        help=escape(_FILTER if is_filter else _help(field, kind)),
        metavar=_metavar(field, kind),
        show_default=False,
        rich_help_panel=None if name in _FIRST else _PANELS.get(name, _panel(owner, name)),
        hidden=name not in _FIRST,
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


def _help(field: FieldInfo, kind: Any) -> str:
    """The description of a field, the values that it may have, and its default."""
    default = _default(field)
    shown = ", ".join(default) if isinstance(default, list) else str(default)
    is_told = kind is not bool and default not in (None, "", [])
    return " ".join(
        [
            str(field.description),
            *([f"One of: {', '.join(get_args(kind))}."] if get_origin(kind) is Literal else []),
            *([f"[{shown}]"] if is_told else []),
        ]
    )


def _metavar(field: FieldInfo, kind: Any) -> str | None:
    """The form of a value: its bounds where it has two, which are checked with the context."""
    bounds = {type(bound): bound for bound in field.metadata}
    least, above, most = bounds.get(Ge), bounds.get(Gt), bounds.get(Le)
    if kind is bool:
        return None
    if kind not in (int, float):
        return "NAME" if get_origin(kind) is Literal else "TEXT"
    lower = least.ge if least else above.gt if above else None
    if lower is None or most is None:
        return "N"
    return f"{lower:g}–{most.le:g}"


def _owner(name: str, context_type: type[Context]) -> type[Context]:
    """The most general context that has the field."""
    contexts = (one for one in reversed(context_type.__mro__) if issubclass(one, Context))
    return next(one for one in contexts if name in one.model_fields)


def _panel(owner: type[Context], name: str) -> str:
    settings = str(owner.__doc__).splitlines()[0].rstrip(".")
    return f"Advanced {settings[0].lower()}{settings[1:]}" if name in ADVANCED else settings


def _show_all(ctx: typer.Context, asked: bool) -> None:
    """Shows the help with the flags that are hidden otherwise."""
    if asked:
        for parameter in ctx.command.params:
            parameter.hidden = False  # type: ignore[attr-defined]
        print(ctx.get_help(), end="")
        raise typer.Exit


_HelpAll = Annotated[
    bool,
    typer.Option(
        "--help-all", is_eager=True, callback=_show_all, help="Show every flag, and exit."
    ),
]


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


def parsed(make: Callable[[], T]) -> T:
    """The context that ``make`` makes of flags. Raises WrongUsageError, which names the flag."""
    try:
        return make()
    except ValidationError as error:
        problem = error.errors()[0]
        field = next(iter(problem["loc"]), None)
        said = plain_problem(problem["msg"])
        if problem["type"] == "literal_error":
            said = f"{problem['input']!r} is not one of {problem['ctx']['expected']}"
        name = "" if field is None else f"--{str(field).replace('_', '-')}: "
        raise WrongUsageError(f"{name}{said}.") from error


class Commands(TyperGroup):
    """Commands whose help gives no type to flags that take no value.

    app = typer.Typer(cls=Commands)
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters of the group itself."""
        return _without_types(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The name, the command and its arguments: where none is a flag, no hidden one is read."""
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            _without_types(command.get_params(ctx))
            if not any(one.startswith("-") for one in rest):
                command.params = [one for one in command.params if not vars(one).get("hidden")]
        return name, command, rest


def _without_types(parameters: list[Any]) -> list[Any]:
    for one in parameters:
        if getattr(one, "is_flag", False) or getattr(one, "count", False):
            one.metavar = ""
    return parameters


_INVALID = re.compile(r"Invalid value(?: for '([^']+)'.*?)?: (.*)", re.DOTALL)


def usage_sentence(error: typer.TyperException) -> str:
    """One sentence on wrong usage: the problem, and the help to read where no value is named."""
    said = error.format_message()
    if found := _INVALID.fullmatch(said):
        name = f"{found[1]}: " if found[1] else ""
        return f"{name}{plain_problem(found[2])}."
    if extra := re.fullmatch(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", said):
        said = f"The words {extra[1]!r} are too many: put a text of several words in quotes"
    context = getattr(error, "ctx", None)
    place = context.command_path if context is not None else "ragraphs"
    see = " See" if said.endswith("?") else "; see"
    return f"{said.rstrip('.')}{see}: {place} --help" if said else ""
