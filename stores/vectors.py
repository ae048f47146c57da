"""Vectors in Chroma, embedded in the index folder or on a server; always passed explicitly."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ..state.errors import RagraphsError
from ..state.records import Passage

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from langchain_chroma import Chroma

Collection = Literal["passages"]

_MOST_ROWS = 5000  # Chroma refuses batches of more than 5461


class Vectors:
    """The Chroma collections of one index.

    ``url`` names a Chroma server; without it the store is embedded in ``folder``. On a server the
    collections of an index are told apart by ``index_id``. All methods block.
    """

    def __init__(self, folder: Path, index_id: str, url: str | None = None) -> None:
        self._folder = folder
        self._index_id = index_id
        self._url = url
        self._collections: dict[Collection, Chroma] = {}

    def ids(self, collection: Collection) -> set[str]:
        """The ids of all vectors in ``collection``."""
        return set(self._collection(collection).get(include=[])["ids"])

    def add(
        self, collection: Collection, passages: Sequence[Passage], vectors: NDArray[np.float32]
    ) -> None:
        """Adds or replaces one vector for each passage, with its text for other users of Chroma."""
        self._collection(collection)
        store = self._client.get_collection(self._name(collection), embedding_function=None)
        for start in range(0, len(passages), _MOST_ROWS):
            batch = passages[start : start + _MOST_ROWS]
            store.upsert(
                ids=[passage["id"] for passage in batch],
                embeddings=vectors[start : start + _MOST_ROWS],
                documents=[passage["text"] for passage in batch],
                metadatas=[
                    {"document": passage["document"], "title": passage["title"]}
                    for passage in batch
                ],
            )

    def remove(self, collection: Collection, ids: Sequence[str]) -> None:
        """Removes vectors; unknown ids do no harm."""
        store = self._collection(collection)
        for start in range(0, len(ids), _MOST_ROWS):
            store.delete(list(ids[start : start + _MOST_ROWS]))

    def clear(self, collection: Collection) -> None:
        """Removes the whole collection; it is made anew at the next use."""
        self._collection(collection).delete_collection()
        self._collections.pop(collection)

    def search(
        self, collection: Collection, vector: NDArray[np.float32], most: int
    ) -> list[tuple[str, float]]:
        """The ids of at most ``most`` nearest vectors with their cosines, best first."""
        found = self._collection(collection).similarity_search_by_vector_with_relevance_scores(
            vector.tolist(), k=most
        )
        return [(str(document.id), 1 - distance) for document, distance in found]

    def _name(self, collection: Collection) -> str:
        return f"{self._index_id}-{collection}"

    def _collection(self, collection: Collection) -> Chroma:
        if collection not in self._collections:
            from langchain_chroma import Chroma

            self._collections[collection] = Chroma(
                self._name(collection),
                client=self._client,
                collection_configuration={"hnsw": {"space": "cosine", "ef_search": 200}},
            )
        return self._collections[collection]

    @cached_property
    def _client(self) -> ClientAPI:
        import chromadb
        from chromadb.config import Settings

        logging.getLogger("chromadb.telemetry").setLevel(logging.CRITICAL)
        quiet = Settings(anonymized_telemetry=False)
        if self._url is None:
            return chromadb.PersistentClient(str(self._folder / "chroma"), quiet)
        from urllib.parse import urlsplit

        address = urlsplit(self._url)
        try:
            return chromadb.HttpClient(
                address.hostname or "localhost",
                address.port or (443 if address.scheme == "https" else 8000),
                ssl=address.scheme == "https",
                settings=quiet,
            )
        except ValueError as error:
            raise RagraphsError(
                f"No Chroma server answers at {self._url}; start one, or unset RAGRAPHS_CHROMA_URL."
            ) from error
