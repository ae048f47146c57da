"""Vectors of an index: the protocol that ``index`` speaks with a store of them.

A store is one more file beside ``chroma.py`` and ``pgvector.py``, and one more choice in
``vector_store.py``.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Collection = Literal["passages", "entities", "reports"]

FIRST = "chroma"  # the generation that an index begins with; indexes that exist have it so
PARTS = "-"  # between the name of the first generation and the rest of another's


class Entry(NamedTuple):
    """The data beside a vector, and the text that it is of, which a store need not keep."""

    id: str
    text: str
    metadata: dict[str, Any]


class Generation(NamedTuple):
    """The vectors in use.

    ``name`` tells them from vectors that are made beside them, ``written`` changes when anybody has
    written.
    """

    name: str = FIRST
    written: str | None = None


def new_generation() -> str:
    """The name of a generation that is made beside those there are."""
    return f"{FIRST}{PARTS}{uuid.uuid4().hex[:8]}"


class Vectors(Protocol):
    """The vectors of one index, in one collection each for passages, entities and reports.

    All methods block, are safe to call from several threads, and raise RagraphsError where the
    store cannot be read or written, and UnavailableError where its server does not answer. ``d`` is
    the dimension of a generation's vectors; all their numbers are float32.

    >>> vectors = vectors_at(folder, index_id, settings(), engine)
    >>> vectors.add("passages", [Entry("p1", "Text.", {})], embedder.embed(["Text."]))
    >>> [(id, cosine)] = vectors.search("passages", embedder.embed(["Who?"])[0], most=1)
    """

    # So many neighbours are found sooner than the nearest of a few ten thousand ids.
    most_near: ClassVar[int] = 1_500

    def at(self, generation: str) -> Vectors:
        """The vectors of another generation of the same index."""
        ...

    def only(self, where: Mapping[str, Any], allowed: AbstractSet[str]) -> Vectors:
        """The same vectors, of a store that may search ``allowed`` by the filter ``where``.

        The passages ``allowed``, and no others, meet it. By default it searches by their ids.
        """
        return self

    def settle(self, collection: Collection) -> None:
        """Makes what searches of the vectors in ``collection`` need, once all were added."""
        return

    def close(self) -> None:
        """Closes the collections as soon as nobody uses them; the next use opens them anew."""
        return

    def note_written(self, stamp: str) -> None:
        """Takes ``stamp`` for this object's own writing, after which nothing is opened anew."""
        return

    def lacks(self, collection: Collection) -> bool:
        """Whether there is no vector in ``collection``, as after the loss of a server's disk."""
        return self.dimension(collection) is None

    def ids(self, collection: Collection) -> set[str]:
        """The ids of all vectors in ``collection``."""
        ...

    def count(self, collection: Collection) -> int:
        """The number of vectors in ``collection``."""
        return len(self.ids(collection))

    def dimension(self, collection: Collection) -> int | None:
        """The dimension of the vectors in ``collection``; None where there are none."""
        some = sorted(self.ids(collection))[:1]
        return int(self.get(collection, some).shape[1]) if some else None

    def owned(self, collection: Collection, owners: AbstractSet[str]) -> set[str]:
        """The ids ``<owner>-<rest>`` of the vectors in ``collection`` of these ``owners``."""
        return {id for id in self.ids(collection) if id.partition("-")[0] in owners}

    def add(
        self, collection: Collection, entries: Sequence[Entry], vectors: NDArray[np.float32]
    ) -> None:
        """Adds or replaces one vector for each entry; ``vectors`` has shape (len(entries), d)."""
        ...

    def describe(self, collection: Collection, entries: Sequence[Entry]) -> None:
        """Puts the metadata of ``entries`` in place of the stored; vectors stay as they are."""
        ...

    def get(self, collection: Collection, ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of ``ids`` in this order, shape (len(ids), d).

        Raises IncompleteIndexError where one is missing.
        """
        ...

    def entries(self, collection: Collection) -> Iterator[tuple[list[Entry], NDArray[np.float32]]]:
        """All entries by id, batch by batch, with their vectors of shape (rows, d)."""
        ...

    def remove(self, collection: Collection, ids: Sequence[str]) -> None:
        """Removes vectors; unknown ids do no harm."""
        ...

    def search(
        self,
        collection: Collection,
        vector: NDArray[np.float32],
        most: int,
        among: AbstractSet[str] | None = None,
    ) -> list[tuple[str, float]]:
        """The ids of at most ``most`` nearest vectors with their cosines, best first, then by id.

        ``vector`` has shape (d,). Given ``among``, of the vectors with these ids. Empty where there
        are none.
        """
        return self.search_all(collection, vector[None], most, among)[0]

    def search_all(
        self,
        collection: Collection,
        vectors: NDArray[np.float32],
        most: int,
        among: AbstractSet[str] | None = None,
    ) -> list[list[tuple[str, float]]]:
        """Results of ``search`` for each of ``vectors`` (any, d), in less time than one by one."""
        ...

    def delete_all_but(self, generations: Iterable[str]) -> None:
        """Deletes all other generations of the index; one in use elsewhere may stay."""
        ...

    def left_behind(self) -> str:
        """Sentence on bytes of deleted vectors that only the store can free; empty for none."""
        return ""
