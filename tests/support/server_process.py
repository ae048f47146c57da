"""A server in a process of its own, which can be killed and started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx


class ServerProcess:
    """The server that ``command`` starts; it answers at ``health`` once it is up.

    Its output is in the file ``log`` of ``folder``.
    """

    def __init__(self, folder: Path, command: list[str], health: str) -> None:
        self._folder, self._command, self._health = folder, command, health
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        """Whether it was started, and was not killed since."""
        return self._process is not None

    def launch(self) -> None:
        """Starts the server, and does not wait for it."""
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log, process_group=0)

    def start(self) -> None:
        """Starts the server, and waits until it is up."""
        self.launch()
        for _ in range(1200):
            assert self._process is not None and self._process.poll() is None, "the server ended"
            try:
                if httpx.get(self._health, timeout=1).is_success:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise TimeoutError(self._health)

    def pause(self) -> None:
        """Lets the server hang, until it is killed."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGSTOP)

    def kill(self) -> None:
        """Ends the server at once, as ``kill -9`` does."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


def free_port() -> int:
    """A port that nobody uses just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
