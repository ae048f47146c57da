"""Figures of the work that is done, for those who watch it: Prometheus, or OpenTelemetry."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from .caller import caller_name
from .prices import Prices
from .protocol import OFFLINE

Labels = Mapping[str, str]
Listener = Callable[["Figure", float, Labels], None]

_API = "opentelemetry.metrics"


class Figure(NamedTuple):
    """A figure by its name: a sum, the spread of values, or a level that rises and falls."""

    name: str
    kind: Literal["sum", "spread", "level"]
    told: str
    labels: tuple[str, ...] = ()
    unit: str = ""


QUESTIONS = Figure("questions", "sum", "Questions by method and end.", ("method", "end", "caller"))
QUESTION_TIME = Figure("question_seconds", "spread", "Time of a question.", ("method",), "s")
STEP_TIME = Figure("step_seconds", "spread", "Time of a step of a graph.", ("graph", "step"), "s")
CALLS = Figure("model_calls", "sum", "Requests to models.", ("model", "caller"))
TOKENS = Figure("tokens", "sum", "Tokens to and from models.", ("model", "direction", "caller"))
COST = Figure("cost_dollars", "sum", "US dollars for models.", ("model", "caller"))
INDEX_RUNS = Figure("index_runs", "sum", "Runs of indexing by their end.", ("end", "caller"))
PLACES = Figure("requests", "level", "Requests at work, and those that wait.", ("of", "state"))
REFUSED = Figure("refused", "sum", "Requests refused for lack of room.", ("of", "reason"))
OPEN_INDEXES = Figure("open_indexes", "level", "Indexes that are open.")
FIGURES = (QUESTIONS, QUESTION_TIME, STEP_TIME, CALLS, TOKENS, COST, INDEX_RUNS, PLACES, REFUSED,
           OPEN_INDEXES)  # fmt: skip
_listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Tells ``listener`` of each figure from now on."""
    if listener not in _listeners:
        _listeners.append(listener)


def note(figure: Figure, value: float = 1, **labels: str) -> None:
    """Adds ``value`` to a figure; where nobody watches, this does nothing."""
    if "caller" in figure.labels:
        labels["caller"] = caller_name()
    for listener in _listeners:
        listener(figure, value, labels)
    if (api := sys.modules.get(_API)) is not None:
        _instrument(api.get_meter_provider(), figure)(value, labels)


def note_request(
    prices: Callable[[], Prices], model: str, *, calls: int = 0, sent: int = 0, received: int = 0
) -> None:
    """Adds a request to ``model``, and its cost where the price is known."""
    if model == OFFLINE or not (_listeners or _API in sys.modules):
        return
    if calls:
        note(CALLS, calls, model=model)
    for direction, tokens in (("sent", sent), ("received", received)):
        if tokens:
            note(TOKENS, tokens, model=model, direction=direction)
    if cost := prices().cost(model, sent=sent, received=received):
        note(COST, cost, model=model)


@lru_cache(maxsize=64)
def _instrument(provider: Any, figure: Figure) -> Callable[[float, Labels], None]:
    """The instrument of OpenTelemetry for a figure of the application's ``provider``."""
    meter, name = provider.get_meter("ragraphs"), f"ragraphs.{figure.name}"
    given = {"unit": figure.unit, "description": figure.told}
    adding: Callable[[float, Labels], None]
    if figure.kind == "spread":
        adding = meter.create_histogram(name, **given).record
    elif figure.kind == "level":
        adding = meter.create_up_down_counter(name, **given).add
    else:
        adding = meter.create_counter(name, **given).add
    return adding
