"""Server of one's own: the models that it says it serves, and the limits that its requests share.

Some servers cut silently what is longer than their window, or load a model with a smaller one than
it was trained for; many take any name for the one model that they have. So both are asked for, in
each server's own way.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import re
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import httpx
from pydantic import SecretStr

from ...state.records import NewReply, StoredReply
from ..protocol import ReplyTable
from .fetch import fetch_json, rows_in
from .limit import AdaptiveLimit
from .waiting import Waiting

_SECONDS, _CONNECT_SECONDS = 3, 1
_FRESH_SECONDS, _AWAY_SECONDS = 300, 10
_MOST_TOKENS = 100_000_000
_SERVED, _SIZE, _READS = "served_model", "model_size", "reads"
_FEWEST_READ = 200  # tokens, in less than that a request's own time shows
_FASTER = 1.2  # a measure that is worth keeping
_MANY = {"K": 1e3, "M": 1e6, "B": 1e9}


class SharedServer:
    """The limit and the clock of one event loop for a server, which ``answered`` if it ever did."""

    def __init__(self) -> None:
        self.limit = AdaptiveLimit()
        self.waiting = Waiting()
        self.answered = False


class ServedFacts(NamedTuple):
    """The facts that a server tells: its models, and of ours the window, the slots, the identity.

    ``identity`` is empty where it does not say, ``parameters`` are the numbers that the model has
    learned. The window may be unknown because the model ``is_unloaded``.
    """

    names: tuple[str, ...] = ()
    window: int | None = None
    is_unloaded: bool = False
    slots: int | None = None
    identity: str = ""
    parameters: float | None = None


class ServedModel:
    """The model that ``base_url`` serves as ``name``, asked for at the first use and after minutes.

    While the server is away, it is the one that ``replies`` remembers. An Ollama or LM Studio that
    has yet to load the model is made to, for at most ``timeout`` seconds, where its window counts.
    One instance belongs to one event loop.
    """

    def __init__(
        self, name: str, base_url: str, key: SecretStr, timeout: float, replies: ReplyTable
    ) -> None:
        self.facts = ServedFacts()
        self.reads: float | None = None  # tokens a second, at best
        self.address = urlsplit(base_url).netloc.rpartition("@")[2]
        self._name, self._base = name, base_url.rstrip("/")
        self._key, self._timeout = key, timeout
        self._replies = replies
        self._expires = -math.inf
        self._asking = asyncio.Lock()

    @cached_property
    def shared(self) -> SharedServer:
        """The part that other models of the server share; to be asked for in the loop."""
        servers = _servers.setdefault(asyncio.get_running_loop(), {})
        return servers.setdefault(self._base, SharedServer())

    async def know(self) -> None:
        """Asks the server for the facts, where they are not known of late."""
        if time.monotonic() >= self._expires:
            async with self._asking:
                if time.monotonic() >= self._expires:
                    self.shared.answered |= await self._look_up()
        if self.facts.slots:
            self.shared.limit.tell(self.facts.slots)

    def know_soon(self) -> None:
        """Does the same for callers that block, in a loop of its own."""
        if time.monotonic() >= self._expires:
            thread = threading.Thread(target=lambda: asyncio.run(self._look_up()))
            thread.start()
            thread.join()

    async def window(self) -> int | None:
        """The tokens of a prompt and its reply together; None where the server does not say."""
        await self.know()
        async with self._asking:
            if self.facts.window is None and self.facts.is_unloaded:
                await self._load()
                await self._look_up()
                self.facts = self.facts._replace(is_unloaded=False)
        return self.facts.window

    async def _load(self) -> None:
        words = [{"role": "user", "content": "Hello"}]
        body = {"model": self._name, "messages": words, "max_tokens": 1}
        url = f"{self._base}/chat/completions"
        with suppress(httpx.HTTPError, TimeoutError):  # then the window stays unknown
            async with asyncio.timeout(self._timeout), await self._client() as client:
                await client.post(url, json=body, timeout=self._timeout)

    async def _client(self) -> httpx.AsyncClient:
        return await asyncio.to_thread(  # it reads certificates
            httpx.AsyncClient,
            headers={"Authorization": f"Bearer {self._key.get_secret_value()}"},
            timeout=httpx.Timeout(_SECONDS, connect=_CONNECT_SECONDS),
            verify=urlsplit(self._base).scheme == "https",
        )

    async def _look_up(self) -> bool:
        """Takes the facts from the server, or from the replies; whether it answered at all."""
        root, answers = self._base.removesuffix("/v1"), []
        paths = ("api/ps", "api/v0/models", "props", "api/tags")
        urls = [f"{self._base}/models", *(f"{root}/{path}" for path in paths)]

        async def note(response: httpx.Response) -> None:
            answers.append(response.status_code)

        async with await self._client() as client:
            client.event_hooks = {"response": [note]}
            asked = [asyncio.create_task(fetch_json(client, url)) for url in urls]
            _, late = await asyncio.wait(asked, timeout=_SECONDS)
            for task in late:
                task.cancel()
        told = [None if task in late else task.result() for task in asked]
        if answers:
            self.facts = self._facts(*told)
        await asyncio.to_thread(self._remember)
        self._expires = time.monotonic() + (_FRESH_SECONDS if answers else _AWAY_SECONDS)
        return bool(answers)

    def _facts(self, listed: Any, running: Any, loaded: Any, props: Any, tags: Any) -> ServedFacts:
        props = props if isinstance(props, dict) else {}
        generation = props.get("default_generation_settings")
        n_ctx = generation.get("n_ctx") if isinstance(generation, dict) else None
        rows, ours = rows_in(listed, "data"), [r for r in rows_in(listed, "data") if self._is(r)]
        row = (ours or (rows if len(rows) == 1 else [{}]))[0]
        in_studio = [row for row in rows_in(loaded, "data") if row.get("id") == self._name]
        windows = (
            *(row.get("max_model_len") for row in ours),
            *(row.get("context_length") for row in rows_in(running, "models") if self._is(row)),
            *(row.get("loaded_context_length") for row in in_studio),
            n_ctx,
        )
        pulled = [row for row in rows_in(tags, "models") if self._is(row)]
        meta = row.get("meta")
        weights = (
            props.get("model_path"),
            row.get("root"),
            meta,
            *(row.get("digest") for row in pulled),
        )
        # A name alone may be any model's; a file, its size or its digest is one model's.
        known = [weight for weight in weights if weight] or ([self._name] if row else [])
        told = [known, row.get("id"), row.get("max_model_len"), n_ctx]
        is_ollama = isinstance(running, dict) and isinstance(running.get("models"), list)
        slots = props.get("total_slots")
        return ServedFacts(
            tuple(str(one["id"]) for one in rows if "id" in one),
            next(filter(_is_count, windows), None),
            is_ollama or bool(in_studio),
            slots if _is_count(slots) else None,
            json.dumps(told, sort_keys=True) if known else "",
            _parameters(meta, *(row.get("details") for row in pulled)),
        )

    def _is(self, row: Mapping[str, Any]) -> bool:
        """Whether a row is of our model; Ollama adds the tag that is left out."""
        names = {row.get("id"), row.get("model"), row.get("name")}
        return not names.isdisjoint({self._name, f"{self._name}:latest"})

    async def read(self, tokens: int, seconds: float) -> None:
        """Notes that so many new ``tokens`` of a prompt were read in so many ``seconds``."""
        if tokens < _FEWEST_READ or seconds <= 0 or tokens / seconds < _FASTER * (self.reads or 0):
            return  # the best one counts: a busy machine says nothing of the model
        self.reads = tokens / seconds
        await asyncio.to_thread(self._keep, _READS, f"{self.reads:.3g}")

    def _remember(self) -> None:
        """Stores which model is served, and its size, or recalls them; and how fast it reads."""
        known, told = self._kept(_SERVED), bool(self.facts.identity)
        if not told:
            self.facts = self.facts._replace(identity=known)
        elif self.facts.identity != known:
            self._keep(_SERVED, self.facts.identity)
        size, kept = json.dumps([self.facts.window, self.facts.parameters]), self._kept(_SIZE)
        if told and size != kept:
            self._keep(_SIZE, size)
        elif kept and not told:
            window, parameters = json.loads(kept)
            parameters = self.facts.parameters or parameters
            self.facts = self.facts._replace(
                window=self.facts.window or window, parameters=parameters
            )
        reads = self._kept(_READS)
        self.reads = float(reads) if reads else None

    def _place(self, kind: str) -> str:
        of = "" if kind == _SERVED else self.facts.identity
        place = json.dumps([kind, self._base, self._name, *filter(None, [of])])
        return hashlib.sha256(place.encode()).hexdigest()

    def _kept(self, kind: str) -> str:
        [stored] = self._replies.find([self._place(kind)])
        return stored["value"] if stored else ""

    def _keep(self, kind: str, value: str) -> None:
        reply: StoredReply = {"value": value, "words": value, "input_tokens": 0, "output_tokens": 0}
        self._replies.put([NewReply(self._place(kind), kind, "", reply, frozenset())])


_servers: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, SharedServer]] = (
    WeakKeyDictionary()
)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_TOKENS


def _parameters(meta: Any, *details: Any) -> float | None:
    """The number of parameters, as llama.cpp (a number) or Ollama ("134.52M") tells it."""
    count = meta.get("n_params") if isinstance(meta, dict) else None
    if isinstance(count, int) and count > 0:
        return count
    for one in details:
        size = one.get("parameter_size") if isinstance(one, dict) else None
        told = re.fullmatch(r"(\d+(?:\.\d+)?)([KMB])", str(size))
        if told:
            return float(told[1]) * _MANY[told[2]]
    return None
