"""The runs of graphs: their logs and spans, and the limits that the nodes of a run share."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables.config import RunnableConfig, var_child_runnable_config

from ..settings import settings
from ..state.records import Usage
from ..state.usage import dollars, total_tokens
from .budget import Budget
from .deadline import Deadline
from .figures import INDEX_RUNS, QUESTION_TIME, QUESTIONS, note
from .protocol import paid_calls
from .tracing import Attributes, begun, note_error

logger = logging.getLogger("ragraphs.graphs")
INDEXING = "index"  # the graph that answers no question


@dataclass(eq=False)
class GraphRun:
    """One run of a graph. ``within`` is the context of OpenTelemetry inside its span.

    ``lost`` says that its model could not be reached, ``inner`` that it is a step of another run;
    ``index`` is the name of its index, once it has begun, and ``seen`` are indexes of a database
    that were there.
    """

    name: str
    id: UUID
    span: Any = None
    within: Any = None
    budget: Budget | None = None
    deadline: Deadline | None = None
    lost: bool = False
    inner: bool = False
    index: str = ""
    started: float = field(default_factory=time.monotonic)
    parts: set[UUID] = field(default_factory=set)
    seen: set[Any] = field(default_factory=set)


class RunWatch(BaseCallbackHandler):
    """Notes the runs of the graph called ``name``, which has it among its callbacks.

    graph = builder.compile(name="crag").with_config(callbacks=[RunWatch("crag")])
    """

    run_inline = True  # in the order of events, and in the context of the caller

    def __init__(self, name: str) -> None:
        self.name = name
        self._runs: dict[UUID, GraphRun] = {}

    def of(self, part: UUID | None) -> GraphRun | None:
        """The run that ``part`` is a part of, if it is one of the graph's."""
        return None if part is None else self._runs.get(part)

    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **rest: Any,
    ) -> None:
        """Notes a run that begins, or a part of one."""
        run = self.of(parent_run_id) or self._begun(run_id, inputs)
        run.parts.add(run_id)
        self._runs[run_id] = run

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **rest: Any) -> None:
        """Notes the end of a run, with its figures."""
        run = self._runs.pop(run_id, None)
        if run is None or not self._ends(run, run_id):
            return
        figures = _figures(outputs if isinstance(outputs, Mapping) else {})
        end = str(figures.get("stop_reason", "done"))
        told = _noted(run, end, str(figures.get("method", self.name)))
        listed = _listed(figures)
        logger.info(
            "%s ends after %.1f s: %s", self.name, _seconds(run), listed, extra=told | figures
        )
        if run.span is not None:
            run.span.set_attributes({f"ragraphs.{name}": told for name, told in figures.items()})
            run.span.end()

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **rest: Any) -> None:
        """Notes that a run failed; the message may quote a document."""
        run = self._runs.pop(run_id, None)
        if run is None or not self._ends(run, run_id):
            return
        kind = type(error).__name__
        told = _noted(run, kind, self.name)
        logger.info("%s fails after %.1f s: %s", self.name, _seconds(run), kind, extra=told)
        if run.span is not None:
            note_error(run.span, error)
            run.span.end()

    def _begun(self, id: UUID, inputs: Any) -> GraphRun:
        logger.info("%s begins", self.name)
        attributes: dict[str, str] = {"ragraphs.graph": self.name}
        if settings().trace_texts and isinstance(inputs, Mapping) and inputs.get("question"):
            attributes["ragraphs.question"] = str(inputs["question"])
        run = GraphRun(self.name, id, *begun(f"ragraphs {self.name}", attributes))
        run.inner = _running.get() is not None
        return run

    def _ends(self, run: GraphRun, part: UUID) -> bool:
        """Whether the end of ``part`` is the end of ``run``, all of which is then forgotten."""
        run.parts.discard(part)
        if part == run.id:
            for left in run.parts:
                self._runs.pop(left, None)
        return part == run.id


_running: ContextVar[GraphRun | None] = ContextVar("ragraphs_run", default=None)


def handlers_of(config: RunnableConfig) -> Sequence[Any]:
    """The handlers of callbacks in ``config``."""
    callbacks = config.get("callbacks") or []
    return callbacks if isinstance(callbacks, list) else callbacks.handlers


def watches_of(config: RunnableConfig) -> list[RunWatch]:
    """The watches among the callbacks in ``config``, the innermost run's last."""
    return [one for one in handlers_of(config) if isinstance(one, RunWatch)]


def enter_run() -> tuple[GraphRun | None, Any]:
    """The innermost run that the calling node is a part of, and the context for the node's span.

    The context is the run's own; inside another node of the same run it is None: the current one.
    """
    config = var_child_runnable_config.get() or RunnableConfig()
    part = getattr(config.get("callbacks"), "parent_run_id", None)
    watches = reversed(watches_of(config))
    run = next(filter(None, (watch.of(part) for watch in watches)), None)
    entered = run is not None and run is not _running.get()
    _running.set(run)
    return run, run.within if run is not None and entered else None


def seen_by_run() -> set[Any]:
    """The indexes of a database that the run of the calling node has seen; it may add to them."""
    run = _running.get()
    return set() if run is None else run.seen


def _noted(run: GraphRun, end: str, method: str) -> dict[str, Any]:
    """Notes the figures of a run that ends, unless it is a step of one; what a log has of it."""
    seconds = _seconds(run)
    if run.name == INDEXING:
        note(INDEX_RUNS, end=end)
    elif not run.inner:
        note(QUESTIONS, method=method, end=end)
        note(QUESTION_TIME, seconds, method=method)
    told = {"run": str(run.id), "graph": run.name, "index": run.index, "status": end}
    return {**told, "seconds": round(seconds, 3)}


def _seconds(run: GraphRun) -> float:
    return time.monotonic() - run.started


def _figures(outputs: Mapping[str, Any]) -> dict[str, str | int | float]:
    """Figures of a run from its ``outputs``, without any text of a document or a question."""
    usage: Usage = outputs.get("usage") or Usage()
    counts = ("added", "updated", "unchanged", "removed", "document_count", "passage_count")
    figures: dict[str, str | int | float | None] = {
        "method": outputs.get("method") or None,
        "stop_reason": outputs.get("stop_reason"),
        **{name: outputs.get(name) for name in counts},
        "calls": paid_calls(usage),
        "tokens": total_tokens(usage),
        "cost": usage.get("cost"),
        "warnings": len(outputs.get("warnings") or ()),
    }
    return {name: value for name, value in figures.items() if value is not None}


def _listed(figures: Attributes) -> str:
    shown = {n: dollars(v) if isinstance(v, float) else v for n, v in figures.items()}
    return ", ".join(f"{name} {value}" for name, value in shown.items())
