"""Figures of a server for Prometheus, at ``/metrics``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)
from starlette.requests import Request
from starlette.responses import Response

from ..models import figures
from ..models.figures import Figure
from .serving import FIGURES

_BUCKETS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)  # seconds


@lru_cache(maxsize=1)
def watch_figures() -> CollectorRegistry:
    """The figures of this process, which are counted from now on."""
    registry = CollectorRegistry()
    metrics = {figure: _metric(figure, registry) for figure in figures.FIGURES}

    def add(figure: Figure, value: float, labels: Mapping[str, str]) -> None:
        metric = metrics[figure]
        one = metric.labels(**labels) if figure.labels else metric
        one.observe(value) if isinstance(one, Histogram) else one.inc(value)

    figures.listen(add)
    return registry


def _metric(figure: Figure, registry: CollectorRegistry) -> Counter | Gauge | Histogram:
    name, told, labels = f"ragraphs_{figure.name}", figure.told, figure.labels
    if figure.kind == "spread":
        return Histogram(name, told, labels, registry=registry, buckets=_BUCKETS)
    if figure.kind == "level":
        return Gauge(name, told, labels, registry=registry, multiprocess_mode="livesum")
    return Counter(name, told, labels, registry=registry)


def metrics(request: Request) -> Response:
    """The figures of all processes that serve, in the form of Prometheus."""
    registry = watch_figures()
    if folder := os.environ.get(FIGURES):
        _forget_dead(Path(folder))
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def _forget_dead(folder: Path) -> None:
    """Leaves the levels of processes out that have ended."""
    for file in folder.glob("gauge_live*_*.db"):
        process = int(file.stem.rpartition("_")[2])
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            multiprocess.mark_process_dead(process)  # type: ignore[no-untyped-call]
