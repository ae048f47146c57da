"""Vectors in Chroma, embedded in the index folder or on a server; always passed explicitly."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from functools import partial
from operator import methodcaller
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from ..state.errors import IncompleteIndexError, RagraphsError, UnavailableError
from .chroma_client import DATABASE, ChromaClient, open_folder, open_server, server_address
from .chroma_rows import MOST_READ, MOST_ROWS, describe_rows, entries_of, nearest, vectors_of
from .chroma_turns import FolderTurn, turn_at
from .queries import batches, patience
from .vectors import FIRST, PARTS, Collection, Entry, Generation, Vectors

if TYPE_CHECKING:
    from chromadb import Collection as ChromaCollection

logger = logging.getLogger("ragraphs.stores")

T = TypeVar("T")

_SHOWN: Collection = "passages"
_EMBEDDED_ROWS = 512
_SHARED_ROWS = 32
_LONGEST_PAUSE = 0.1
_SHORT_PAUSE = 0.005  # in which another process gets its turn
_PAUSE = 0.2  # seconds
_LEFT_BEHIND = (
    "The Chroma server has deleted the vectors, but may keep their bytes; chroma vacuum frees its "
    "files of them."
)
_have_answered: set[str] = set()  # addresses of servers; others are not waited for


class _AwayError(UnavailableError):
    """The server cannot be reached just now."""


class ChromaVectors(Vectors):
    """The Chroma collections of one index.

    ``url`` names a Chroma server; without it the store is embedded in ``folder``. On a server the
    collections of an index are told apart by ``index_id``. ``in_use`` says which generation of
    vectors is in use; one that takes the place of another is read from then on. In a process that
    ``is_shared`` with others' requests, writing pauses for these again and again. A server that
    answered before is waited for as ``queries.patience`` says.
    """

    def __init__(
        self,
        folder: Path,
        index_id: str,
        url: str | None = None,
        in_use: Callable[[], Generation] = Generation,
        is_shared: bool = False,
    ) -> None:
        self._folder = folder
        self._index_id = index_id
        self._url = url
        self._in_use = in_use
        self._is_shared = is_shared
        self._clients: dict[str, ChromaClient] = {}
        self._dimensions: dict[tuple[str, Collection], int] = {}
        self._lock = Lock()

    def at(self, generation: str) -> ChromaVectors:
        in_use = partial(Generation, generation)
        return ChromaVectors(self._folder, self._index_id, self._url, in_use, self._is_shared)

    def close(self) -> None:
        with self._lock:
            for client in self._clients.values():
                client.outdated = True
            self._close_unused()

    def note_written(self, stamp: str) -> None:
        with self._lock:
            for client in self._clients.values():
                client.written = stamp

    def count(self, collection: Collection) -> int:
        return self._read(collection, lambda store: store.count()) or 0

    def lacks(self, collection: Collection) -> bool:
        return not self.count(collection)  # for which Chroma opens no index of vectors

    def dimension(self, collection: Collection) -> int | None:
        place = self._in_use().name, collection
        if place not in self._dimensions:  # which stays, once there is a vector
            first = self._read(collection, lambda store: store.get(limit=1, include=["embeddings"]))
            for vector in first["embeddings"] if first else ():  # type: ignore[union-attr]
                self._dimensions[place] = len(vector)
        return self._dimensions.get(place)

    def ids(self, collection: Collection) -> set[str]:
        return set(self._read(collection, lambda store: store.get(include=[])["ids"]) or ())

    def add(
        self, collection: Collection, entries: Sequence[Entry], vectors: NDArray[np.float32]
    ) -> None:
        # Embedded Chroma holds Python's lock for all of a batch, which stops requests beside it.
        most = MOST_ROWS if self._url else _SHARED_ROWS if self._is_shared else _EMBEDDED_ROWS
        for start in range(0, len(entries), most):
            began = time.monotonic()
            batch = entries[start : start + most]
            put = methodcaller(
                "upsert",
                ids=[entry.id for entry in batch],
                embeddings=vectors[start : start + most],
                # No texts, which Chroma indexes letter by letter and takes long for.
                metadatas=[entry.metadata or None for entry in batch],
            )
            self._done(collection, put, writes=True)
            if self._url is None:
                longest = _LONGEST_PAUSE if self._is_shared else _SHORT_PAUSE
                time.sleep(min(time.monotonic() - began, longest))

    def describe(self, collection: Collection, entries: Sequence[Entry]) -> None:
        most = MOST_ROWS if self._url else _SHARED_ROWS if self._is_shared else _EMBEDDED_ROWS
        for batch in batches(entries, most):
            self._done(collection, partial(describe_rows, entries=batch), writes=True)

    def get(self, collection: Collection, ids: Sequence[str]) -> NDArray[np.float32]:
        found = self._read(collection, lambda store: vectors_of(store, ids))
        if found is None and ids:
            raise IncompleteIndexError
        return np.empty((0, 0), dtype=np.float32) if found is None else found

    def entries(self, collection: Collection) -> Iterator[tuple[list[Entry], NDArray[np.float32]]]:
        for batch in batches(sorted(self.ids(collection)), MOST_READ):
            if found := self._read(collection, partial(entries_of, ids=batch)):
                yield found

    def remove(self, collection: Collection, ids: Sequence[str]) -> None:
        if not ids:
            return
        for batch in batches(ids, MOST_ROWS):
            self._done(collection, methodcaller("delete", batch), writes=True)

    def search_all(
        self,
        collection: Collection,
        vectors: NDArray[np.float32],
        most: int,
        among: AbstractSet[str] | None = None,
    ) -> list[list[tuple[str, float]]]:
        found = partial(nearest, vectors=vectors, most=most, among=among)
        near = self._read(collection, found) or [[] for _ in vectors]
        return [sorted(each, key=lambda one: (-one[1], one[0]))[:most] for each in near]

    def delete_all_but(self, generations: Iterable[str]) -> None:
        kept = set(generations)
        if self._url is None:
            for folder in self._folder.iterdir():
                if folder.name.partition(PARTS)[0] == FIRST and folder.name not in kept:
                    with turn_at(folder, alone=True):  # Chroma dies of files that go
                        shutil.rmtree(folder, ignore_errors=True)
            return
        names = {
            self._name(generation, collection)
            for generation in kept
            for collection in get_args(Collection)
        }
        self._done(_SHOWN, lambda store: self._delete_collections(names))
        self.close()

    def left_behind(self) -> str:
        return _LEFT_BEHIND if self._url is not None else ""

    def _delete_collections(self, kept: AbstractSet[str]) -> None:
        client = self._clients[self._in_use().name].api
        for found in client.list_collections(limit=client.count_collections()):
            if found.name.startswith(f"{self._index_id}-") and found.name not in kept:
                client.delete_collection(found.name)

    def _read(self, collection: Collection, work: Callable[[ChromaCollection], T]) -> T | None:
        """The result of ``work``; None where there are no vectors.

        Of vectors that another generation took the place of meanwhile it is not sure that they
        were all there: then it is done again.
        """
        while True:
            generation = self._in_use()
            try:
                if self._url is None and not (self._folder / generation.name).exists():
                    result = None
                else:
                    result = self._done(collection, work, generation)
            except RagraphsError:
                if self._in_use().name == generation.name:
                    raise
                logger.debug("the vectors in %s were replaced; they are read again", self._folder)
            else:
                if self._in_use().name == generation.name:
                    return result

    def _done(
        self,
        collection: Collection,
        work: Callable[[ChromaCollection], T],
        generation: Generation | None = None,
        writes: bool = False,
    ) -> T:
        """The result of ``work``, which may be done twice where a server restarts meanwhile."""
        until = time.monotonic() + patience.get()
        while True:
            try:
                with self._opened(collection, generation, writes) as store:
                    result = work(store)
            except _AwayError:
                if self._url not in _have_answered or time.monotonic() > until:
                    raise
                logger.debug("the Chroma server does not answer; it is tried again")
                time.sleep(_PAUSE)
            else:
                if self._url is not None:
                    _have_answered.add(self._url)
                return result

    @contextmanager
    def _opened(
        self, collection: Collection, generation: Generation | None = None, writes: bool = False
    ) -> Iterator[ChromaCollection]:
        import httpx
        from chromadb.errors import ChromaError

        generation = generation or self._in_use()
        try:
            with self._turn(generation, writes) as turn:
                with self._lock:
                    client = self._client_at(generation, turn.stamp)
                    if writes:
                        turn.about_to_write()
                        client.stamp = turn.stamp
                    store = client.collection(self._name(generation.name, collection))
                    client.users += 1
                try:
                    yield store
                except RagraphsError:
                    raise
                except Exception:
                    client.outdated = True
                    raise
                finally:
                    with self._lock:
                        client.users -= 1
                        if client.outdated:
                            self._close_unused()
        except (ChromaError, httpx.HTTPError, OSError) as error:
            raise self._unusable(generation, error) from error
        except Exception as error:
            if self._url is None or type(error) is not Exception:
                raise
            # So chromadb tells of a failed proxy.
            raise self._unusable(generation, error) from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # which cannot be imported
                raise
            raise self._unusable(generation, error) from error

    @contextmanager
    def _turn(self, generation: Generation, writes: bool) -> Iterator[FolderTurn]:
        """A turn at the embedded vectors, alone to write and to open them; others share one."""
        folder = self._folder / generation.name if self._url is None else None
        if not writes:
            with turn_at(folder, alone=False) as turn:
                client = self._clients.get(generation.name)
                if folder is None or (client is not None and client.stamp == turn.stamp):
                    yield turn
                    return
        with turn_at(folder, alone=True) as turn:
            yield turn

    def _client_at(self, generation: Generation, stamp: bytes) -> ChromaClient:
        """The client of the generation in use, opened anew where another process has written.

        Embedded Chroma does not notice it, a server does. The lock must be held.
        """
        for name, client in self._clients.items():
            client.outdated |= (
                name != generation.name
                or (self._url is None and not stamp and client.written != generation.written)
                or client.inode != self._inode(name)
                or client.stamp != stamp
            )
        self._close_unused()
        if generation.name not in self._clients:
            self._clients[generation.name] = self._connect(generation)
            self._clients[generation.name].stamp = stamp
            logger.debug("the vectors %s in %s are opened", generation.name, self._folder)
        return self._clients[generation.name]

    def _close_unused(self) -> None:
        for generation, client in list(self._clients.items()):
            if client.outdated and not client.users:
                del self._clients[generation]
                client.close()

    def _name(self, generation: str, collection: Collection) -> str:
        part = "" if generation == FIRST else generation.removeprefix(FIRST)
        return f"{self._index_id}{part}-{collection}"

    def _inode(self, generation: str) -> int | None:
        database = self._folder / generation / DATABASE
        return database.stat().st_ino if self._url is None and database.exists() else None

    def _connect(self, generation: Generation) -> ChromaClient:
        if self._url is None:
            client = open_folder(self._folder / generation.name, generation.written)
            client.inode = self._inode(generation.name)
            return client
        try:
            return open_server(self._url, generation.written)
        except ValueError as error:
            raise self._unusable(generation, error) from error

    def _unusable(self, generation: Generation, error: BaseException) -> RagraphsError:
        if self._url is not None:
            from chromadb.errors import ChromaError, NotFoundError

            # A collection that is gone is looked up anew, as after others made it again.
            is_final = isinstance(error, ChromaError) and not isinstance(error, NotFoundError)
            kind = RagraphsError if is_final else _AwayError
            return kind(
                f"The Chroma server at {server_address(self._url).shown} does not answer "
                f"({_sentence(error)}); start it, or unset RAGRAPHS_CHROMA_URL."
            )
        return RagraphsError(
            f"The vectors in {self._folder / generation.name} cannot be read or written "
            f"({_sentence(error)}); try again, or delete that folder and run: ragraphs index"
        )


def _sentence(error: BaseException) -> str:
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
