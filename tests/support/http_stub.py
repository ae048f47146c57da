"""A local HTTP server whose replies a test decides, and that remembers what it was asked."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Response:
    """Behaviour of the server for one request.

    It waits ``seconds`` first, and ``drip`` seconds after each byte; ``cut`` ends it half way.
    ``events`` are server-sent events, in the place of a body; taking the next one may wait.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0
    cut: bool = False
    drip: float = 0
    events: Iterable[str] | None = None


@dataclass(frozen=True)
class Request:
    """A request to the server, and when the server began and ended its reply."""

    path: str
    headers: Message
    body: Any
    began: float
    ended: float


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # with the usual 5, the system resets some of many connections at once
    daemon_threads = True


class HttpStub:
    """Answers each POST with the next of ``queue``, or with ``otherwise(path, body)``.

    A GET is answered out of ``documents``, by its path, and noted in ``looked_up``.
    """

    def __init__(self, otherwise: Callable[[str, Any], Response]) -> None:
        self.queue: list[Response | Callable[[str, Any], Response]] = []
        self.otherwise = otherwise
        self.requests: list[Request] = []
        self.documents: dict[str, Response | Callable[[], Response]] = {}
        self.looked_up: list[str] = []
        self.most_in_flight = 0
        self.keep_alive = False
        self._in_flight = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def bodies(self) -> list[Any]:
        return [request.body for request in self.requests]

    def slow_down(self, seconds: float) -> None:
        """Has every answer from now on take so many seconds."""
        answer = self.otherwise

        def slowly(path: str, body: Any) -> Response:
            response = answer(path, body)
            response.seconds = seconds
            return response

        self.otherwise = slowly

    def close(self) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _respond(self, path: str, headers: Message, body: Any) -> Response:
        began = time.monotonic()
        with self._lock:
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
            step = self.queue.pop(0) if self.queue else self.otherwise
        response = step if isinstance(step, Response) else step(path, body)
        self._closing.wait(response.seconds)
        with self._lock:
            self._in_flight -= 1
            self.requests.append(Request(path, headers, body, began, time.monotonic()))
        return response

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stub = self

        class Handler(BaseHTTPRequestHandler):
            @property
            def protocol_version(self) -> str:  # type: ignore[override]
                return "HTTP/1.1" if stub.keep_alive else "HTTP/1.0"

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers["Content-Length"]))
                response = stub._respond(self.path, self.headers, json.loads(sent))
                try:
                    _send(self, response)
                except OSError:
                    self.close_connection = True  # the client gave up waiting

            def do_GET(self) -> None:
                stub.looked_up.append(self.path)
                found = stub.documents.get(self.path, Response(None, 404))
                response = found if isinstance(found, Response) else found()
                stub._closing.wait(response.seconds)
                with suppress(OSError):
                    _send(self, response)

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


def _send(handler: BaseHTTPRequestHandler, response: Response) -> None:
    if response.events is not None:
        _send_events(handler, response.events, response.cut)
        return
    body = response.body
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(response.status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    for name, value in response.headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    for place in range(len(data)) if response.drip else ():
        handler.wfile.write(data[place : place + 1])
        time.sleep(response.drip)
    if not response.drip:
        handler.wfile.write(data[: len(data) // 2] if response.cut else data)
    if response.cut:
        handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)
        handler.close_connection = True


def _send_events(handler: BaseHTTPRequestHandler, events: Iterable[str], cut: bool) -> None:
    handler.wfile.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
    )
    for event in events:
        data = f"data: {event}\n\n".encode()
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        handler.wfile.flush()
    handler.close_connection = True
    if not cut:
        handler.wfile.write(b"0\r\n\r\n")
