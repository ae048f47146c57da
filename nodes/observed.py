"""What the log and the trace say of a node."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from langchain_core.runnables.config import var_child_runnable_config

from ..models.meter import Meter
from ..models.tracing import span
from ..state.usage import total_calls, total_tokens

logger = logging.getLogger("ragraphs.nodes")


@contextmanager
def observed(function: str, meter: Meter, within: Any) -> Iterator[None]:
    """Logs a node, and puts a span around it inside the context ``within``, or the current one.

    The node has the name that its graph gives it, or else that of its ``function``.
    """
    metadata = (var_child_runnable_config.get() or {}).get("metadata") or {}
    name = str(metadata.get("langgraph_node") or function)
    started = time.monotonic()
    with span(name, {"ragraphs.node": name}, within=within) as note:
        yield
        usage = meter.usage()
        calls, tokens = total_calls(usage), total_tokens(usage)
        note({"ragraphs.calls": calls, "ragraphs.tokens": tokens})
    for warning in meter.warnings:
        logger.debug("%s: %s", name, warning)
    if meter.warnings:
        logger.warning("%s: the result has %d warnings", name, len(meter.warnings))
    logger.debug(
        "%s took %.2f s, %d calls, %d tokens", name, time.monotonic() - started, calls, tokens
    )
