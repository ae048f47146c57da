"""Language models within reach, which are named to a person and never used unasked."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import socket
from contextlib import suppress
from importlib.util import find_spec
from typing import NamedTuple
from urllib.parse import urlsplit

from ..settings import Settings

_SECONDS, _TO_REACH = 0.3, 0.1
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_NAME = re.compile(r"[A-Za-z0-9][\w./:@+-]{0,99}", re.ASCII)
_OTHER_MODELS = re.compile(r"embed|bge-|minilm|rerank|whisper", re.IGNORECASE)

LOCAL_SERVERS = {
    "Ollama": "http://127.0.0.1:11434/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
    "A server such as vLLM": "http://127.0.0.1:8000/v1",
}
_CONNECT = (
    "For written answers connect a language model, for example a local one: "
    "ollama pull llama3.2; then OPENAI_BASE_URL=http://127.0.0.1:11434/v1 ragraphs ask ... "
    "--model openai:llama3.2"
)


class _Provider(NamedTuple):
    """A provider by the variable of its key: a small model of it, and the package it needs."""

    key: str
    model: str
    package: str


_PROVIDERS = (
    _Provider("OPENAI_API_KEY", "openai:gpt-4o-mini", "langchain-openai"),
    _Provider("ANTHROPIC_API_KEY", "anthropic:claude-haiku-4-5", "langchain-anthropic"),
    _Provider("GOOGLE_API_KEY", "google_genai:gemini-2.5-flash", "langchain-google-genai"),
    _Provider("MISTRAL_API_KEY", "mistralai:mistral-small-latest", "langchain-mistralai"),
)


def advice(operator: Settings) -> str:
    """One sentence on how to get written answers here: a model within reach, or how to connect one.

    Local servers that listen at their usual addresses are asked for their models, for at most 0.3 s
    in all, where no setting and no key of the operator's names another way. Blocks; not for event
    loops.
    """
    if operator.model != "offline":
        return f"{operator.model}, the model of RAGRAPHS_MODEL, answers where --model is left out."
    if operator.models:
        return f"Name a model that is allowed here with --model: {', '.join(operator.models)}."
    address = operator.openai_base_url or ""
    if address and not (urlsplit(address).hostname or "").endswith(".openai.com"):
        return _at_own_address(address)
    for key, model, package in _PROVIDERS:
        if os.environ.get(key):
            missing = find_spec(package.replace("-", "_")) is None
            first = f" after: pip install {package}" if missing else ""
            return f"{model.partition(':')[2]} can be used with --model {model}{first}"
    return _local() or _CONNECT


def _at_own_address(address: str) -> str:
    """The advice where the operator names a server, which is asked only on this machine."""
    local = urlsplit(address).hostname in _LOOPBACK
    name = _models_at([address])[0] if local else None
    shown = f"--model openai:{name}" if name else "--model openai:NAME, with the name of its model"
    return f"The server at OPENAI_BASE_URL can be used with {shown}"


def _local() -> str:
    for (server, address), name in zip(
        LOCAL_SERVERS.items(), _models_at(list(LOCAL_SERVERS.values())), strict=True
    ):
        if name:
            return (
                f"{server} runs here with {name}: "
                f"OPENAI_BASE_URL={shlex.quote(address)} ragraphs ask ... --model openai:{name}"
            )
        if name == "" and server == "Ollama":
            return "Ollama runs here without a model; get one with: ollama pull llama3.2"
    return ""


def _models_at(addresses: list[str]) -> list[str | None]:
    """Of each address its first chat model, "" where it lists none, None where nobody answers."""

    listening = list(filter(_listens, addresses))
    if not listening:  # the client takes a tenth of a second to import
        return [None for _ in addresses]
    import httpx

    from .chat.fetch import fetch_json

    async def ask() -> list[str | None]:
        # Past no proxy and no certificate: nothing but this machine is asked.
        async with httpx.AsyncClient(trust_env=False, verify=False) as client:
            tasks = [
                asyncio.create_task(fetch_json(client, f"{address.rstrip('/')}/models"))
                for address in listening
            ]
            done, late = await asyncio.wait(tasks, timeout=_SECONDS)
            for task in late:
                task.cancel()
            return [_first_model(task.result()) if task in done else None for task in tasks]

    names = dict(zip(listening, asyncio.run(ask()), strict=True))
    return [names.get(address) for address in addresses]


def _listens(address: str) -> bool:
    """Whether a server accepts a connection at ``address`` at once."""
    with suppress(OSError, ValueError):
        place = urlsplit(address)
        port = place.port or (443 if place.scheme == "https" else 80)
        socket.create_connection((place.hostname or "", port), _TO_REACH).close()
        return True
    return False


def _first_model(data: object) -> str | None:
    """The first model in a list in OpenAI's form whose name can be typed and does not embed."""
    if not (isinstance(data, dict) and data.get("object") == "list"):
        return None
    from .chat.fetch import rows_in

    names = [row.get("id") for row in rows_in(data, "data")]
    fit = (name for name in names if isinstance(name, str) and _NAME.fullmatch(name))
    return next((name for name in fit if not _OTHER_MODELS.search(name)), "")
