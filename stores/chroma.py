"""Vectors in Chroma, embedded in the index folder or on a server; always passed explicitly."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from ..state.errors import IncompleteIndexError, RagraphsError
from .queries import batches

if TYPE_CHECKING:
    from chromadb import Collection as ChromaCollection
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.config import Settings as ChromaSettings
    from langchain_chroma import Chroma

Collection = Literal["passages", "entities", "reports"]


class Entry(NamedTuple):
    """The data beside a vector; Chroma keeps the text of passages only, for other programs."""

    id: str
    text: str
    metadata: dict[str, str]


_HNSW: CreateHNSWConfiguration = {"space": "cosine", "ef_search": 200}
_SHOWN: Collection = "passages"
_MOST_ROWS = 5000  # Chroma refuses batches of more than 5461
_EMBEDDED_ROWS = 64
_SHARED_ROWS = 32
_LONGEST_PAUSE = 0.1
_MOST_READ = 256  # Chroma makes an object of each number of a vector


class Vectors:
    """The Chroma collections of one index.

    ``url`` names a Chroma server; without it the store is embedded in ``folder``. On a server the
    collections of an index are told apart by ``index_id``. In a process that ``is_shared`` with
    others' requests, writing pauses for these again and again. All methods block, are safe to call
    from several threads, and raise RagraphsError where Chroma cannot be read or written.

    >>> vectors = Vectors(folder, index_id)
    >>> vectors.add("passages", [Entry("p1", "Text.", {})], embedder.embed(["Text."]))
    >>> [(id, cosine)] = vectors.search("passages", embedder.embed(["Who?"])[0], most=1)
    """

    def __init__(
        self, folder: Path, index_id: str, url: str | None = None, is_shared: bool = False
    ) -> None:
        self._folder = folder / "chroma"
        self._index_id = index_id
        self._url = url
        self._is_shared = is_shared and url is None
        self._collections: dict[Collection, Chroma] = {}
        self._handles: dict[Collection, ChromaCollection] = {}
        self._client: ClientAPI | None = None
        self._lock = Lock()
        self._users = 0
        self._inode: int | None = None
        self._outdated = False

    def close(self) -> None:
        """Closes the collections as soon as nobody uses them; the next use opens them anew.

        To be called when another process has written, because embedded Chroma does not notice.
        """
        with self._lock:
            self._outdated = True
            self._close_if_outdated()

    def ids(self, collection: Collection) -> set[str]:
        """The ids of all vectors in ``collection``."""
        if self._url is None and not self._folder.exists():
            return set()
        with self._opened(collection) as store:
            return set(store.get(include=[])["ids"])

    def add(
        self, collection: Collection, entries: Sequence[Entry], vectors: NDArray[np.float32]
    ) -> None:
        """Adds or replaces one vector for each entry; ``vectors`` has shape (len(entries), d)."""
        with self._opened(collection):
            store = self._plain(collection)
            # Embedded Chroma holds Python's lock for all of a batch, which stops other requests.
            most = _MOST_ROWS if self._url else _SHARED_ROWS if self._is_shared else _EMBEDDED_ROWS
            for start in range(0, len(entries), most):
                began = time.monotonic()
                batch = entries[start : start + most]
                store.upsert(
                    ids=[entry.id for entry in batch],
                    embeddings=vectors[start : start + most],
                    # Chroma indexes texts letter by letter, which takes longer than all else.
                    documents=[entry.text for entry in batch] if collection == _SHOWN else None,
                    metadatas=[entry.metadata for entry in batch],
                )
                if self._is_shared:
                    time.sleep(min(time.monotonic() - began, _LONGEST_PAUSE))

    def get(self, collection: Collection, ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of ``ids`` in this order, shape (len(ids), d).

        Raises IncompleteIndexError where one is missing.
        """
        vectors = np.empty((0, 0), dtype=np.float32)
        with self._opened(collection):
            store = self._plain(collection)
            for start in range(0, len(ids), _MOST_READ):
                batch = list(ids[start : start + _MOST_READ])
                found = store.get(batch, include=["embeddings"])
                rows = {id: row for row, id in enumerate(found["ids"])}
                if len(rows) < len(batch):
                    raise IncompleteIndexError
                read = np.asarray(found["embeddings"], dtype=np.float32)
                if not start:
                    vectors = np.empty((len(ids), read.shape[1]), dtype=np.float32)
                vectors[start : start + len(batch)] = read[[rows[id] for id in batch]]
        return vectors

    def remove(self, collection: Collection, ids: Sequence[str]) -> None:
        """Removes vectors; unknown ids do no harm."""
        if not ids:
            return
        with self._opened(collection) as store:
            for batch in batches(ids, _MOST_ROWS):
                store.delete(batch)

    def clear(self, collection: Collection) -> None:
        """Removes the whole collection; it is made anew at the next use."""
        with self._opened(collection) as store:
            store.delete_collection()
            self._collections.pop(collection)
            self._handles.pop(collection, None)

    def search(
        self, collection: Collection, vector: NDArray[np.float32], most: int
    ) -> list[tuple[str, float]]:
        """The ids of at most ``most`` nearest vectors with their cosines, best first."""
        with self._opened(collection):
            # langchain-chroma leaves out entries without a text.
            found = self._plain(collection).query(
                query_embeddings=vector[np.newaxis], n_results=most, include=["distances"]
            )
        distances = found["distances"] or [[]]
        return [(id, 1 - far) for id, far in zip(found["ids"][0], distances[0], strict=True)]

    @contextmanager
    def _opened(self, collection: Collection) -> Iterator[Chroma]:
        import httpx
        from chromadb.errors import ChromaError

        try:
            with self._lock:
                self._close_if_outdated()
                store = self._collection(collection)
                self._users += 1
            try:
                yield store
            finally:
                with self._lock:
                    self._users -= 1
        except (ChromaError, httpx.HTTPError) as error:
            self._outdated = True
            raise self._unusable(error) from error

    def _close_if_outdated(self) -> None:
        if self._users or not (self._outdated or self._is_replaced()):
            return
        self._collections.clear()
        self._handles.clear()
        self._outdated = False
        if self._client is not None and self._url is None:
            self._client.close()  # type: ignore[attr-defined]  # only the class has it
            self._client = None

    def _is_replaced(self) -> bool:
        return self._url is None and self._inode != _inode_of(self._folder)

    def _name(self, collection: Collection) -> str:
        return f"{self._index_id}-{collection}"

    def _collection(self, collection: Collection) -> Chroma:
        if self._client is None:
            self._client = self._connect()
            self._inode = _inode_of(self._folder)
        if collection not in self._collections:
            from langchain_chroma import Chroma

            self._collections[collection] = Chroma(
                self._name(collection),
                client=self._client,
                client_settings=_quiet_settings(),
                collection_configuration={"hnsw": _HNSW},
            )
        return self._collections[collection]

    def _plain(self, collection: Collection) -> ChromaCollection:
        """Chroma's own handle, while the collection is opened."""
        if collection not in self._handles:
            assert self._client is not None
            self._handles[collection] = self._client.get_collection(
                self._name(collection), embedding_function=None
            )
        return self._handles[collection]

    def _connect(self) -> ClientAPI:
        import chromadb

        logging.getLogger("chromadb.telemetry").setLevel(logging.CRITICAL)
        quiet = _quiet_settings()
        if self._url is None:
            return chromadb.PersistentClient(str(self._folder), quiet.model_copy())
        address = urlsplit(self._url)
        try:
            return chromadb.HttpClient(
                address.hostname or "localhost",
                address.port or (443 if address.scheme == "https" else 8000),
                ssl=address.scheme == "https",
                settings=quiet.model_copy(),
            )
        except ValueError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> RagraphsError:
        if self._url is not None:
            return RagraphsError(
                f"The Chroma server at {self._url} does not answer ({_sentence(error)}); start it, "
                "or unset RAGRAPHS_CHROMA_URL."
            )
        return RagraphsError(
            f"The vectors in {self._folder} cannot be read or written ({_sentence(error)}); try "
            "again, or delete that folder and run: ragraphs index"
        )


@lru_cache(maxsize=1)
def _quiet_settings() -> ChromaSettings:
    """Settings without telemetry; Chroma takes as long to make them as to open a store."""
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)


def _inode_of(folder: Path) -> int | None:
    database = folder / "chroma.sqlite3"
    return database.stat().st_ino if database.exists() else None


def _sentence(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
