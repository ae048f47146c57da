"""The command `ragraphs index`: passages first, then all else that costs nothing but time."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..context import IndexContext, LayerName
from ..models.protocol import OFFLINE
from ..settings import settings
from ..state.errors import IndexNotFoundError, RagraphsError
from ..state.usage import add_usage
from . import show
from .flags import Json, WrongUsageError, context_options
from .operating import Cluster, Wait, Workers, operate_on
from .running import opened, run_index
from .watching import Changes, bring_up_to_date, folders_to_follow

if TYPE_CHECKING:
    from ..models.embeddings import Embedder
    from ..state.index import Failure, IndexInput
    from ..stores.catalogue import FailureRow

_SLOW_REPLY = 10.0  # seconds of a small model on an own machine
_MOST_SECONDS = 600.0  # of work that nobody has asked for
_TOLD_SECONDS = 10.0
_WORDS = 200  # of a passage whose documents are not read yet
# What a layer embeds, in texts of all passages.
_EMBEDDED = {"passages": 1.0, "sentences": 1.0, "hops": 0.4, "entities": 0.4, "communities": 0.2}

_Triples = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        hidden=True,
        help="File .jsonl of entities and triples found elsewhere; may be repeated.",
    ),
]


@context_options(IndexContext)
def index(
    *,
    sources: Annotated[
        list[str] | None, typer.Argument(help="Files, folders or globs; none: finish the index.")
    ] = None,
    triples: _Triples = None,
    on: Cluster = None,
    workers: Workers = None,
    wait: Wait = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Follow the folders, and read what changes, until Ctrl-C."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before costs.")] = False,
    as_json: Json = False,
    context: IndexContext,
) -> None:
    """Add documents to an index, or bring it up to date; unchanged ones cost nothing."""
    operate_on(on, workers)
    given: IndexInput = {"sources": sources or [], "triples": triples or []}
    how = _How(yes=yes, as_json=as_json, waits=wait or watch)
    if watch:
        _watch(given, context, how)
    elif not _index(given, context, how):
        raise typer.Exit(1)


class _How(NamedTuple):
    """How a run is made and shown: whether costs are agreed to, and it waits its turn."""

    yes: bool
    as_json: bool
    waits: bool


def _watch(given: IndexInput, context: IndexContext, how: _How) -> None:
    """Brings the index up to date, and again after every change, until Ctrl-C."""
    if how.as_json or context.dry_run or context.repair or context.purge:
        raise WrongUsageError("--watch goes on until Ctrl-C; leave --json, --dry-run, --repair and "
                              "--purge out.")  # fmt: skip
    again = context.model_copy(update={"layers": ["passages"]})

    def run() -> None:
        started = time.monotonic()
        known = _known_failures(context)
        result = run_index(given, again, quiet=False, waits=True)
        if any(result[key] for key in ("added", "updated", "removed")) or any(
            failure not in known for failure in result["failures"]
        ):
            show.indexing(result, time.monotonic() - started, known)

    folders = folders_to_follow(given["sources"])
    try:
        with Changes(folders, context.folder).followed() as changes:
            _index(given, context, how)
            show.sentence("It is kept up to date with the folders; Ctrl-C ends this.")
            bring_up_to_date(changes, changes, run)
    except KeyboardInterrupt:
        show.sentence("The folders are followed no more; the same command goes on from here.")


def _index(given: IndexInput, context: IndexContext, how: _How) -> bool:
    """Brings the index up to date, and shows the outcome; whether all could be read."""
    chosen = "layers" in context.model_fields_set
    if "model" in context.model_fields_set and not chosen:
        _need_key(context)
    asks = not (context.dry_run or how.yes or how.as_json)
    if asks and not _may_cost(given, context):
        raise typer.Exit(0)
    known = _known_failures(context)
    started = time.monotonic()
    result = run_index(given, context, quiet=how.as_json, waits=how.waits)
    if not how.as_json:
        show.indexing(result, time.monotonic() - started, known)
    if context.dry_run and not how.as_json:
        _tell_plan(result, context, chosen)
    elif not (context.dry_run or chosen) and result["passage_count"]:
        result = _go_on(result, context, how, asks=asks)
    if how.as_json:
        show.print_json(result)
    elif not context.dry_run:
        show.ready(result["layers"])
    return all(failure in known for failure in result["failures"])


def _need_key(context: IndexContext) -> None:
    """Raises RagraphsError before anything is recorded where the model lacks its key."""
    from ..index.upgrading import bring_up_to_date

    if not context.dry_run:
        bring_up_to_date(context.index)
    run_index({}, context.model_copy(update={"layers": list(_EMBEDDED), "dry_run": True}))


def _go_on(result: Any, context: IndexContext, how: _How, *, asks: bool) -> Any:
    """``result``, once the layers that nobody has named are made, as far as they are free and soon.

    Those that a model reads for are made where somebody agrees to the price.
    """
    ahead = _ahead(result, context)
    soon, paid = ahead.soon, ahead.paid
    further = context.model_copy(update={"layers": [*soon, *paid]})
    quiet = how.as_json
    if paid and not (how.yes or (asks and sys.stdin.isatty() and _may_cost({}, further))):
        further, paid = context.model_copy(update={"layers": soon}), []
    seconds = sum(ahead.seconds[name] for name in soon)
    if seconds > _TOLD_SECONDS and not quiet:
        told = show.told_seconds(seconds)
        show.sentence(f"It can be asked now; what makes answers better takes {told} more.")
    if soon or paid:
        more = run_index({}, further, quiet=quiet, waits=how.waits)
        if paid and not quiet:  # what nobody has asked for has no notes
            show.notes([one for one in more["warnings"] if one not in result["warnings"]])
        result = {**result, "layers": more["layers"], **_joined(result, more)}
    if not quiet:
        _offer(ahead, paid, context)
    return result


def _tell_plan(result: Any, context: IndexContext, chosen: bool) -> None:
    """Says which layers a run would make, and how long it takes."""
    from ..index.layers import built_layers

    ahead = _ahead(result, context)
    built: Sequence[str] = []
    with suppress(IndexNotFoundError):
        built = built_layers(opened(context))
    new = result["plan"]["passages"]
    wanted = dict.fromkeys([*result["layers"], *(() if chosen else ahead.soon)])
    made = [name for name in wanted if name not in (*built, "passages")]
    seconds = sum(
        ahead.seconds[name] * (1 if name in made else new / ahead.passages) for name in wanted
    )
    names = f"{', '.join(made)} of {show.counted(ahead.passages, 'passage')}"
    what = f"It would make {names}; all" if made else "It"
    told = f"{what} takes {show.told_seconds(seconds)}"
    if replies := result["plan"]["missing_replies"]:
        slow = show.told_seconds(_SLOW_REPLY * replies)
        told += f", and the model: {slow} at {_SLOW_REPLY:g} s a reply, one at a time"
    show.sentence(f"{told}.")
    if not chosen:
        _offer(ahead, (), context)


def _joined(result: Any, more: Any) -> dict[str, Any]:
    """Failures, warnings and costs of two runs, each once; new ones are told."""
    warnings = [one for one in more["warnings"] if one not in result["warnings"]]
    failures = [one for one in more["failures"] if one not in result["failures"]]
    return {
        "warnings": [*result["warnings"], *warnings],
        "failures": [*result["failures"], *failures],
        "usage": add_usage(result["usage"], more["usage"]),
    }


def _offer(ahead: _Ahead, bought: Sequence[str], context: IndexContext) -> None:
    """Says in one line each which layers would take long, and which cost money."""
    given = [name for name in ("index", "model") if name in context.model_fields_set]
    own = [word for name in given for word in (f"--{name}", getattr(context, name))]
    for names, costs in (
        (
            ahead.later,
            f"takes {show.told_seconds(sum(ahead.seconds[name] for name in ahead.later))}",
        ),
        (
            [name for name in ahead.paid if name not in bought],
            "has a model read; it says the price",
        ),
    ):
        if names:
            command = ["ragraphs", "index", "--layers", ",".join(names), *own]
            show.sentence(f"For harder questions, this {costs}: {shlex.join(command)}")


class _Ahead(NamedTuple):
    """Layers that an index lacks: free ones, that are soon made or late, and those that cost money.

    ``seconds`` says about how long each layer of its ``passages`` takes on this machine.
    """

    passages: int
    soon: list[LayerName]
    later: list[LayerName]
    paid: list[LayerName]
    seconds: dict[str, float]


def _ahead(result: Any, context: IndexContext) -> _Ahead:
    """The layers that the index of a run lacks."""
    from ..index.layers import LAYERS
    from ..index.recorded import wanted_reader
    from ..models.embeddings import identity, open_embedder

    operator = settings()
    names = [context.embeddings, operator.embeddings, result["embeddings"]]
    name = next(name for name in names if identity(name) == identity(result["embeddings"]))
    embedder = open_embedder(name, operator)
    reader = context.model
    with suppress(IndexNotFoundError):
        reader = wanted_reader(opened(context).catalogue, context)
    passages = result["passage_count"] + (result["plan"] or {}).get("passages", 0)
    seconds = _forecast(passages, embedder)
    soon: list[LayerName] = []
    later: list[LayerName] = []
    paid: list[LayerName] = []
    spent = 0.0
    for name, layer in LAYERS.items():
        below = set(layer.needs)
        if name in result["layers"]:
            continue
        reads = layer.reads or below
        if not embedder.local or (reads and reader != OFFLINE):
            paid.append(name)
        elif below.isdisjoint(later) and spent + seconds[name] <= _MOST_SECONDS:
            soon.append(name)
            spent += seconds[name]
        else:
            later.append(name)
    return _Ahead(max(1, passages), soon, later, paid, seconds)


def _forecast(passages: int, embedder: Embedder) -> dict[str, float]:
    """About how many seconds this machine takes for each layer of so many passages."""
    from ..models.prices import known_prices
    from .planning import needs

    hours = needs(passages, known_prices(settings()), words=_WORDS)["processor_hours"]
    embedding = 0.0
    if embedder.local and embedder.semantic:
        text = [" ".join(["The bridge was opened in 1890, and many came to see it."] * 15)]
        embedder.embed(text)  # the first one takes longer
        started = time.monotonic()
        embedder.embed(text)
        embedding = passages * (time.monotonic() - started)
    return {
        name: 3600 * figure["value"] + _EMBEDDED[name] * embedding for name, figure in hours.items()
    }


def _known_failures(context: IndexContext) -> list[Failure]:
    """The files that an earlier run could not read, and why."""
    known: list[FailureRow] = []
    with suppress(RagraphsError):  # the run itself tells of an index that cannot be opened
        known = opened(context).catalogue.failures()
    return [{"path": row["place"], "reason": row["reason"]} for row in known]


def _may_cost(given: IndexInput, context: IndexContext) -> bool:
    """Whether tokens may be spent: a person is asked, where one is there to answer."""
    from ..index.location import locate
    from ..index.upgrading import bring_up_to_date

    is_new = not locate(context.index, settings()).holds_index(settings())
    is_local = context.embeddings in ("auto", "lexical") and context.model == OFFLINE
    if not sys.stdin.isatty() or (is_new and is_local):
        return True
    bring_up_to_date(context.index)
    planned = run_index(given, context.model_copy(update={"dry_run": True}))
    plan = planned["plan"]
    if not plan["embedding_tokens"] + plan["reply_tokens"]:
        return True
    show.notes(planned["warnings"])
    return typer.confirm(f"This will send about {show.planned_tokens(plan)}. Go on?", err=True)
