"""OpenTelemetry of a server, set up where the standard variables ask for it."""

from __future__ import annotations

import os
from functools import lru_cache

from ..state.errors import RagraphsError

_ENDPOINT = "OTEL_EXPORTER_OTLP_{}ENDPOINT"


@lru_cache(maxsize=1)
def set_up_telemetry() -> None:
    """Sends spans and figures of this process to where OTEL_EXPORTER_OTLP_ENDPOINT says.

    There may be an address for either alone. Raises RagraphsError where packages are missing.
    """
    sends = {
        of
        for of in ("TRACES", "METRICS")
        if os.environ.get(_ENDPOINT.format("")) or os.environ.get(_ENDPOINT.format(f"{of}_"))
    }
    if not sends or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return
    try:
        from opentelemetry import metrics, trace
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise RagraphsError(
            f"{_ENDPOINT.format('')} asks for spans and figures, and packages are missing: "
            "pip install 'ragraphs[otel]', or unset it."
        ) from error
    os.environ.setdefault("OTEL_SERVICE_NAME", "ragraphs")
    resource = Resource.create()
    if "TRACES" in sends:
        spans = TracerProvider(resource=resource)
        spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(spans)
    if "METRICS" in sends:
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
        metrics.set_meter_provider(MeterProvider([reader], resource=resource))
