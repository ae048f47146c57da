"""Which way to a model a person is told, and what a server at a usual address cannot do."""

from __future__ import annotations

import pytest
from http_stub import HttpStub, Response
from ragraphs.models import nearby
from ragraphs.settings import Settings

ANSWERING = {"object": "list", "data": [{"id": "nomic-embed-text:latest"}, {"id": "llama3.2:1b"}]}


@pytest.fixture
def local(monkeypatch):
    """A server at Ollama's address; at the other two nobody answers."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "MISTRAL_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    stub = HttpStub(lambda path, body: Response(None, 500))
    stub.documents["/v1/models"] = Response(ANSWERING)
    addresses = [f"{stub.url}/v1", "http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1"]
    servers = dict(zip(nearby.LOCAL_SERVERS, addresses, strict=True))
    monkeypatch.setattr(nearby, "LOCAL_SERVERS", servers)
    monkeypatch.setattr(nearby, "_SECONDS", 30)  # a busy machine may take its time
    yield stub
    stub.close()


def test_a_local_server_is_named_with_a_command_that_reaches_it(local):
    said = nearby.advice(Settings())
    assert said.startswith("Ollama runs here with llama3.2:1b")
    assert f"OPENAI_BASE_URL={local.url}/v1" in said and "--model openai:llama3.2:1b" in said
    assert local.looked_up == ["/v1/models"] and local.requests == []


def test_a_key_is_named_before_a_local_server_and_nobody_is_asked(local, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k-secret")
    assert "--model anthropic:" in nearby.advice(Settings())
    monkeypatch.setenv("OPENAI_API_KEY", "k-secret")
    said = nearby.advice(Settings())
    assert said == "gpt-4o-mini can be used with --model openai:gpt-4o-mini"
    assert local.looked_up == []


def test_what_the_operator_set_is_told_first(local, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://models.example/v1")
    assert "--model openai:NAME" in nearby.advice(Settings())
    monkeypatch.setenv("OPENAI_BASE_URL", f"{local.url}/v1/")
    assert "--model openai:llama3.2:1b" in nearby.advice(Settings())
    monkeypatch.setenv("RAGRAPHS_MODELS", "openai:a,openai:b")
    assert "openai:a, openai:b" in nearby.advice(Settings())
    monkeypatch.setenv("RAGRAPHS_MODEL", "openai:c")
    assert "openai:c" in nearby.advice(Settings())


def test_where_nothing_is_found_the_commands_that_connect_a_model_are_told(local):
    local.close()
    assert "ollama pull" in nearby.advice(Settings())


def test_ollama_without_a_model_is_told(local):
    local.documents["/v1/models"] = Response({"object": "list", "data": None})
    assert nearby.advice(Settings()).startswith("Ollama runs here without a model")


@pytest.mark.parametrize(
    "response",
    [
        Response(b"<html>a page</html>"),
        Response(b"[" * 500_000),
        Response({**ANSWERING, "more": "x" * 3_000_000}),
        Response({"data": [{"id": "somebody else's"}]}),
        Response(ANSWERING, 401),
        Response(ANSWERING, 302, {"Location": "http://127.0.0.1:9/"}),
        Response(ANSWERING, headers={"Content-Encoding": "br"}),
        Response(ANSWERING, seconds=1),
        Response(ANSWERING, drip=0.1),
        Response(ANSWERING, cut=True),
    ],
    ids="page deep large foreign refused moved coded slow dripping cut".split(),
)
def test_another_or_hostile_service_is_not_taken_for_a_server_of_models(
    local, response, monkeypatch
):
    if response.seconds or response.drip:
        monkeypatch.setattr(nearby, "_SECONDS", 0.3)
    local.documents["/v1/models"] = response
    assert "ollama pull" in nearby.advice(Settings())


@pytest.mark.parametrize("name", ["a; rm -rf ~", "$(id)", "\x1b[31mred", "-rf", "llama\n", 7, "é"])
def test_a_name_that_could_not_be_typed_safely_is_not_shown(local, name):
    local.documents["/v1/models"] = Response({"object": "list", "data": [{"id": name}]})
    assert str(name) not in nearby.advice(Settings())
    local.documents["/v1/models"] = Response(
        {"object": "list", "data": [{"id": name}, {"id": "b"}]}
    )
    assert "--model openai:b" in nearby.advice(Settings())
