"""Figures, logs, spans and health that `ragraphs serve` tells to who watches it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pytest_httpserver import HTTPServer
from ragraphs import IndexContext, index_graph
from ragraphs.server.keys import make_key
from scripted_model import DOCUMENTS, MODEL, QUESTION, Script
from stub_openai import KEY, serving_openai
from tool_server import serving_questions

pytestmark = pytest.mark.slow

ASKED = 6


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("watched")
    context = IndexContext(index=str(root / "notes"), embeddings="lexical")
    index_graph.invoke({"documents": DOCUMENTS}, context=context)
    return root


@pytest.fixture(scope="module")
def collector() -> Iterator[HTTPServer]:
    """A collector of OpenTelemetry."""
    with HTTPServer() as server:
        for path in ("/v1/metrics", "/v1/traces"):
            server.expect_request(path).respond_with_data(b"")
        yield server


@pytest.fixture(scope="module")
def asked(root: Path, collector: HTTPServer) -> Iterator[tuple[str, list[httpx.Response]]]:
    """The address of two processes, which six questions were asked, and their answers."""
    rights = {"indexes": ["notes"], "rights": ["ask", "watch"]}
    key = make_key(root / "keys.json", "ada", requests=ASKED, **rights)
    head = {"Authorization": f"Bearer {key}", "X-Request-ID": "mine-1"}
    with serving_openai() as model:
        Script(model)
        environment = {
            "OPENAI_BASE_URL": model.base_url,
            "OPENAI_API_KEY": KEY,
            "RAGRAPHS_MODEL": MODEL,
            "RAGRAPHS_PRICES": str(root / "prices.json"),
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url_for(""),
            "OTEL_METRIC_EXPORT_INTERVAL": "300",
            "OTEL_BSP_SCHEDULE_DELAY": "300",
        }
        price = {"prices": {MODEL: {"input": 1, "output": 1}}}
        (root / "prices.json").write_text(json.dumps(price))
        options = ("--index", "notes", "--keys", "keys.json", "--json-logs", "--workers", "2")
        with serving_questions(root, *options, **environment) as url:
            client = httpx.Client(base_url=url, headers=head, timeout=60)
            answers = [
                client.post("/ask", json={"question": f"{QUESTION} {n}", "method": "basic"})
                for n in range(ASKED + 1)
            ]
            yield url, answers
            client.close()


def figures(url: str, answers: list[httpx.Response]) -> str:
    head = {"Authorization": answers[0].request.headers["Authorization"]}
    return httpx.get(f"{url}/metrics", headers=head, timeout=60).text


def value_of(text: str, name: str, **labels: str) -> float:
    """The sum of the samples of a figure that have such labels."""
    found = re.findall(rf"^ragraphs_{name}(?:\{{(.*)\}})? (\S+)$", text, re.MULTILINE)
    wanted = [f'{label}="{value}"' for label, value in labels.items()]
    return sum(float(value) for told, value in found if all(one in told for one in wanted))


def test_figures_of_all_processes_are_told_together(asked):
    url, answers = asked
    assert [one.status_code for one in answers] == [200] * ASKED + [429]
    for text in (figures(url, answers) for _ in range(4)):
        ended = {"method": "basic", "end": "answered", "caller": "ada"}
        assert value_of(text, "questions_total", **ended) == ASKED
        assert value_of(text, "question_seconds_count", method="basic") == ASKED
        usage = [one.json()["usage"] for one in answers[:ASKED]]
        calls = sum(one["models"][MODEL]["calls"] for one in usage)
        assert value_of(text, "model_calls_total", model=MODEL, caller="ada") == calls >= ASKED
        sent = sum(one["models"][MODEL]["input_tokens"] for one in usage)
        assert value_of(text, "tokens_total", direction="sent") == sent
        cost = sum(one["cost"] for one in usage)
        assert value_of(text, "cost_dollars_total", caller="ada") == pytest.approx(cost)
        assert value_of(text, "step_seconds_count", graph="router", step="decide") == ASKED
        assert value_of(text, "requests", of="questions", state="working") == 0
        assert value_of(text, "refused_total", of="questions", reason="quota") == 1
        assert 1 <= value_of(text, "open_indexes") <= 2


def test_figures_are_for_those_who_may_see_them(asked, root):
    key = make_key(root / "keys.json", "bob", indexes=["notes"])
    answer = httpx.get(f"{asked[0]}/metrics", headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code == 403 and "right watch" in answer.json()["detail"]


def test_logs_are_lines_of_json_about_runs_and_requests(asked, root):
    assert asked[1][0].headers["X-Request-ID"] == "mine-1"
    lines = [json.loads(line) for line in (root / "log").read_text().splitlines() if line[0] == "{"]
    runs = [line for line in lines if line.get("graph") == "router" and "status" in line]
    assert len(runs) == ASKED and len({line["run"] for line in runs}) == ASKED
    for line in runs:
        assert line["index"] == "notes" and line["caller"] == "ada" and line["seconds"] > 0
        assert line["status"] == "answered" and line["calls"] >= 1 and line["cost"] > 0
        assert line["request"] == "mine-1"
    requests = [line for line in lines if line["logger"].endswith("access")]
    asked_of = [line for line in requests if line["path"] == "/ask"]
    assert [line["status"] for line in asked_of] == [200] * ASKED + [429]
    assert {(line["caller"], line["request"]) for line in asked_of} == {("ada", "mine-1")}
    assert QUESTION not in (root / "log").read_text()


def test_spans_and_figures_reach_a_collector(asked, collector):
    def arrived() -> tuple[set[str], set[str]]:
        names: tuple[set[str], set[str]] = set(), set()
        for request, _ in collector.log:
            if request.path == "/v1/metrics":
                metrics = ExportMetricsServiceRequest.FromString(request.data)
                scopes: Any = [s for r in metrics.resource_metrics for s in r.scope_metrics]
                names[0].update(metric.name for scope in scopes for metric in scope.metrics)
            else:
                traces = ExportTraceServiceRequest.FromString(request.data)
                spans = [s for r in traces.resource_spans for s in r.scope_spans]
                names[1].update(span.name for scope in spans for span in scope.spans)
        return names

    latest = time.monotonic() + 30
    while time.monotonic() < latest:
        figures, spans = arrived()
        if {"ragraphs.questions", "ragraphs.tokens"} <= figures and "ragraphs router" in spans:
            return
        time.sleep(0.1)
    raise AssertionError((figures, spans))


def test_health_is_told_while_many_ask(asked):
    url, answers = asked
    assert httpx.get(f"{url}/live").json() == {"status": "live"}
    with ThreadPoolExecutor(20) as clients:
        body = {"question": QUESTION, "method": "basic"}
        head = answers[0].request.headers["Authorization"]
        asking = [
            clients.submit(
                httpx.post, f"{url}/ask", json=body, headers={"Authorization": head}, timeout=60
            )
            for _ in range(60)
        ]
        latest = time.monotonic() + 30
        ready = httpx.get(f"{url}/ready", timeout=30)
        while not ready.is_success and time.monotonic() < latest:  # a busy machine may be late
            ready = httpx.get(f"{url}/ready", timeout=30)
        assert ready.json() == {
            "status": "ready",
            "stores": {"catalogue": "ready", "vectors": "ready"},
        }
        assert all(one.result().status_code in (429, 503) for one in asking)
