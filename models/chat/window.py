"""The context window of a server of one's own, and prompts that are packed to fit into it.

Some servers cut silently what is longer than their window, or load a model with a smaller one than
it was trained for; so the window that is in use is asked for, in each server's own way.
"""

from __future__ import annotations

import asyncio
import math
import string
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx
from langchain_core.messages import BaseMessage
from pydantic import SecretStr

from ...prompts.prompt import Excerpt, Inputs, Prompt
from .envelope import tokens_in
from .fetch import fetch_json, rows_in

SMALLEST_WINDOW = 2048
_LARGEST_REPLY = 2048
_SECONDS = 3
_MOST_TOKENS = 100_000_000
_LETTERS = (string.ascii_letters + string.whitespace).encode()
_UNKNOWN_SECONDS = 600
_known: dict[tuple[str, str], tuple[int | None, float]] = {}


class ContextWindow:
    """The window of ``model`` at ``base_url``, asked for once a process; once more where unknown.

    An Ollama or LM Studio that has yet to load the model is made to, for at most ``timeout``
    seconds: only then its window is known. One instance belongs to one event loop.
    """

    def __init__(self, model: str, base_url: str, key: SecretStr, timeout: float) -> None:
        self._model = model
        self._base = base_url.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._asking = asyncio.Lock()

    async def tokens(self) -> int | None:
        """The tokens of a prompt and its reply together; None where the server does not say."""
        place = self._base, self._model
        async with self._asking:
            window, since = _known.get(place, (None, -math.inf))
            if window is None and time.monotonic() - since > _UNKNOWN_SECONDS:
                async with await asyncio.to_thread(self._client) as client:
                    window = await self._ask(client)
                _known[place] = window, time.monotonic()
        return window

    def _client(self) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {self._key.get_secret_value()}"}
        encrypted = urlsplit(self._base).scheme == "https"
        return httpx.AsyncClient(headers=headers, timeout=_SECONDS, verify=encrypted)

    async def _ask(self, client: httpx.AsyncClient) -> int | None:
        window, waits = await self._look_up(client)
        if window is None and waits:
            words = [{"role": "user", "content": "Hello"}]
            body = {"model": self._model, "messages": words, "max_tokens": 1}
            try:
                async with asyncio.timeout(self._timeout):
                    url = f"{self._base}/chat/completions"
                    async with client.stream("POST", url, json=body, timeout=self._timeout):
                        pass
            except (httpx.HTTPError, TimeoutError):
                return None
            window, _ = await self._look_up(client)
        return window

    async def _look_up(self, client: httpx.AsyncClient) -> tuple[int | None, bool]:
        """The window, and whether it is unknown because the model is not loaded yet."""
        root = self._base.removesuffix("/v1")
        urls = [f"{self._base}/models"]
        urls += [f"{root}/{path}" for path in ("api/ps", "api/v0/models", "props")]
        try:
            async with asyncio.timeout(_SECONDS):
                asked = asyncio.gather(*(fetch_json(client, url) for url in urls))
                listed, running, loaded, props = await asked
        except TimeoutError:
            return None, False
        generation = props.get("default_generation_settings") if isinstance(props, dict) else None
        ours = [row for row in rows_in(loaded, "data") if row.get("id") == self._model]
        found = (
            *(row.get("max_model_len") for row in rows_in(listed, "data") if self._is(row, "id")),
            *(row.get("context_length") for row in rows_in(running, "models") if self._is(row)),
            *(row.get("loaded_context_length") for row in ours),
            generation.get("n_ctx") if isinstance(generation, dict) else None,
        )
        is_ollama = isinstance(running, dict) and isinstance(running.get("models"), list)
        return next(filter(_is_window, found), None), is_ollama or bool(ours)

    def _is(self, row: Mapping[str, Any], name: str = "model") -> bool:
        """Whether a row is of our model; Ollama adds the tag that is left out."""
        return row.get(name) in {self._model, f"{self._model}:latest"}


def _is_window(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_TOKENS


def most_tokens(text: str) -> float:
    """About the most tokens that ``text`` may be.

    Fit on 37 English and Korean texts (stories, manuals, notes, code) with the tokenizers of
    GPT-4o, GPT-4, Llama 3, Mistral 7B and Llama 2: they make at most 0.99, 1.06, 1.01, 1.22 and
    1.47 times as many tokens of one.
    """
    latin = text.encode("ascii", "ignore")
    signs = len(latin.translate(None, _LETTERS))
    return (len(latin) - signs) / 4 + signs * 0.8 + (len(text) - len(latin)) * 1.5


def fewest_tokens(text: str) -> float:
    """About the fewest tokens that ``text`` may be: half as many as those tokenizers make of it."""
    written = "".join(text.split())
    latin = len(written.encode("ascii", "ignore"))
    return latin / 6 + (len(written) - latin) * 0.35


def was_cut(reply: BaseMessage, sent: Sequence[BaseMessage]) -> bool:
    """Whether ``reply`` says that the server read far fewer tokens than were ``sent``."""
    read = tokens_in(getattr(reply, "usage_metadata", None), "input_tokens")
    least = math.fsum(fewest_tokens(message.text) for message in sent)
    return 0 < read < least and least > room_for_prompt(SMALLEST_WINDOW) / 2


def room_for_prompt(window: int) -> int:
    """The tokens that a prompt may have, so that a quarter of the window is left for the reply."""
    return window - min(_LARGEST_REPLY, window // 4)


def fitting(prompt: Prompt[Any], inputs: Inputs, excess: float) -> Inputs | None:
    """``inputs`` without their last texts, which ``prompt`` shows in ``excess`` tokens or more.

    The longest list gives up its last text first, but none its only one: None where there is
    nothing more to give up.
    """
    lists: dict[str, list[Excerpt]] = {
        name: list(value) for name, value in inputs.items() if not isinstance(value, str)
    }
    sizes = {
        name: [most_tokens(prompt.filled_in({name: [text]})[name]) for text in texts]
        for name, texts in lists.items()
    }
    while excess > 0:
        long = [name for name in lists if len(lists[name]) > 1]
        if not long:
            return None
        name = max(long, key=lambda name: math.fsum(sizes[name]))
        lists[name].pop()
        excess -= sizes[name].pop()
    packed: dict[str, str | Sequence[Excerpt]] = {**inputs, **lists}
    return packed


def count_texts(inputs: Inputs) -> int:
    """The number of texts in ``inputs``."""
    return sum(len(value) for value in inputs.values() if not isinstance(value, str))
