"""A local server in the place of OpenAI's for every system: chat, embeddings, and their count.

Chat is answered by rules after a fixed time, or by another server that is OpenAI-compatible.
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from aiohttp import ClientSession, ClientTimeout, web
from ragraphs.language.analyser import count_tokens
from ragraphs.models.embeddings import Embedder, open_embedder
from ragraphs.settings import settings

from .replies import reply_to

MODEL, EMBEDDINGS = "same-model", "same-embeddings"

_SPAWN = get_context("spawn")
_LARGEST = 64 << 20  # bytes of a request


@dataclass(frozen=True)
class Voice:
    """The source of replies: ``url`` of a server, or rules that take ``seconds``."""

    seconds: float = 0.2
    url: str = ""
    model: str = ""


@dataclass
class Asked:
    """Requests for replies, and the tokens sent to the model and received; texts embedded."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    embedded: int = 0


@dataclass(frozen=True)
class PeerServer:
    """A running server at ``url``; its vectors have ``dimension`` numbers."""

    url: str
    dimension: int


@contextmanager
def peer_server(voice: Voice, embeddings: str) -> Iterator[PeerServer]:
    """A running server in a process of its own, so that its work is nobody's."""
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_main, args=(theirs, voice, embeddings), daemon=True)
    process.start()
    theirs.close()
    try:
        port, dimension = ours.recv()
        yield PeerServer(f"http://127.0.0.1:{port}/v1", dimension)
    finally:
        process.terminate()
        process.join()


def _main(connection: Connection, voice: Voice, embeddings: str) -> None:
    asyncio.run(_serve(connection, voice, embeddings))


async def _serve(connection: Connection, voice: Voice, embeddings: str) -> None:
    embedder = open_embedder(embeddings, settings())
    async with ClientSession(timeout=ClientTimeout(total=None)) as session:
        serving = _Serving(voice, embedder, session)
        app = web.Application(client_max_size=_LARGEST)
        app.add_routes(
            [
                web.post("/v1/chat/completions", serving.chat),
                web.post("/v1/embeddings", serving.embed),
                web.get("/v1/asked", serving.tell),
            ]
        )
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        connection.send((runner.addresses[0][1], embedder.embed(["size"]).shape[1]))
        await asyncio.Event().wait()


class _Serving:
    def __init__(self, voice: Voice, embedder: Embedder, session: ClientSession) -> None:
        self._voice, self._embedder, self._session = voice, embedder, session
        self._asked = Asked()

    async def tell(self, _: web.Request) -> web.Response:
        """The requests since the last time."""
        told, self._asked = self._asked, Asked()
        return web.json_response(asdict(told))

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """A reply, whole or as a stream of one piece."""
        arrived, body = time.monotonic(), await request.json()
        messages = [{**one, "content": _text(one["content"])} for one in body["messages"]]
        if self._voice.url:
            content = await self._from_upstream(body)
        else:
            schema = (body.get("response_format") or {}).get("json_schema") or {}
            content = reply_to(messages, schema.get("name", ""))
            await asyncio.sleep(arrived + self._voice.seconds - time.monotonic())
        sent = sum(count_tokens(one["content"]) for one in messages)
        received = count_tokens(content)
        self._asked.calls += 1
        self._asked.tokens_in += sent
        self._asked.tokens_out += received
        usage = {"prompt_tokens": sent, "completion_tokens": received,
                 "total_tokens": sent + received}  # fmt: skip
        head = {"id": "same", "created": 0, "model": body["model"], "usage": usage}
        if body.get("stream"):
            return await _streamed(request, head, content)
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return web.json_response({**head, "object": "chat.completion", "choices": [choice]})

    async def _from_upstream(self, body: dict[str, Any]) -> str:
        asked = {name: body[name] for name in ("messages", "response_format") if body.get(name)}
        url = f"{self._voice.url}/chat/completions"
        while True:
            async with self._session.post(url, json={"model": self._voice.model, **asked}) as reply:
                if reply.status != 503:  # that of a reader who has not answered yet
                    found = await reply.json()
                    return str(found["choices"][0]["message"]["content"])

    async def embed(self, request: web.Request) -> web.Response:
        """The vectors of texts, as numbers or as their bytes."""
        body = await request.json()
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        vectors = await asyncio.to_thread(self._embedder.embed, texts)
        self._asked.embedded += len(texts)
        is_bytes = body.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": place, "embedding": _as_sent(row, is_bytes)}
            for place, row in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        head = {"object": "list", "model": body["model"], "usage": usage}
        return web.json_response({**head, "data": data})


def _as_sent(row: Any, is_bytes: bool) -> Any:
    numbers = np.asarray(row, np.float32)
    return base64.b64encode(numbers.tobytes()).decode() if is_bytes else numbers.tolist()


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


async def _streamed(request: web.Request, head: dict[str, Any], content: str) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    piece = {"index": 0, "delta": {"role": "assistant", "content": content}, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    for choice in (piece, end):
        event = {**head, "object": "chat.completion.chunk", "choices": [choice]}
        await response.write(f"data: {json.dumps(event)}\n\n".encode())
    await response.write(b"data: [DONE]\n\n")
    return response
