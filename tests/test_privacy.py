"""Nothing leaves the machine unless the operator has named where to."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from ragraphs.context import IndexContext, RouterContext
from ragraphs.graphs.index import graph as index_graph
from ragraphs.graphs.methods import METHODS
from ragraphs.graphs.router import graph as router
from ragraphs.stores.chroma_client import _quiet_settings
from scripted_model import DOCUMENTS, MODEL, QUESTION, Script

LOOPBACK = {"127.0.0.1", "::1", "localhost"}


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Addresses that were to be reached; every one but this machine's own is refused."""
    refused: list[Any] = []

    def guarded(real: Any) -> Any:
        def connect(self: socket.socket, address: Any) -> Any:
            if self.family != socket.AF_UNIX and address[0] not in LOOPBACK:
                refused.append(address)
                raise OSError("refused by the test")
            return real(self, address)

        return connect

    def looked_up(host: Any, *rest: Any, **named: Any) -> Any:
        if host not in {*LOOPBACK, None}:
            refused.append(host)
            raise socket.gaierror("refused by the test")
        return real_look_up(host, *rest, **named)

    real_look_up = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, guarded(getattr(socket.socket, name)))
    yield refused


def test_the_guard_of_these_tests_guards(reached):
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("example.org", 80), timeout=1)
    with pytest.raises(OSError, match="refused"), socket.socket() as one:
        one.connect(("192.0.2.1", 80))
    assert len(reached) == 2


@pytest.mark.slow
def test_without_a_model_nothing_is_reached(reached, tmp_path):
    layers = ["sentences", "hops", "entities", "communities"]
    folder = str(tmp_path / "index")
    context = IndexContext(index=folder, embeddings="lexical", model="offline", layers=layers)
    index_graph.invoke({"documents": DOCUMENTS}, context=context)
    for method in METHODS:
        asking = RouterContext(index=folder, model="offline", method=method)
        assert router.invoke({"question": QUESTION}, context=asking)["evidence"]
    assert reached == []


@pytest.mark.slow
def test_with_a_server_of_ones_own_nothing_else_is_reached(reached, openai, tmp_path):
    Script(openai)
    folder = str(tmp_path / "index")
    context = IndexContext(index=folder, embeddings="lexical", model="offline")
    index_graph.invoke({"documents": DOCUMENTS}, context=context)
    asking = RouterContext(index=folder, model=MODEL)
    assert router.invoke({"question": QUESTION}, context=asking)["answer"]
    assert openai.chats and reached == []


def test_chroma_sends_no_telemetry():
    quiet = _quiet_settings()
    assert not quiet.anonymized_telemetry and not quiet.chroma_otel_collection_endpoint
