"""Refusals of `ragraphs serve` before it serves; tests/server has the rest."""

from __future__ import annotations

import socket

import pytest
from ragraphs import IndexContext, index_graph
from ragraphs.settings import settings


def test_an_index_that_is_not_there_is_not_served(run, monkeypatch):
    refused = run("serve", "--index", "none")
    assert refused.code == 1 and "ragraphs index SOURCE" in refused.err
    assert "RAGRAPHS_UPLOADS=uploads ragraphs serve" in " ".join(refused.err.split())


@pytest.mark.slow
def test_an_address_that_is_taken_is_told(run, tmp_path, monkeypatch):
    for name in ("RAGRAPHS_ROOT", "RAGRAPHS_INDEX", "RAGRAPHS_INDEXES"):
        monkeypatch.setenv(name, "")  # which the command sets, and monkeypatch takes back
    folder = str(tmp_path / "notes")
    documents = [{"id": "a", "text": "Ada wrote it."}]
    index_graph.invoke(
        {"documents": documents}, context=IndexContext(index=folder, embeddings="lexical")
    )
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = run("serve", "--index", folder, "--port", str(port))
    assert refused.code == 1 and "--port" in refused.err


def test_where_files_may_be_uploaded_the_index_need_not_be_there(run, tmp_path, monkeypatch):
    for name in ("RAGRAPHS_ROOT", "RAGRAPHS_INDEX", "RAGRAPHS_INDEXES"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("RAGRAPHS_UPLOADS", "uploads")
    settings.cache_clear()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = run("serve", "--index", str(tmp_path / "none"), "--port", port)
    assert refused.code == 1 and "--port" in refused.err  # the next thing that it looks at


def test_packages_that_are_missing_are_named_before_anything_is_served(run, monkeypatch):
    monkeypatch.setattr("ragraphs.views.doctor.missing_packages", lambda extra: ["mcp"])
    ended = run("serve")
    assert ended.code == 1 and "(mcp): pip install 'ragraphs[serve]'" in ended.err
