"""A real Chroma server for tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from server_process import ServerProcess, free_port

# Read once, since tests run without the settings of the person who starts them.
_REQUIRED = os.environ.get("RAGRAPHS_TEST_SERVERS") == "required"
_PROGRAM = Path(sys.executable).with_name("chroma")


class ChromaServer(ServerProcess):
    """A server on a port of this machine, which keeps its files in ``folder``.

    server = ChromaServer(folder)
    server.start()
    """

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = [str(_PROGRAM), "run", "--host", "127.0.0.1", "--port", str(port)]
        command += ["--path", str(folder)]
        super().__init__(folder, command, f"{self.url}/api/v2/heartbeat")


@contextmanager
def serving_chroma(folder: Path) -> Iterator[ChromaServer]:
    """A server that keeps its files in ``folder``; the test is skipped where there is no program.

    With ``RAGRAPHS_TEST_SERVERS=required`` it fails there.
    """
    if not _PROGRAM.exists():
        reason = "there is no program chroma beside Python"
        pytest.fail(reason) if _REQUIRED else pytest.skip(reason)
    server = ChromaServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.kill()
