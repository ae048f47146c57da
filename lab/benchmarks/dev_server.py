"""Servers in a folder of their own, for tests and measurements in a checkout."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

_GRAPHS = Path(__file__).parents[2] / "langgraph.json"
_PERSONAL = ("RAGRAPHS_", "OPENAI_", "TAVILY_", "LANGSMITH_", "LANGCHAIN_")
_LONGEST_START = 120


@dataclass(frozen=True)
class DevServer:
    """A running server: its address, its root folder, the file it logs to."""

    url: str
    root: Path
    log: Path


@contextmanager
def dev_server(root: Path, *options: str, **environment: str) -> Iterator[DevServer]:
    """A ``langgraph dev`` that works in ``root``, with lexical embeddings, and no key but those
    given.

    Raises RuntimeError with its log where it does not start.
    """
    shutil.copy(_GRAPHS, root)
    own = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", **environment}
    command = ["langgraph", "dev", "--no-browser", "--no-reload", "--host", "127.0.0.1", *options]
    with _started(command, "/ok", root, own) as server:
        yield server


@contextmanager
def ragraphs_serve(root: Path, *options: str, **environment: str) -> Iterator[DevServer]:
    """A ``ragraphs serve`` that works in ``root``, in the same way."""
    with _started(["ragraphs", "serve", *options], "/health", root, environment) as server:
        yield server


@contextmanager
def _started(
    command: list[str], ready: str, root: Path, environment: dict[str, str]
) -> Iterator[DevServer]:
    port, log = _free_port(), root / "log"
    program = [str(Path(sys.executable).with_name(command[0])), *command[1:], "--port", str(port)]
    env = {name: value for name, value in os.environ.items() if not name.startswith(_PERSONAL)}
    env |= {"RAGRAPHS_EMBEDDINGS": "lexical", **environment}
    with log.open("wb") as file:
        process = subprocess.Popen(
            program, cwd=root, env=env, stdout=file, stderr=file, start_new_session=True
        )
    server = DevServer(f"http://127.0.0.1:{port}", root, log)
    try:
        _wait_until_ready(server, ready, process)
        yield server
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(server: DevServer, ready: str, process: subprocess.Popen[bytes]) -> None:
    latest = time.monotonic() + _LONGEST_START
    while process.poll() is None and time.monotonic() < latest:
        try:
            if httpx.get(f"{server.url}{ready}", timeout=1).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise RuntimeError(server.log.read_text(encoding="utf-8"))
