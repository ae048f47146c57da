"""Embedded vectors whose last changes stand in the catalogue, until there are many of them.

Chroma loads a whole collection to write a vector of it, or to count its ids.
"""

from __future__ import annotations

import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Engine, bindparam, delete, literal_column, select

from ..state.errors import IncompleteIndexError
from .chroma import ChromaVectors
from .chroma_client import DATABASE
from .properties import keep_property, property_in
from .queries import batches, count_rows, plain_rows, rows, rows_with, upsert
from .tables import properties
from .tables import recent_vectors as table
from .vectors import Collection, Entry, Generation

# Properties, one of each collection: its generation whose ids are listed, and its last change.
LISTED = {collection: f"listed_{collection}" for collection in get_args(Collection)}

_LISTED_FROM = 2_000  # vectors; a smaller collection is loaded in no time
_MOST = 1_000  # changes of a collection that wait; each is compared with every question
_SPARE = 16  # neighbours besides those wanted, which may have changed since
_FEW = 500  # owners
_HELD, _PUT, _GONE = 0, 1, 2  # in Chroma as it is; to be put there; to be removed from there
_NUMBER = np.dtype("<f4")
_WAITS = table.c.state > literal_column(str(_HELD))  # as in the index of these rows
_within = table.c.collection + ""  # that SQLite looks for them there, and not by their keys


class _Recent(NamedTuple):
    """The changes of a collection that wait: vectors of length 1 that were put, and ids gone.

    ``stamp`` begins with the generation that they are of.
    """

    stamp: str
    entries: list[Entry]
    places: dict[str, int]
    vectors: NDArray[np.float32]
    changed: frozenset[str]

    @classmethod
    def of(cls, stamp: str, found: Iterable[Any]) -> Self:
        changed, entries, vectors = set[str](), list[Entry](), list[NDArray[np.float32]]()
        for id, metadata, vector in found:
            changed.add(id)
            if vector is not None:
                entries.append(Entry(id, "", metadata))
                vectors.append(np.frombuffer(zlib.decompress(vector), _NUMBER))
        places = {entry.id: place for place, entry in enumerate(entries)}
        whole = np.stack(vectors) if vectors else np.empty((0, 0), np.float32)
        return cls(stamp, entries, places, _of_length_1(whole), frozenset(changed))

    def nearest(
        self, asked: NDArray[np.float32], among: AbstractSet[str] | None
    ) -> list[list[tuple[str, float]]]:
        """The cosines of each of ``asked`` with all that were put, of ``among`` if given."""
        ids = [id for id in self.places if among is None or id in among]
        if not ids:
            return [[] for _ in asked]
        own = self.vectors if among is None else self.vectors[[self.places[id] for id in ids]]
        cosines = _of_length_1(asked) @ own.T
        return [list(zip(ids, each, strict=True)) for each in cosines.tolist()]


class RecentVectors(ChromaVectors):
    """The Chroma collections in the folder of an index, with the changes that wait for them.

    The catalogue, in ``engine``, lists the ids of a large collection, so that an update need not
    open it. Only the writer of the index makes changes.
    """

    def __init__(
        self,
        folder: Path,
        index_id: str,
        engine: Engine,
        in_use: Callable[[], Generation] = Generation,
        is_shared: bool = False,
    ) -> None:
        super().__init__(folder, index_id, None, in_use, is_shared)
        self._engine = engine
        self._kept: dict[Collection, _Recent] = {}

    def count(self, collection: Collection) -> int:
        if self._stamp(collection) is None:
            return super().count(collection)
        return count_rows(self._engine, table, *_there(collection))

    def dimension(self, collection: Collection) -> int | None:
        listed = self._current(collection) or {}
        return listed.get("dimension") or super().dimension(collection)

    def ids(self, collection: Collection) -> set[str]:
        if self._stamp(collection) is None:
            return super().ids(collection)
        found = plain_rows(self._engine, select(table.c.id).where(*_there(collection)))
        return {id for (id,) in found}

    def owned(self, collection: Collection, owners: AbstractSet[str]) -> set[str]:
        if len(owners) > _FEW or self._stamp(collection) is None:
            return super().owned(collection, owners)
        own = table.c.id.between(bindparam("first"), bindparam("last"))
        query = select(table.c.id).where(*_there(collection), own)
        ranges = [{"first": f"{owner}-", "last": f"{owner}."} for owner in owners]
        with self._engine.connect() as connection:
            return {id for one in ranges for id in connection.scalars(query, one)}

    def settle(self, collection: Collection) -> None:
        """Lists the ids of a collection that has become large."""
        if self._stamp(collection) is not None or super().count(collection) < _LISTED_FROM:
            return
        held = [_row(collection, id, _HELD) for id in super().ids(collection)]
        dimension = super().dimension(collection)
        with self._engine.begin() as connection:
            connection.execute(delete(table).where(table.c.collection == collection))
            for batch in batches(held):
                connection.execute(table.insert(), batch)
            _note(connection, collection, self._in_use().name, dimension)

    def add(
        self, collection: Collection, entries: Sequence[Entry], vectors: NDArray[np.float32]
    ) -> None:
        if self._stamp(collection) is None:
            return super().add(collection, entries, vectors)
        if self._waiting(collection) + len(entries) <= _MOST:
            pairs = zip(entries, vectors, strict=True)
            new = [_row(collection, one.id, _PUT, one.metadata, own) for one, own in pairs]
            return self._change(collection, new, vectors.shape[1])
        # Until they are held, they are removed again where this is interrupted.
        self._change(collection, [_row(collection, one.id, _GONE) for one in entries])
        super().add(collection, entries, vectors)
        self._change(collection, [_row(collection, one.id, _HELD) for one in entries])
        return self._flush(collection)

    def describe(self, collection: Collection, entries: Sequence[Entry]) -> None:
        recent = self._recent(collection)
        waits = [] if recent is None else [one for one in entries if one.id in recent.places]
        if recent is not None and waits:
            own = recent.vectors[[recent.places[one.id] for one in waits]]
            self.add(collection, waits, own)
        held = [one for one in entries if recent is None or one.id not in recent.changed]
        if held:
            super().describe(collection, held)

    def remove(self, collection: Collection, ids: Sequence[str]) -> None:
        if self._stamp(collection) is None:
            return super().remove(collection, ids)
        here = table.c.collection == collection
        known = rows_with(self._engine, select(table.c.id).where(here), table.c.id, ids)
        self._change(collection, [_row(collection, id, _GONE) for (id,) in known])
        if self._waiting(collection) > _MOST:
            self._flush(collection)

    def get(self, collection: Collection, ids: Sequence[str]) -> NDArray[np.float32]:
        while True:
            recent = self._recent(collection)
            if recent is None or recent.changed.isdisjoint(ids):
                return super().get(collection, ids)
            found = self._both(collection, ids, recent)
            if self._is_of(recent):
                return found

    def _both(
        self, collection: Collection, ids: Sequence[str], recent: _Recent
    ) -> NDArray[np.float32]:
        held = [id for id in ids if id not in recent.changed]
        rows = {id: row for row, id in enumerate(held)}
        stored = super().get(collection, held) if held else recent.vectors[:0]
        if any(id not in rows and id not in recent.places for id in ids):
            raise IncompleteIndexError
        vectors = np.concatenate([stored, recent.vectors]) if recent.places else stored
        at = [rows.get(id, len(held) + recent.places.get(id, 0)) for id in ids]
        return vectors[at]

    def entries(self, collection: Collection) -> Iterator[tuple[list[Entry], NDArray[np.float32]]]:
        recent = self._recent(collection)
        changed = frozenset[str]() if recent is None else recent.changed
        for found, vectors in super().entries(collection):
            kept = [row for row, entry in enumerate(found) if entry.id not in changed]
            if kept:
                yield [found[row] for row in kept], vectors[kept]
        if recent is not None and recent.entries:
            yield recent.entries, recent.vectors

    def search_all(
        self,
        collection: Collection,
        vectors: NDArray[np.float32],
        most: int,
        among: AbstractSet[str] | None = None,
    ) -> list[list[tuple[str, float]]]:
        while True:  # the changes first: those that reach Chroma meanwhile are then seen once
            recent = self._recent(collection)
            if recent is None or not recent.changed:
                return super().search_all(collection, vectors, most, among)
            near = self._held_near(collection, vectors, most, among, recent.changed)
            both = zip(near, recent.nearest(vectors, among), strict=True)
            if self._is_of(recent):
                return [
                    sorted([*held, *own], key=lambda one: (-one[1], one[0]))[:most]
                    for held, own in both
                ]

    def _held_near(
        self,
        collection: Collection,
        vectors: NDArray[np.float32],
        most: int,
        among: AbstractSet[str] | None,
        changed: frozenset[str],
    ) -> list[list[tuple[str, float]]]:
        """Results of a search of the vectors in Chroma that have not changed since."""
        if among is not None:
            held = among if changed.isdisjoint(among) else among - changed
            return super().search_all(collection, vectors, most, held)
        for wanted in (most + min(_SPARE, len(changed)), most + len(changed)):
            near = super().search_all(collection, vectors, wanted)
            left = [[one for one in each if one[0] not in changed] for each in near]
            counts = zip(map(len, left), map(len, near), strict=True)
            if all(kept >= most or found < wanted for kept, found in counts):
                break
        return left

    def _is_of(self, recent: _Recent) -> bool:
        """Whether no other generation has taken the place of the one that ``recent`` is of."""
        return recent.stamp.startswith(f"{self._in_use().name} ")

    def delete_all_but(self, generations: Iterable[str]) -> None:
        kept = set(generations)
        super().delete_all_but(kept)
        with self._engine.begin() as connection:
            for collection, name in LISTED.items():
                if (listed := property_in(connection, name)) and listed["of"] not in kept:
                    connection.execute(delete(table).where(table.c.collection == collection))
                    connection.execute(delete(properties).where(properties.c.name == name))

    def _current(self, collection: Collection) -> dict[str, Any] | None:
        """The note on the list of ids; None where they are not listed."""
        with self._engine.connect() as connection:
            listed: Any = property_in(connection, LISTED[collection])
        if listed is None or listed["of"] != (name := self._in_use().name):
            return None
        return listed if (self._folder / name / DATABASE).exists() else None

    def _stamp(self, collection: Collection) -> str | None:
        """The stamp of the last change that waits; None where the ids are not listed."""
        listed = self._current(collection)
        return None if listed is None else f"{listed['of']} {listed['stamp']}"

    def _recent(self, collection: Collection) -> _Recent | None:
        """The changes that wait, kept until there are others; None where ids are not listed."""
        if (stamp := self._stamp(collection)) is None:
            return None
        kept = self._kept.get(collection)
        if kept is None or kept.stamp != stamp:
            query = select(table.c.id, table.c.metadata, table.c.vector)
            found = rows(self._engine, query.where(_within == collection, _WAITS))
            kept = _Recent.of(stamp, found)
            self._kept[collection] = kept
        return kept

    def _waiting(self, collection: Collection) -> int:
        return count_rows(self._engine, table, _within == collection, _WAITS)

    def _change(
        self, collection: Collection, new: Sequence[dict[str, Any]], dimension: int | None = None
    ) -> None:
        if new:
            with self._engine.begin() as connection:
                for batch in batches(new):
                    upsert(connection, table, batch)
                _note(connection, collection, self._in_use().name, dimension)

    def _flush(self, collection: Collection) -> None:
        """Makes all changes that wait in Chroma; they are made again where this is interrupted."""
        if (recent := self._recent(collection)) is None or not recent.changed:
            return
        gone = sorted(recent.changed - recent.places.keys())
        super().remove(collection, gone)
        if recent.entries:
            super().add(collection, recent.entries, recent.vectors)
        here = (table.c.collection == collection,)
        with self._engine.begin() as connection:
            connection.execute(delete(table).where(*here, table.c.state == _GONE))
            put = table.update().where(*here, table.c.state == _PUT)
            connection.execute(put.values(state=_HELD, vector=None, metadata={}))
            _note(connection, collection, self._in_use().name)


def _there(collection: Collection) -> tuple[ColumnElement[bool], ...]:
    return table.c.collection == collection, table.c.state != _GONE


def _row(
    collection: Collection,
    id: str,
    state: int,
    metadata: Mapping[str, Any] | None = None,
    vector: NDArray[np.float32] | None = None,
) -> dict[str, Any]:
    blob = None if vector is None else zlib.compress(vector.astype(_NUMBER).tobytes(), level=1)
    kept = {"metadata": dict(metadata or {}), "vector": blob}
    return {"collection": collection, "id": id, "state": state, **kept}


def _note(
    connection: Connection, collection: Collection, generation: str, dimension: int | None = None
) -> None:
    """Notes that the ids of a collection are listed, and have changed; a dimension stays."""
    before = property_in(connection, LISTED[collection]) or {}
    dimension = dimension or before.get("dimension")
    noted = {"of": generation, "stamp": uuid.uuid4().hex, "dimension": dimension}
    keep_property(connection, LISTED[collection], noted)


def _of_length_1(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: NDArray[np.float32] = vectors / np.maximum(lengths, np.float32(1e-12))
    return found
