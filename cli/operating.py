"""Flags that commands share: logs on stderr, a file of prices, a cluster."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ..settings import settings
from .show import err

_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)

Verbose = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        show_default=False,
        help="Log on stderr; twice: nodes and requests.",
    ),
]
PriceFile = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        metavar="FILE",
        hidden=True,
        help="JSON file of models' prices, which goes over the table of the package.",
    ),
]

Cluster = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="CLUSTER",
        hidden=True,
        help="Share the work out on Ray: ray (this machine, or RAY_ADDRESS) or ray://HOST:PORT.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", hidden=True, help="Workers of the cluster; unset: its cores."),
]
Wait = Annotated[
    bool, typer.Option("--wait", help="Wait your turn where another run writes to the index.")
]


def operate_on(cluster: str | None, workers: int | None) -> None:
    """Sets the cluster that does the work of the command."""
    for name, value in (("CLUSTER", cluster), ("WORKERS", workers)):
        if value is not None:
            os.environ[f"RAGRAPHS_{name}"] = str(value)
    settings.cache_clear()


def operate(*, verbose: Verbose = 0, prices: PriceFile = None) -> None:
    """Sets up the logs of a command, and the operator's file of prices."""
    if prices is not None:
        os.environ["RAGRAPHS_PRICES"] = str(prices)
        settings.cache_clear()
    if verbose:
        logger = logging.getLogger("ragraphs")
        logger.setLevel(_LEVELS[min(verbose, len(_LEVELS) - 1)])
        if not any(isinstance(handler, _TerminalHandler) for handler in logger.handlers):
            logger.addHandler(_TerminalHandler())


class _TerminalHandler(logging.Handler):
    """Prints log records on stderr, beside what moves there, and so that none is obeyed."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        err.print(Text(self.format(record), style="dim"), soft_wrap=True)
