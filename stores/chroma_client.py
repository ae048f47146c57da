"""A client of Chroma: how it is opened, on a folder or on a server, and closed."""

from __future__ import annotations

import base64
import ctypes
import logging
import os
import shutil
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from chromadb import Collection
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.config import Settings

DATABASE = "chroma.sqlite3"
_HNSW: CreateHNSWConfiguration = {"space": "cosine", "ef_search": 200}
_M_PERTURB = -6  # of mallopt in glibc
_MOST_SECONDS = 300.0  # for an answer; chromadb would wait for a dead machine for ever


class ServerAddress(NamedTuple):
    """Where a server is: the address that may be ``shown``, and what a request has besides."""

    shown: str
    headers: dict[str, str]
    tenant: str
    database: str

    @property
    def heartbeat(self) -> str:
        """The address at which the server says that it is there."""
        return f"{self.shown}/api/v2/heartbeat"


def server_address(url: str) -> ServerAddress:
    """The parts of an address of a server, of which all but the host may be left out.

    >>> server_address("https://TOKEN@db.example.com/vectors?tenant=ada&database=notes").shown
    'https://db.example.com:443/vectors'
    """
    given = urlsplit(url)
    asked = parse_qs(given.query)
    port = given.port or (443 if given.scheme == "https" else 8000)
    host = f"[{given.hostname}]" if ":" in (given.hostname or "") else given.hostname
    shown = f"{given.scheme or 'http'}://{host or 'localhost'}:{port}{given.path.rstrip('/')}"
    name, password = unquote(given.username or ""), unquote(given.password or "")
    headers = {}
    if password:
        basic = base64.b64encode(f"{name}:{password}".encode()).decode()
        headers = {"Authorization": f"Basic {basic}"}
    elif name:
        headers = {"Authorization": f"Bearer {name}", "X-Chroma-Token": name}
    tenant, database = (asked.get(key, [f"default_{key}"])[0] for key in ("tenant", "database"))
    return ServerAddress(shown, headers, tenant, database)


class ChromaClient:
    """A client of one generation of vectors, with the collections that were opened."""

    def __init__(
        self, api: ClientAPI, written: str | None, copy: TemporaryDirectory[str] | None = None
    ) -> None:
        self.api = api
        self.written = written
        self.inode: int | None = None
        self.stamp = b""
        self.users = 0
        self.outdated = False
        self._copy = copy
        self._collections: dict[str, Collection] = {}

    def collection(self, name: str) -> Collection:
        """The collection of that name, which is made where there is none."""
        if name not in self._collections:
            from langchain_chroma import Chroma

            Chroma(
                name,
                client=self.api,
                client_settings=_quiet_settings(),
                collection_configuration={"hnsw": _HNSW},
            )
            # langchain-chroma leaves out entries without a text.
            self._collections[name] = self.api.get_collection(name, embedding_function=None)
        return self._collections[name]

    def _sessions(self) -> Iterator[Any]:
        for part in (self.api, getattr(self.api, "_admin_client", None)):
            session = getattr(getattr(part, "_server", None), "_session", None)
            if session is not None:
                yield session

    def bound_waiting(self, seconds: float) -> None:
        """Gives a server that many seconds to answer a request."""
        for session in self._sessions():
            session.timeout = seconds

    def close(self) -> None:
        """Closes the client, and the sockets that Chroma would leave open."""
        for session in self._sessions():
            session.close()
        self.api.close()  # type: ignore[attr-defined]  # only the class has it
        if self._copy is not None:
            self._copy.cleanup()


def open_folder(folder: Path, written: str | None) -> ChromaClient:
    """A client of the vectors in ``folder``; of a copy where they can only be read. Blocks."""
    import chromadb

    _empty_new_memory()
    copy = None if _may_be_written(folder) else _copied(folder)
    path = str(folder) if copy is None else copy.name
    api = chromadb.PersistentClient(path, _quiet_settings().model_copy())
    return ChromaClient(api, written, copy)


def open_server(url: str, written: str | None) -> ChromaClient:
    """A client of the server at ``url``. Blocks; raises ValueError where there is none."""
    import chromadb

    address = server_address(url)
    api = chromadb.HttpClient(
        address.shown,
        ssl=address.shown.startswith("https"),
        headers=address.headers,
        settings=_quiet_settings().model_copy(),
        tenant=address.tenant,
        database=address.database,
    )
    client = ChromaClient(api, written)
    client.bound_waiting(_MOST_SECONDS)
    return client


def _may_be_written(folder: Path) -> bool:
    """Whether Chroma can open ``folder``, even to read."""
    database = folder / DATABASE
    if not folder.exists():
        return True
    return os.access(folder, os.W_OK) and (not database.exists() or os.access(database, os.W_OK))


def _copied(folder: Path) -> TemporaryDirectory[str]:
    copy = TemporaryDirectory(prefix="ragraphs-", ignore_cleanup_errors=True)
    for path in folder.rglob("*"):  # contents only: permissions are the reader's own
        at = Path(copy.name) / path.relative_to(folder)
        if path.is_dir():
            at.mkdir(parents=True, exist_ok=True)
        else:
            at.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, at)
    return copy


@lru_cache(maxsize=1)
def _empty_new_memory() -> None:
    """Has the C library empty the memory that it hands out, where it can.

    Chroma writes files with room for vectors to come, which is memory as it was found: it may hold
    texts of other indexes, or such as were removed.
    """
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(_M_PERTURB, 0xFF)  # new memory is filled with the complement


@lru_cache(maxsize=1)
def _quiet_settings() -> Settings:
    """Settings without telemetry; Chroma takes as long to make them as to open a store."""
    from chromadb.config import Settings

    logging.getLogger("chromadb.telemetry").setLevel(logging.CRITICAL)
    return Settings(anonymized_telemetry=False)
