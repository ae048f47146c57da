"""Puts many holders of keys on ``ragraphs serve`` at once, and looks whether it keeps them apart.

``python -m lab.benchmarks.many_keys --keys 50 --requests 10000 --workers 2``: each key opens an
index of its own and one that all share, and by turns has a quota of requests, of calls, tokens or
money, or none. Its holder asks by all routes, uploads notes and has them indexed, and tries the
indexes, uploads and waiting runs of others. Texts of an index hold a word that no other one has, so
that a reply or a prompt with the word of another is told as a leak. A stub in the model's place
counts what each key has really taken. The exit code is 1 for a leak or a quota that was passed.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import ssl
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import typer
from ragraphs import IndexContext, index_graph
from ragraphs.language.analyser import count_tokens
from ragraphs.server.keys import make_key

from ..attack.hostile_server import Sent, completion, events, http, pieces_of, serving
from ..command import run
from .dev_server import ragraphs_serve
from .stub_model import MODEL
from .stub_replies import stub_reply

_SHARED = "shared"
_QUOTAS = ("requests", "calls", "tokens", "cost", "none")
_TOKENS = 1000  # about as many as a request to the stub takes, of which quotas are made
_PRICE = 1e-6  # dollars a token
_AT_ONCE = 32
_PATIENCE = 120.0  # seconds
# The ways of a request, and their shares.
_WAYS = {
    "ask": 50,
    "chat": 8,
    "page": 8,
    "tool": 8,
    "other_index": 12,
    "upload": 4,
    "other_upload": 3,
    "index": 1,
    "run": 3,
    "other_run": 3,
}
_PAUSED = re.compile(r"^event: paused\r?\ndata: (.*)$", re.MULTILINE)
_WORD = re.compile(r"vault[0-9a-f]{12}")
_ASKER = re.compile(r"asked by (key\d+)")
_PLAIN = ssl.create_default_context()


@dataclass
class KeyHolder:
    """A key, its quota, and what became of it."""

    name: str
    quota: str
    most: float
    secret: str = ""
    admitted: int = 0
    taken: Counter[str] = field(default_factory=Counter)
    largest: int = 0  # tokens of a request
    under_way: int = 0
    most_under_way: int = 0

    @property
    def word(self) -> str:
        """The word of the texts that this key alone opens."""
        return f"vault{sha256(self.name.encode()).hexdigest()[:12]}"

    def takes(self, tokens: int, prompt: str) -> None:
        """Notes a request to the model, and texts of other indexes in it."""
        self.taken.update(calls=1, tokens=tokens, cost=tokens * _PRICE)  # type: ignore[call-overload]
        self.taken["leaks"] += len(set(_WORD.findall(prompt)) - {self.word})
        self.largest = max(self.largest, tokens)

    @property
    def used(self) -> float:
        """How much of the kind of its quota the key has taken: a number, tokens, or dollars."""
        return self.admitted if self.quota == "requests" else self.taken[self.quota]

    @property
    def over(self) -> float:
        """How much more than its quota the key has taken."""
        return 0.0 if self.quota == "none" else max(0.0, self.used - self.most)

    @property
    def keeps(self) -> bool:
        """Whether it took no more beyond its quota than was under way at a time."""
        one = {"tokens": self.largest, "cost": self.largest * _PRICE}.get(self.quota, 0)
        return self.over <= one * self.most_under_way


def main(keys: int = 50, requests: int = 10_000, workers: int = 1, seed: int = 0) -> None:
    """Prints what the requests met, what leaked, and how far each kind of quota was passed."""
    each = requests // keys
    quotas = (_QUOTAS[number % len(_QUOTAS)] for number in range(keys))
    holders = [KeyHolder(f"key{n}", quota, _most(quota, each)) for n, quota in enumerate(quotas)]
    with tempfile.TemporaryDirectory(prefix="ragraphs-keys-") as folder, _stub(holders) as url:
        root = Path(folder)
        _furnish(root, holders)
        options = ("--index", _SHARED, "--keys", "keys.json", "--workers", str(workers))
        environment = {
            "ROOT": ".",
            "MODEL": MODEL,
            "PRICES": "prices.json",
            "QUESTIONS": str(2 * _AT_ONCE),
            "CONTEXT_WINDOW": "32768",
            "UPLOADS": "uploads",
        }
        own = {f"RAGRAPHS_{name}": value for name, value in environment.items()}
        own |= {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "none"}
        with ragraphs_serve(root, *options, **own) as server:
            crowd = Crowd(server.url, holders, random.Random(seed))
            began = time.perf_counter()
            asyncio.run(crowd.send(requests))
            seconds = time.perf_counter() - began
    size = {"keys": keys, "requests": requests, "workers": workers, "seconds": round(seconds)}
    told = crowd.told()
    print(json.dumps({**size, **told}))
    if told["leaks"] or not all(holder.keeps for holder in holders):
        raise typer.Exit(1)


def _most(quota: str, each: int) -> float:
    """A quota that is used up long before ``each`` requests are sent."""
    half, quarter = each // 2, each // 4
    most = {"requests": half, "calls": quarter, "tokens": quarter * _TOKENS}
    return most.get(quota, quarter * _TOKENS * _PRICE)


@contextmanager
def _stub(holders: list[KeyHolder]) -> Iterator[str]:
    """The address of a model that notes for whom it works."""
    by_name = {holder.name: holder for holder in holders}

    def answer(_: str, body: Any) -> Sent:
        human = body["messages"][-1]["content"]
        found = _ASKER.search(human)
        assert found is not None, human
        kind = body["response_format"]["json_schema"]["name"]
        content = json.dumps(stub_reply(kind, human))
        sent = sum(count_tokens(message["content"]) for message in body["messages"])
        usage = {"prompt_tokens": sent, "completion_tokens": count_tokens(content)}
        usage["total_tokens"] = sum(usage.values())
        by_name[found[1]].takes(usage["total_tokens"], human)
        if not body.get("stream"):
            return Sent("", (http(json.dumps(completion(content, usage=usage)).encode()),))
        pieces = pieces_of(content, len(content))
        return Sent("", (events([*pieces, {**pieces[0], "choices": [], "usage": usage}]),))

    with serving(answer) as stub:
        yield stub.url


def _furnish(root: Path, holders: list[KeyHolder]) -> None:
    """Writes keys, prices and indexes below ``root``."""
    price = {"input": 1e6 * _PRICE, "output": 1e6 * _PRICE}
    (root / "prices.json").write_text(json.dumps({"prices": {MODEL: price}}))
    texts = {holder.name: f"The bridge at {holder.word} was designed by Ann." for holder in holders}
    texts[_SHARED] = "The Forth Bridge was designed by John Fowler and Benjamin Baker."
    for name, text in texts.items():
        context = IndexContext(index=str(root / name), embeddings="lexical", model="offline")
        index_graph.invoke({"documents": [{"id": "bridge", "text": text}]}, context=context)
    for holder in holders:
        quota = {} if holder.quota == "none" else {holder.quota: holder.most}
        indexes, rights = [holder.name, _SHARED], ["ask", "write"]
        given: dict[str, Any] = {"indexes": indexes, "rights": rights, **quota}
        holder.secret = make_key(root / "keys.json", holder.name, **given)


class Crowd:
    """Requests of all holders, some at a time, and what became of them."""

    def __init__(self, url: str, holders: list[KeyHolder], chance: random.Random) -> None:
        self.leaks = list[str]()
        self.runs: list[tuple[KeyHolder, str]] = []  # that wait for a person
        self.uploads: list[tuple[KeyHolder, str]] = []
        self.chance = chance
        self._url, self._holders = url, holders
        self.met: dict[str, Counter[str]] = defaultdict(Counter)

    async def send(self, requests: int) -> None:
        """Sends so many requests."""
        numbers = iter(range(requests))
        await asyncio.gather(*(self._work(numbers) for _ in range(_AT_ONCE)))

    async def _work(self, numbers: Iterator[int]) -> None:
        async with httpx.AsyncClient(
            base_url=self._url, timeout=_PATIENCE, verify=_PLAIN
        ) as client:
            for number in numbers:
                holder, other = self.chance.sample(self._holders, 2)
                [way] = self.chance.choices([*_WAYS], [*_WAYS.values()])
                request = KeyRequest(self, client, number, way, holder, other)
                holder.under_way += 1
                holder.most_under_way = max(holder.most_under_way, holder.under_way)
                try:
                    await getattr(request, way)()
                except httpx.HTTPError as error:
                    self.met[way][type(error).__name__] += 1
                holder.under_way -= 1

    def look(self, request: KeyRequest, reply: httpx.Response, sent: object) -> None:
        """Notes the status of ``reply``, and whether it says a word of others that was not sent."""
        self.met[request.way][str(reply.status_code)] += 1
        known = {request.holder.word, *_WORD.findall(str(sent))}
        if not known.issuperset(_WORD.findall(reply.text)):
            self.leaks.append(f"{request.way}: a text of another index")

    def told(self) -> dict[str, Any]:
        """Statuses by the way of a request, leaks, and for each quota how it was kept."""
        quotas: dict[str, Any] = {}
        for quota in _QUOTAS[:-1]:
            own = [holder for holder in self._holders if holder.quota == quota]
            if own:
                used = [round(holder.used, 6) for holder in own]
                quotas[quota] = {
                    "quota": own[0].most,
                    "taken": [min(used), max(used)],
                    "under_way": max(holder.most_under_way for holder in own),
                    "largest_request": max(holder.largest for holder in own),
                }
        met = {way: dict(sorted(counts.items())) for way, counts in sorted(self.met.items())}
        leaks = Counter(self.leaks)
        leaks["prompts"] = sum(holder.taken["leaks"] for holder in self._holders)
        return {"statuses": met, "leaks": dict(+leaks), "quotas": quotas}


@dataclass
class KeyRequest:
    """A request in one of the ways that have a share in ``_WAYS``, each a method."""

    crowd: Crowd
    client: httpx.AsyncClient
    number: int
    way: str
    holder: KeyHolder
    other: KeyHolder

    @property
    def _question(self) -> str:
        return f"Who designed the bridge of request {self.number}, asked by {self.holder.name}?"

    @property
    def _index(self) -> str:
        return self.holder.name if self.number % 3 else _SHARED

    async def ask(self) -> None:
        self._count(await self._ask(self._index))

    async def chat(self) -> None:
        self._count(await self._chat(self._index))

    async def page(self) -> None:
        self._count(await self._page(self._index))

    async def tool(self) -> None:
        self._count(await self._tool(self._index))

    async def other_index(self) -> None:
        """Asks the index of another holder by some way, or looks into it."""
        asks = (self._ask, self._chat, self._page, self._tool, self._explore, self._add)
        reply = await asks[self.number % len(asks)](self.other.name)
        if _succeeded(reply):
            self.crowd.leaks.append(f"{self.way}: {asks[self.number % len(asks)].__name__}")

    async def upload(self) -> None:
        """Uploads a note, and lists the documents with those that wait."""
        reply = await self._add(self.holder.name)
        if reply.is_success:
            self.crowd.uploads += [(self.holder, path) for path in reply.json()["paths"]]
        await self._send("GET", "/page/documents", params={"index": self.holder.name})

    async def other_upload(self) -> None:
        """Has an upload of another holder indexed or discarded."""
        for owner, path in self.crowd.uploads[-_AT_ONCE:]:
            if owner is not self.holder:
                route = "/page/index" if self.number % 2 else "/page/discard"
                if (await self._send("POST", route, json={"paths": [path]})).is_success:
                    self.crowd.leaks.append(f"{self.way}: {route}")

    async def index(self) -> None:
        """Has one's own notes indexed."""
        await self._send("POST", "/page/index", json={"index": self.holder.name})

    async def run(self) -> None:
        """Begins a run that shows its plan, and lets it go on."""
        body = {"question": self._question, "method": "deeprag", "confirm": {"plan": True}}
        reply = await self._send("POST", "/page/ask", json=body)
        self._count(reply)
        if found := _PAUSED.search(reply.text):
            run = json.loads(found[1])["run"]
            self.crowd.runs.append((self.holder, run))
            await asyncio.sleep(0.2)  # for others to try
            self.crowd.runs.remove((self.holder, run))
            reply = await self._send("POST", "/page/resume", json={"run": run, "items": False})
            self._count(reply)

    async def other_run(self) -> None:
        """Goes on with a run of another holder."""
        for owner, waiting in list(self.crowd.runs):
            if owner is not self.holder:
                body = {"run": waiting, "items": False}
                if (await self._send("POST", "/page/resume", json=body)).is_success:
                    self.crowd.leaks.append(self.way)

    async def _ask(self, index: str) -> httpx.Response:
        body = {"question": self._question, "method": "basic", "index": index}
        return await self._send("POST", "/ask", json=body)

    async def _chat(self, index: str) -> httpx.Response:
        said = [{"role": "user", "content": self._question}]
        body = {"model": f"{index}/basic", "messages": said}
        return await self._send("POST", "/v1/chat/completions", json=body)

    async def _page(self, index: str) -> httpx.Response:
        body = {"question": self._question, "method": "basic", "index": index}
        return await self._send("POST", "/page/ask", json=body)

    async def _tool(self, index: str) -> httpx.Response:
        given = {"query": self._question, "method": "basic", "index": index}
        call = {"name": "answer_question", "arguments": given}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        return await self._send("POST", "/mcp", json=body)

    async def _explore(self, index: str) -> httpx.Response:
        routes = ("documents", "document", "words", "overview", "passages", "entities", "graph")
        route = f"/page/{self.crowd.chance.choice(routes)}"
        given = {"index": index, "containing": "bridge", "id": "bridge", "around": "bridge"}
        return await self._send("GET", route, params=given)

    async def _add(self, index: str) -> httpx.Response:
        name = f"note-{self.holder.word}.md"
        files = {"files": (name, f"Note {self.number} of {self.holder.word}.".encode())}
        return await self._send("POST", "/page/upload", params={"index": index}, files=files)

    def _count(self, reply: httpx.Response) -> None:
        self.holder.admitted += _succeeded(reply)

    async def _send(self, method: str, path: str, **given: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.holder.secret}"}
        if path == "/mcp":
            headers["Accept"] = "application/json, text/event-stream"
        reply = await self.client.request(method, path, headers=headers, **given)
        self.crowd.look(self, reply, given)
        return reply


def _succeeded(reply: httpx.Response) -> bool:
    return reply.is_success and '"isError":true' not in reply.text


if __name__ == "__main__":
    run(main)
