"""A real Chroma server for tests."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

_PROGRAM = Path(sys.executable).with_name("chroma")


class ChromaServer:
    """A server on a port of this machine, which can be killed and started again.

    server = ChromaServer(folder)
    server.start()
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Starts the server, and waits until it answers."""
        command = [str(_PROGRAM), "run", "--host", "127.0.0.1", "--port", str(self._port)]
        command += ["--path", str(self._folder)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, process_group=0)
        for _ in range(600):
            assert self._process.poll() is None, "the Chroma server ended"
            try:
                if httpx.get(f"{self.url}/api/v2/heartbeat", timeout=1).is_success:
                    return
            except httpx.TransportError:
                time.sleep(0.1)
        raise TimeoutError(self.url)

    def kill(self) -> None:
        """Ends the server at once, as ``kill -9`` does."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


@contextmanager
def serving_chroma(folder: Path) -> Iterator[ChromaServer]:
    """A server that keeps its files in ``folder``; the test is skipped where there is no program.

    With ``RAGRAPHS_TEST_SERVERS=required`` it fails there.
    """
    if not _PROGRAM.exists():
        reason = "there is no program chroma beside Python"
        is_required = os.environ.get("RAGRAPHS_TEST_SERVERS") == "required"
        pytest.fail(reason) if is_required else pytest.skip(reason)
    server = ChromaServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.kill()


def free_port() -> int:
    """A port that nobody uses just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
