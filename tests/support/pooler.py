"""A real PgBouncer before a PostgreSQL server, from the program of this machine."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from postgres_server import OTHER_USER, PASSWORD, REQUIRED, USER, PostgresServer

_SECONDS = 20
_SETTINGS = """[databases]
postgres = host=127.0.0.1 port={server} dbname=postgres user={user} password='{password}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
auth_type = plain
auth_file = {folder}/users.txt
pool_mode = {mode}
default_pool_size = {size}
max_client_conn = 500
unix_socket_dir =
logfile = {folder}/log
"""


@contextmanager
def pooling(server: PostgresServer, mode: str = "transaction", size: int = 2) -> Iterator[str]:
    """The address of a pooler of ``size`` connections to ``server``; skips without PgBouncer."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        reason = "pgbouncer is not installed"
        if REQUIRED:
            pytest.fail(reason)
        pytest.skip(reason)
    folder = Path(tempfile.mkdtemp(prefix="ragraphs-pooler-"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    known = {"server": server.port, "user": USER, "password": PASSWORD}
    settings = _SETTINGS.format(**known, port=port, folder=folder, mode=mode, size=size)
    (folder / "settings.ini").write_text(settings)
    (folder / "users.txt").write_text(f'"{USER}" "{PASSWORD}"\n')
    if OTHER_USER is not None:
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, OTHER_USER)
    process = subprocess.Popen([program, "-q", str(folder / "settings.ini")], user=OTHER_USER)
    try:
        _await(port)
        yield f"postgresql+psycopg://{USER}:{PASSWORD}@127.0.0.1:{port}/postgres"
    finally:
        process.terminate()
        process.wait(_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)


def _await(port: int) -> None:
    deadline = time.monotonic() + _SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
