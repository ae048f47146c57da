"""A local server that sends exactly the bytes it is told to, in a model's or the web's place."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Sent:
    """A reply as bytes, sent in ``parts`` with ``pause`` seconds between them.

    ``label`` says what is wrong with it ("" for nothing), ``fails`` whether no client could read
    it, ``loses`` whether a part of an honest reply is missing from it, and ``status`` its status.
    """

    label: str
    parts: tuple[bytes, ...]
    pause: float = 0.0
    fails: bool = False
    loses: bool = False
    status: int = 200


@dataclass(frozen=True)
class LoggedRequest:
    """A request, and the reply that it got."""

    path: str
    body: Any
    sent: Sent


Answer = Callable[[str, Any], Sent]


class HostileServer:
    """Answers each POST with ``answer(path, body)`` and remembers it in ``asked``."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[LoggedRequest] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length) or b"null")
                sent = server.answer(self.path, body)
                self.close_connection = True
                try:
                    for place, part in enumerate(sent.parts):
                        time.sleep(sent.pause if place else 0)
                        self.wfile.write(part)
                except ConnectionError:
                    pass  # the client has gone
                finally:
                    server.asked.append(LoggedRequest(self.path, body, sent))

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

        self._http = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """Ends the server."""
        self._http.shutdown()
        self._http.server_close()


@contextmanager
def serving(answer: Answer) -> Iterator[HostileServer]:
    """A running server."""
    server = HostileServer(answer)
    try:
        yield server
    finally:
        server.close()


def http(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> bytes:
    """A response in HTTP."""
    named = {"Content-Type": "application/json", "Connection": "close"}
    named |= {"Content-Length": str(len(body)), **(headers or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status} Said\r\n{lines}\r\n".encode() + body


def completion(content: Any, finish: Any = "stop", **changes: Any) -> dict[str, Any]:
    """A chat completion; ``changes`` go into the message or, if they are its keys, the whole."""
    message = {"role": "assistant", "content": content}
    whole = {
        "id": "attack",
        "object": "chat.completion",
        "created": 1,
        "model": "attack",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 10_000, "completion_tokens": 7, "total_tokens": 10_007},
    }
    message |= {key: value for key, value in changes.items() if key not in whole}
    return whole | {key: value for key, value in changes.items() if key in whole}


def events(pieces: list[Any], ending: bytes = b"data: [DONE]\n\n") -> bytes:
    """A stream of server-sent events; a piece of bytes is sent as it is."""
    shown = b"".join(
        piece if isinstance(piece, bytes) else b"data: " + json.dumps(piece).encode() + b"\n\n"
        for piece in pieces
    )
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + (
        shown + ending
    )


def pieces_of(text: str, size: int) -> list[Any]:
    """The events of a completion of ``text``, ``size`` characters each."""
    shown: dict[str, Any] = {"id": "attack", "object": "chat.completion.chunk", "created": 1}
    deltas = [{"content": text[place : place + size]} for place in range(0, len(text), size)]
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": delta, "finish_reason": None} for delta in deltas
    ]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    return [{**shown, "choices": [choice]} for choice in choices]
