"""Needs of a corpus by its size: stores, memory, disk, hours and money, by measured constants.

The constants are in ``growth.json`` beside this file; ``docs/scale.md`` has the commands that
measure them. Times and sizes on disk follow the power law through the two sizes measured around the
one asked for, or the two largest below it; memory, of which much is there from the start, follows a
line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from math import log
from typing import Any, Literal, TypedDict

from ..context import IndexContext
from ..language.analyser import count_tokens
from ..models.prices import Prices
from ..models.protocol import OFFLINE
from ..nodes.index.price import REPORTS, SUMMARIES, resolution, sent
from ..prompts.indexing import READ_PASSAGE
from ..prompts.prompt import number

Stores = Literal["folder", "shared", "engine"]
_Law = Callable[[Mapping[int, float], float], float]

MEASURED_WORDS = 77  # of a made-up passage
MOST_IN_FOLDER = 100_000
MOST_SHARED = 5_000_000
# Passages, sentences, and questions, descriptions and reports, which are as long together.
_TIMES_EMBEDDED = 3
_GIGABYTE = 1000.0
_HOUR = 3600.0
_LEAST = 1e-6
_STORES = {"tables": "tables_mb", "vectors": "vectors_mb", "arrays": "arrays_mb"}


class Figure(TypedDict):
    """A figure, and whether it goes beyond the sizes that were measured."""

    value: float
    extrapolated: bool


class RequestTotals(TypedDict):
    """The requests of one kind, and their tokens."""

    requests: int
    tokens_sent: int
    tokens_received: int


class Money(TypedDict):
    """Requests and tokens of indexing by a model, and US dollars where its price is known.

    ``parts`` are the requests about passages, names, summaries and reports, which add up to all.
    """

    requests: int
    tokens_sent: int
    tokens_received: int
    parts: dict[str, RequestTotals]
    embedding_tokens: int
    dollars: float | None


class CorpusNeeds(TypedDict):
    """Needs of an index with all layers. Sizes are in GB (10⁹ bytes), times in hours.

    ``processor_hours`` are hours of one core without a model, by layer; ``model_hours`` is the time
    of a model's requests alone. ``measured_passages`` is the largest size that was measured.
    ``serving_memory`` is the memory of each process, ``server_memory`` of the server of vectors
    beside them; in a folder the vectors are in the process, and there is no server.
    """

    passages: int
    words: int
    model: str
    embeddings: str
    stores: Stores
    measured_passages: int
    measured_on: str
    disk: dict[str, Figure]
    indexing_memory: Figure
    serving_memory: Figure
    server_memory: Figure
    processor_hours: dict[str, Figure]
    model_hours: Figure
    money: Money


def needs(
    passages: int,
    prices: Prices,
    *,
    words: int = MEASURED_WORDS,
    model: str = OFFLINE,
    embeddings: str = "lexical",
    requests_a_second: float = 8.0,
) -> CorpusNeeds:
    """The needs of ``passages`` of so many ``words`` each, with all layers. Blocks.

    >>> needs(1_000_000, known_prices(settings()), model="openai:gpt-4o-mini")["disk"]
    """
    known = _known()["measured"]
    measured = known.get(embeddings.partition("@")[0]) or known["lexical"]
    sizes = {int(size): figures for size, figures in measured["sizes"].items()}

    def figure(divided: float, value: Callable[[Any], float], law: _Law) -> Figure:
        points = {size: value(figures) for size, figures in sizes.items()}
        return {
            "value": law(points, passages * words / MEASURED_WORDS) / divided,
            "extrapolated": passages > max(sizes),
        }

    stores = stores_for(passages)
    inside, outside = (_serving, _nothing) if stores == "folder" else (_without_vectors, _vectors)
    cost = _money(passages, prices, words, model, embeddings)
    hours = cost["requests"] / requests_a_second / _HOUR
    return {
        "passages": passages,
        "words": words,
        "model": model,
        "embeddings": embeddings,
        "stores": stores,
        "measured_passages": max(sizes),
        "measured_on": measured["machine"],
        "disk": {
            name: figure(_GIGABYTE, _of_layers(stored), _by_power)
            for name, stored in _STORES.items()
        },
        "indexing_memory": figure(_GIGABYTE, _peak, _by_line),
        "serving_memory": figure(_GIGABYTE, inside, _by_line),
        "server_memory": figure(_GIGABYTE, outside, _by_line),
        "processor_hours": {
            layer: figure(_HOUR, _seconds_of(layer), _by_power)
            for layer in next(iter(sizes.values()))["layers"]
        },
        "model_hours": {"value": hours, "extrapolated": False},
        "money": cost,
    }


def _of_layers(name: str) -> Callable[[Any], float]:
    return lambda figures: sum(layer[name] for layer in figures["layers"].values())


_vectors = _of_layers("vectors_mb")


def _serving(figures: Any) -> float:
    return float(figures["serving_mb"])


def _without_vectors(figures: Any) -> float:
    return _serving(figures) - _vectors(figures)


def _nothing(figures: Any) -> float:
    return 0.0


def stores_for(passages: int) -> Stores:
    """Where an index of that size is kept: a folder, shared stores, or another engine."""
    if passages <= MOST_IN_FOLDER:
        return "folder"
    return "shared" if passages <= MOST_SHARED else "engine"


def _seconds_of(layer: str) -> Callable[[Any], float]:
    return lambda figures: figures["layers"][layer]["processor_seconds"]


def _peak(figures: Any) -> float:
    return float(max(layer["peak_mb"] for layer in figures["layers"].values()))


def _by_power(points: Mapping[int, float], size: float) -> float:
    """The value at ``size`` by the power law through the two measured sizes around or below it.

    Beyond the largest its exponent is at least 1: at small sizes costs that do not grow hide it.
    """
    before, last = _around(points, size)
    if before == last:
        return points[last] * size / last
    growth = max(points[last], _LEAST) / max(points[before], _LEAST)
    exponent = log(growth) / log(last / before)
    if size > max(points):
        exponent = max(exponent, 1.0)
    return float(points[last] * (size / last) ** exponent)


def _by_line(points: Mapping[int, float], size: float) -> float:
    """The value at ``size`` on the line through the two measured sizes around or below it."""
    before, last = _around(points, size)
    slope = (points[last] - points[before]) / (last - before) if before != last else 0.0
    return max(points[last] + max(slope, 0.0) * (size - last), 0.0)


def _around(points: Mapping[int, float], size: float) -> tuple[int, int]:
    sizes = sorted(points)
    above = next((place for place, each in enumerate(sizes) if each >= size), len(sizes) - 1)
    place = min(max(above, 1), len(sizes) - 1)
    return sizes[max(place - 1, 0)], sizes[place]


def _money(passages: int, prices: Prices, words: int, model: str, embeddings: str) -> Money:
    """Tokens sent to a model and to paid embeddings for all layers at first, and their price."""
    text = _typical(words)
    parts = _asked(passages, text) if model != OFFLINE else {}
    requests, out, received = (
        sum(part[name] for part in parts.values())
        for name in ("requests", "tokens_sent", "tokens_received")
    )
    is_local = embeddings.partition(":")[0] in ("lexical", "fastembed", "auto")
    embedded = 0 if is_local else _TIMES_EMBEDDED * passages * count_tokens(text)
    costs = [
        prices.cost(name, sent=given, received=got)
        for name, given, got in ((model, out, received), (embeddings, embedded, 0))
        if given
    ]
    paid = [cost for cost in costs if cost is not None]
    return {
        "requests": requests,
        "tokens_sent": out,
        "tokens_received": received,
        "parts": parts,
        "embedding_tokens": embedded,
        "dollars": sum(paid) if len(paid) == len(costs) else None,
    }


def _asked(passages: int, text: str) -> dict[str, RequestTotals]:
    """Requests to a model about ``passages`` that are each as long as ``text``, by kind."""
    lengths = _known()["replies"]
    types = ", ".join(IndexContext().entity_types)
    shown = number([("Brooklyn Bridge", text)])
    prompt = sent(READ_PASSAGE, texts=shown, entity_types=types, examples="", claims="")
    groups, names = resolution(passages)
    found = {"passages": _part(passages, passages * prompt), "names": _part(groups, names)}
    read = sum(part["tokens_sent"] for part in found.values())
    for kind, (requests, tokens) in (("summaries", SUMMARIES), ("reports", REPORTS)):
        found[kind] = _part(round(passages * requests), int(read * tokens))
        written = found[kind]["tokens_sent"] * lengths["by_token_of_writing"]
        found[kind]["tokens_received"] = int(written)
    replies = passages * count_tokens(text) * lengths["by_token_read"]
    found["passages"]["tokens_received"] = int(replies)
    return found


def _part(requests: int, tokens: int) -> RequestTotals:
    return {"requests": requests, "tokens_sent": tokens, "tokens_received": 0}


def _typical(words: int) -> str:
    """A text of so many words, out of the documents of the demo."""
    file = resources.files("ragraphs") / "demo" / "brooklyn-bridge.md"
    said = file.read_text(encoding="utf-8").split()
    return " ".join(said[place % len(said)] for place in range(words))


@cache
def _known() -> dict[str, Any]:
    file = resources.files("ragraphs") / "cli" / "growth.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found
