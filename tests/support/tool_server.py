"""Running servers of ours, by uvicorn or by ``ragraphs serve``, and clients of their tools."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from mcp import Client
from mcp_types import CallToolResult, TextContent
from ragraphs.server.alone import app
from ragraphs.settings import settings
from server_process import free_port


@contextmanager
def serving_tools(root: Path, **environment: str) -> Iterator[str]:
    """The address of a server that works in ``root``, with lexical embeddings."""
    port = str(free_port())
    command = [sys.executable, "-m", "uvicorn", "ragraphs.server.app:app", "--port", port]
    with _running(command, root, {"RAGRAPHS_ROOT": ".", **environment}):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def serving_questions(folder: Path, *options: str, **environment: str) -> Iterator[str]:
    """The address of a ``ragraphs serve`` that works in ``folder``, once it is ready."""
    port = str(free_port())
    with serve_process(folder, port, *options, **environment):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def serving_here(folder: Path, patch: pytest.MonkeyPatch, **environment: str) -> Iterator[str]:
    """The address of what ``ragraphs serve`` serves of ``folder``, by a thread of this process."""
    for name, value in {"RAGRAPHS_ROOT": str(folder), **environment}.items():
        patch.setenv(name, value)
    settings.cache_clear()
    server = uvicorn.Server(uvicorn.Config(app, port=free_port(), log_config=None))
    serving = threading.Thread(target=server.run)
    serving.start()
    try:
        while not server.started:
            assert serving.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.config.port}"
    finally:
        server.should_exit = True
        serving.join()


@contextmanager
def serve_process(
    folder: Path, port: str, *options: str, **environment: str
) -> Iterator[subprocess.Popen[bytes]]:
    """The process of a ``ragraphs serve`` that works in ``folder``, once it is ready."""
    command = [sys.executable, "-c", _SERVE, "serve", "--port", port, *options]
    with _running(command, folder, environment) as process:
        yield process


_SERVE = "from ragraphs.cli.entry import main; main()"  # as the program does


@contextmanager
def _running(
    command: list[str], folder: Path, environment: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("RAGRAPHS_")}
    env |= {"RAGRAPHS_EMBEDDINGS": "lexical", **environment}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)
    try:
        _wait_until_ready(f"http://127.0.0.1:{_port_of(command)}", process, folder / "log")
        yield process
    finally:
        process.terminate()
        process.wait()


def _port_of(command: list[str]) -> str:
    return command[command.index("--port") + 1]


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    latest = time.monotonic() + 180
    while process.poll() is None and time.monotonic() < latest:
        try:
            httpx.get(url)
            return
        except httpx.TransportError:
            time.sleep(0.05)
    raise RuntimeError(log.read_text(encoding="utf-8"))


async def called(server: Any, tool: str, **arguments: Any) -> CallToolResult:
    """The result of a tool, asked by a client of its own."""
    async with Client(server) as client:
        return await client.call_tool(tool, arguments)


def text_of(result: CallToolResult) -> str:
    """Text of ``result`` that a language model reads."""
    assert len(result.content) == 1
    content = result.content[0]
    assert isinstance(content, TextContent)
    return content.text
