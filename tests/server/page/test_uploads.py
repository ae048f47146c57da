"""Forms of files that are made to cost the server more than they are worth."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from socket import create_connection, socket
from typing import Any

import httpx
import pytest
from ragraphs import IndexContext, index_graph
from ragraphs.server.page import uploads
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError
from starlette.requests import Request
from tool_server import serving_questions

FILE = b'--b\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n'
FIELD = b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
END = b"--b--\r\n"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("root")
    context = IndexContext(index=str(root / "notes"), embeddings="lexical")
    index_graph.invoke({"documents": [{"id": "a", "text": "It is old."}]}, context=context)
    with serving_questions(root, "--index", "notes", RAGRAPHS_UPLOADS="uploads") as url:
        yield url


def sent(url: str, body: bytes, charset: str = "") -> httpx.Response:
    kind = "multipart/form-data; boundary=b" + (charset and f"; charset={charset}")
    head = {"Content-Type": kind}
    return httpx.post(f"{url}/page/upload", content=body, headers=head, timeout=60)


@pytest.mark.parametrize("charset", ["punycode", "idna", "utf-16", '"UTF-7"', "nonsense"])
@pytest.mark.parametrize("name", [b"files", b"a\xff-\xfe", b"x-" + b"a" * 60_000])
def test_a_form_in_another_charset_than_utf_8_is_refused_at_once(url, charset, name):
    began = time.monotonic()
    answer = sent(url, FIELD % (name, b"a" * 300_000) + END, charset)
    assert answer.status_code == 422 and "UTF-8" in answer.json()["detail"]
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("charset", ["", "utf-8", '"UTF-8"', "utf8"])
def test_names_are_read_in_utf_8(url, charset):
    answer = sent(url, FILE % ("다리.md".encode(), b"It is long.") + END, charset)
    assert answer.status_code == 200
    assert [Path(path).name for path in answer.json()["paths"]] == ["다리.md"]


@pytest.mark.parametrize(
    "body",
    [
        FIELD % (b"note", b"a") + FILE % (b"a.md", b"a") + END,
        FIELD % (b"\xff", b"a") + END,
        b"--b\r\n\r\n" + END,
        b"--b\r\nContent-Disposition: form-data; name*=punycode''a-\xff\r\n\r\n\r\n" + END,
        b"--c\r\n",
        b"",
    ],
)
def test_a_form_of_no_use_is_told_in_a_sentence(url, body):
    answer = sent(url, body)
    assert answer.status_code == 422 and answer.json()["detail"].endswith(".")


@contextmanager
def slow_upload(url: str) -> Iterator[socket]:
    """The connection of an upload whose body is on its way."""
    place = httpx.URL(url)
    head = (
        "POST /page/upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
    )
    with create_connection((place.host, place.port or 80)) as connection:
        connection.sendall(head.encode() + b"--b\r\n")
        yield connection


@pytest.mark.slow
def test_uploads_beyond_the_bound_wait_and_are_then_refused(url):
    one = FILE % (b"a.md", b"It is long.") + END
    with slow_upload(url), slow_upload(url):
        time.sleep(0.5)
        with ThreadPoolExecutor(3) as clients:
            answers = list(clients.map(lambda _: sent(url, one), range(3)))
        assert httpx.get(f"{url}/page/state", timeout=5).status_code == 200
    assert [answer.status_code for answer in answers] == [503] * 3
    assert all("uploads" in answer.json()["detail"] for answer in answers)
    assert all(int(answer.headers["Retry-After"]) >= 1 for answer in answers)
    assert sent(url, one).status_code == 200  # those who left have made room


async def test_an_upload_that_comes_to_a_halt_is_given_up(monkeypatch):
    async def nothing() -> Any:
        await asyncio.Event().wait()

    monkeypatch.setattr(uploads, "_HALT", 0.1)
    head = [(b"content-type", b"multipart/form-data; boundary=b")]
    request = Request({"type": "http", "method": "POST", "headers": head}, nothing)
    with pytest.raises(RagraphsError, match="send it again"):
        async with asyncio.timeout(5):
            await uploads._files_of(uploads._Bounded(request, settings()))
