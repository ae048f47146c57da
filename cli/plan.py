"""`ragraphs plan`: what a corpus of a size needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..context import IndexContext
from ..models.protocol import OFFLINE
from ..settings import settings
from ..state.usage import dollars
from . import show
from .flags import Shown, context_options, shown

if TYPE_CHECKING:
    from .planning import CorpusNeeds, Figure

_STORES = {
    "folder": "a folder on one machine (SQLite and the vectors inside it); nothing else to run.",
    "shared": "PostgreSQL for the catalogue and the vectors, so that several machines read and "
    "write.",
    "engine": "a search engine of your own behind LangChain's interfaces; this is more than "
    "one PostgreSQL server should hold. The figures below are only for comparison.",
}


@context_options(IndexContext, {"model", "embeddings"})
@shown
def plan(
    *,
    passages: Annotated[
        int, typer.Option("--passages", min=1, metavar="N", help="Passages of the corpus.")
    ],
    words: Annotated[int, typer.Option(min=1, metavar="N", help="Words of a passage.")] = 77,
    requests_a_second: Annotated[
        float, typer.Option(min=0.01, metavar="N", help="Requests a second that the model answers.")
    ] = 8.0,
    context: IndexContext,
) -> Shown:
    """Say what an index of a size needs: stores, memory, disk, hours and money.

    Nothing is read or sent. Figures beyond the sizes that were measured are marked with ~.
    """
    from ..models.prices import known_prices
    from .planning import needs

    found = needs(
        passages,
        known_prices(settings()),
        words=words,
        model=context.model,
        embeddings=context.embeddings,
        requests_a_second=requests_a_second,
    )
    return found, _print


def _print(found: CorpusNeeds) -> None:
    reader = "no model" if found["model"] == OFFLINE else found["model"]
    show.sentence(
        f"{found['passages']:,} passages of {found['words']} words, all layers, {reader}, "
        f"embeddings {found['embeddings']}."
    )
    serving, indexing = found["serving_memory"], found["indexing_memory"]
    disk, work = found["disk"], list(found["processor_hours"].values())
    vectors = ""
    if found["stores"] != "folder":
        vectors = f"; the server of the vectors {_size(found['server_memory'])} besides"
    rows = {
        "stores": _STORES[found["stores"]],
        "memory": f"{_size(indexing)} to index, {_size(serving)} for each process that "
        f"answers{vectors}",
        "disk": f"{_size(*disk.values())}: tables {_size(disk['tables'])}, vectors "
        f"{_size(disk['vectors'])}, arrays {_size(disk['arrays'])}",
        "time": f"{_hours(*work)} of one core for everything that no model does",
        **_of_model(found),
    }
    show.named(rows)
    show.sentence(
        f"Measured up to {found['measured_passages']:,} passages on {found['measured_on']}; ~ "
        "marks figures beyond that, which follow the growth between the largest sizes measured."
    )


def _of_model(found: CorpusNeeds) -> dict[str, str]:
    """The time and the money of a model's requests; nothing where none is asked."""
    money = found["money"]
    if not money["requests"] + money["embedding_tokens"]:
        return {"money": "nothing is paid to a provider"}
    price = "price not known; name it with --prices"
    if money["dollars"] is not None:
        price = f"about {dollars(money['dollars'])}"
    said = {}
    if money["requests"]:
        parts = ", ".join(f"{part['requests']:,} {name}" for name, part in money["parts"].items())
        said["requests"] = (
            f"{money['requests']:,} ({parts}), {_hours(found['model_hours'])} at the rate given"
        )
    tokens = (
        f"{_count(money['tokens_sent'])} tokens sent, {_count(money['tokens_received'])} received"
    )
    if money["embedding_tokens"]:
        tokens += f", {_count(money['embedding_tokens'])} embedded"
    return {**said, "money": f"{price} ({tokens})"}


def _count(number: float) -> str:
    for name, unit in (("billion", 1e9), ("million", 1e6)):
        if number >= unit:
            return f"{number / unit:,.1f} {name}"
    return f"{number:,.0f}"


def _size(*figures: Figure) -> str:
    value, mark = _sum(figures)
    if value >= 1000:
        return f"{mark}{value / 1000:,.1f} TB"
    return f"{mark}{value:,.1f} GB" if value >= 1 else f"{mark}{max(1, 1000 * value):,.0f} MB"


def _hours(*figures: Figure) -> str:
    value, mark = _sum(figures)
    return f"{mark}{show.told_hours(value)}"


def _sum(figures: tuple[Figure, ...]) -> tuple[float, str]:
    is_extrapolated = any(figure["extrapolated"] for figure in figures)
    return sum(figure["value"] for figure in figures), "~" * is_extrapolated
