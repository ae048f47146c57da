"""A local server in a model's place: it speaks OpenAI's protocol and answers after a fixed time.

It runs in a process of its own, so that its work is not counted as ours.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from ragraphs.language.analyser import count_tokens
from ragraphs.settings import settings

MODEL = "openai:stub"
Reply = Callable[[str, str], Any]
T = TypeVar("T")

_SPAWN = get_context("spawn")
_NUMBER = re.compile(r"\n?^\d+\.\d+ ", re.MULTILINE)
_FENCED = re.compile(r'<text id="([^"]*)" title="([^"]*)">\n(.*?)\n</text>', re.DOTALL)
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


@dataclass
class RequestLog:
    """The requests so far: the kind of reply each wanted, when it came, and the tokens sent."""

    kinds: list[str] = field(default_factory=list)
    arrivals: list[float] = field(default_factory=list)
    tokens: int = 0


@dataclass(frozen=True)
class StubModel:
    """A running server at ``url``, which answers after ``seconds``."""

    url: str
    seconds: float

    def asked(self) -> RequestLog:
        """The requests since the last time."""
        with urllib.request.urlopen(f"{self.url}/asked") as reply:
            return RequestLog(**json.load(reply))


@contextmanager
def stub_model(seconds: float, reply: Reply) -> Iterator[StubModel]:
    """A running server, which ``MODEL`` is asked at meanwhile, also by processes started then.

    ``reply``, a function of a module, gives a reply of the JSON schema called ``kind`` to the
    prompt ``human``.
    """
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_main, args=(theirs, seconds, reply), daemon=True)
    process.start()
    os.environ["OPENAI_BASE_URL"] = url = f"http://127.0.0.1:{ours.recv()}/v1"
    settings.cache_clear()
    try:
        yield StubModel(url, seconds)
    finally:
        process.terminate()
        process.join()
        del os.environ["OPENAI_BASE_URL"]
        settings.cache_clear()


def apart(work: Callable[..., T], *arguments: Any) -> T:
    """The result of ``work(*arguments)`` in a new process, whose memory and time are its own."""
    with ProcessPoolExecutor(1, _SPAWN) as pool:
        return pool.submit(work, *arguments).result()


def texts_of(human: str) -> list[tuple[str, str, str]]:
    """The fenced texts of a prompt: number, title, text."""
    return _FENCED.findall(human)


def as_written(text: str) -> str:
    """A text that is shown sentence by sentence, without the numbers of the sentences."""
    return _NUMBER.sub(" ", text).strip()


def first_sentence(human: str) -> dict[str, Any]:
    """The reply that answers with the beginning of the first text in the prompt ``human``."""
    id, _, text = texts_of(human)[0]
    answer = as_written(text).split(". ")[0][:40]
    return {"from": [f"{id}.1"], "sufficient": True, "answer": answer}


def _main(connection: Connection, seconds: float, reply: Reply) -> None:
    asyncio.run(_run(connection, seconds, reply))


async def _run(connection: Connection, seconds: float, reply: Reply) -> None:
    stub = _Stub(seconds, reply)
    server = await asyncio.start_server(stub.serve, "127.0.0.1", 0)
    connection.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


class _Stub:
    def __init__(self, seconds: float, reply: Reply) -> None:
        self._seconds = seconds
        self._reply = reply
        self._asked = RequestLog()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers the requests of one connection, each with one write."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                arrived = time.monotonic()
                if head.startswith(b"GET"):
                    data, self._asked = json.dumps(vars(self._asked)).encode(), RequestLog()
                else:
                    length = _LENGTH.search(head)
                    assert length is not None
                    self._asked.arrivals.append(arrived)
                    data = self._complete(json.loads(await reader.readexactly(int(length[1]))))
                    await asyncio.sleep(arrived + self._seconds - time.monotonic())
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                    b"content-length: %d\r\n\r\n%b" % (len(data), data)
                )
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _complete(self, body: Any) -> bytes:
        kind = body["response_format"]["json_schema"]["name"]
        sent = sum(count_tokens(message["content"]) for message in body["messages"])
        self._asked.kinds.append(kind)
        self._asked.tokens += sent
        reply = self._reply(kind, body["messages"][-1]["content"])
        content = json.dumps(reply, ensure_ascii=False)
        usage = {"prompt_tokens": sent, "completion_tokens": count_tokens(content)}
        message = {"role": "assistant", "content": content}
        return json.dumps(
            {
                "id": "stub",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {**usage, "total_tokens": sum(usage.values())},
            }
        ).encode()
