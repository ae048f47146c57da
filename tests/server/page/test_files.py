"""The files of the page: found, typed, asked anew, guarded; nothing else of the package is open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ragraphs import IndexContext, index_graph
from ragraphs.graphs.methods import METHODS
from ragraphs.server.alone import app as alone
from ragraphs.server.app import app
from ragraphs.server.page.files import FOLDER
from ragraphs.server.page.routes import page_routes
from ragraphs.settings import settings
from starlette.applications import Starlette
from starlette.testclient import TestClient

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@pytest.fixture(params=[app, alone], ids=["app", "alone"])
def client(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    """A client of both servers' routes, with an index ``notes``."""
    monkeypatch.setenv("RAGRAPHS_ROOT", str(tmp_path))
    monkeypatch.setenv("RAGRAPHS_INDEX", "notes")
    settings.cache_clear()
    # Without the lifespan, which an application has only once.
    served = Starlette(routes=request.param.routes, middleware=request.param.user_middleware)
    yield TestClient(served, base_url="http://localhost", raise_server_exceptions=False)
    settings.cache_clear()


def test_the_page_is_at_the_root_of_either_server(client):
    answer = client.get("/")
    assert answer.status_code == 200 and "<title>" in answer.text
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"


def test_every_response_forbids_what_the_page_does_not_need(client):
    for path in ("/", "/page/static/index.html", "/page/state", "/page/static/none.js"):
        head = client.get(path).headers
        assert head["Content-Security-Policy"] == POLICY
        assert head["X-Content-Type-Options"] == "nosniff"
        assert head["Referrer-Policy"] == "no-referrer"


@pytest.mark.slow
def test_every_file_of_the_page_is_served_with_its_type(client):
    types = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css"}
    files = [file for file in FOLDER.rglob("*") if file.is_file()]
    for file in files:
        answer = client.get(f"/page/static/{file.relative_to(FOLDER).as_posix()}")
        assert answer.status_code == 200 and answer.content == file.read_bytes()
        assert answer.headers["Content-Type"].startswith(types.get(file.suffix, ""))
    assert FOLDER / "index.html" in files


def test_a_browser_asks_each_time_and_is_told_that_nothing_changed(client):
    first = client.get("/")
    assert first.headers["Cache-Control"] == "no-cache"
    again = client.get("/", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/page/state").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "../__init__.py",
        "..%2f__init__.py",
        "%2e%2e/%2e%2e/settings.py",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "..%5c__init__.py",
        "pictures",
        "",
        "%00",
        "a" * 5000,
    ],
)
def test_nothing_outside_the_folder_is_served(client, path):
    answer = client.get(f"/page/static/{path}")
    assert answer.status_code == 404 and len(answer.content) < 100


@pytest.mark.parametrize(("host", "status"), [("evil.example.com", 421), ("localhost:2024", 200)])
def test_a_page_that_has_its_name_point_here_reads_nothing(client, host, status):
    for path in ("/", "/page/state", "/page/documents"):
        answer = client.get(path, headers={"Host": host})
        assert (answer.status_code == 421) == (status == 421), path


def test_other_sites_may_not_post(client):
    for route in page_routes():
        if "POST" in (route.methods or ()):
            answer = client.post(
                route.path, headers={"Origin": "https://evil.example.com"}, json={}
            )
            assert answer.status_code == 403, route.path
            if route.path != "/page/upload":
                plain = client.post(route.path, content=b"{}")
                assert plain.status_code == 400, route.path


def test_the_state_says_what_is_wrong_while_there_is_no_index(client):
    state = client.get("/page/state").json()
    assert state["index"] == "notes" and state["documents"] == 0
    assert "There is no index" in state["problem"]


@pytest.mark.slow
def test_the_state_tells_index_model_methods_and_permissions(client, tmp_path):
    documents = [{"id": "a", "text": "The Forth Bridge was designed by John Fowler."}]
    context = IndexContext(index="notes", embeddings="lexical")
    index_graph.invoke({"documents": documents}, context=context)
    state = client.get("/page/state").json()
    assert (state["documents"], state["passages"], state["embeddings"]) == (1, 1, "lexical")
    assert state["offline"] is True and state["model"] == "offline"
    obstacles = state["obstacles"]
    assert obstacles["basic"] == "" and "--layers" in obstacles["hoprag"]
    assert [one["name"] for one in state["methods"]] == list(obstacles) == list(METHODS)
    assert (state["uploads"], state["corrections"], state["web"]) == (False, False, False)
    assert "problem" not in state and str(tmp_path) not in str(state)


def test_another_index_is_not_told_of(client, monkeypatch):
    monkeypatch.setenv("RAGRAPHS_INDEXES", "more")
    settings.cache_clear()
    assert client.get("/page/state").json()["indexes"] == ["notes", "more"]
    assert client.get("/page/state?index=secret").status_code == 422


def test_where_a_route_would_be_left_out_of_the_authentication_it_is_closed(client, monkeypatch):
    monkeypatch.setenv("LANGGRAPH_AUTH", '{"path": "./auth.py:auth"}')
    for path in ("/", "/page/state", "/page/documents"):
        answer = client.get(path)
        assert answer.status_code == 403 and "enable_custom_route_auth" in answer.json()["detail"]


def test_without_a_root_the_page_says_what_to_set(client, monkeypatch):
    monkeypatch.delenv("RAGRAPHS_ROOT")
    settings.cache_clear()
    assert client.get("/").status_code == 200
    assert "RAGRAPHS_ROOT" in client.get("/page/state").json()["detail"]
