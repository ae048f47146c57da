"""Spans of OpenTelemetry, for applications that record them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Attributes = Mapping[str, str | int | float | bool]
Note = Callable[[Attributes], None]

_API = "opentelemetry.trace"


def tracer() -> Any:
    """The tracer of this package; None where no application records spans.

    An application that does has imported OpenTelemetry's interface; importing it here would cost
    all others a twentieth of a second.
    """
    api = sys.modules.get(_API)
    return api.get_tracer("ragraphs") if api is not None else None


@contextmanager
def span(
    name: str, attributes: Attributes, *, within: Any = None, of_client: bool = False
) -> Iterator[Note]:
    """A span around a block, inside the span of the context ``within``, or else the current one.

    Gives a function that adds attributes. An error is noted by its class, for its message may quote
    a document.

    >>> with span("chat gpt-4o-mini", {"gen_ai.operation.name": "chat"}) as note:
    ...     note({"gen_ai.usage.input_tokens": 912})
    """
    recording = tracer()
    if recording is None:
        yield lambda attributes: None
        return
    api = sys.modules[_API]
    with recording.start_as_current_span(
        name,
        context=within,
        kind=api.SpanKind.CLIENT if of_client else api.SpanKind.INTERNAL,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as current:
        try:
            yield current.set_attributes
        except Exception as error:
            note_error(current, error)
            raise


def begun(name: str, attributes: Attributes) -> tuple[Any, Any]:
    """A span that somebody else ends, and the context inside it; None for both without a tracer."""
    recording = tracer()
    if recording is None:
        return None, None
    started = recording.start_span(name, attributes=attributes)
    return started, sys.modules[_API].set_span_in_context(started)


def note_error(current: Any, error: BaseException) -> None:
    """Marks a span as failed, by the class of ``error``; a graph that waits for a person is not."""
    from langgraph.errors import GraphBubbleUp

    if not isinstance(error, GraphBubbleUp):
        current.set_attributes({"error.type": type(error).__name__})
        current.set_status(sys.modules[_API].StatusCode.ERROR)
