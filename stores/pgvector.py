"""Vectors in PostgreSQL by its extension pgvector, in tables beside the catalogue's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ARRAY,
    Cast,
    Connection,
    Engine,
    Float,
    LargeBinary,
    Select,
    String,
    Table,
    cast,
    func,
    literal,
    select,
    update,
)

from ..state.errors import IncompleteIndexError
from . import tables
from .conditions import passage_condition
from .pgvector_tables import FULL, HALF, generation_tables, make_table, vector_table, vector_tables
from .postgresql_errors import MissingTableError
from .queries import (
    batches,
    copy_rows,
    count_rows,
    delete_with,
    lookups,
    persistent,
    raw_name,
    rows,
    rows_with,
)
from .tables import WORD
from .vectors import Collection, Entry, Generation, Vectors

T = TypeVar("T")

_INDEXED = 10_000  # of fewer vectors all are compared, in a few milliseconds
_MOST_DIMENSIONS = 4_000  # that an index of pgvector takes
_FEW = 20_000  # ids that are compared sooner than an index is gone through for them
_SEARCHED = 100  # neighbours that a search of the index keeps in sight
_SEARCHING = {  # an index that is there is used, and goes on where a filter leaves too few
    "hnsw.iterative_scan": "relaxed_order",
    "enable_seqscan": "off",
    "jit": "off",  # without an index the plan looks dear
}
_BUILT_WITH = "ef_construction = 200"  # neighbours in sight; 64 of its own find fewer, later
_BUILDING = {  # what is sorted out in memory takes a tenth of the time; it is needed once
    "maintenance_work_mem": "1GB",
    "max_parallel_maintenance_workers": "0",  # they share memory, of which containers have 64 MB
}


@persistent
class PostgresVectors(Vectors):
    """The vectors of one index in the database of its catalogue.

    ``in_use`` says which generation of them is. They are kept as half precision numbers; cosines
    are of the vector that is asked for in full. The filter ``where`` is met by the passages
    ``allowed``, and by no others.
    """

    most_near = 400

    def __init__(
        self,
        engine: Engine,
        in_use: Callable[[], Generation] = Generation,
        where: Mapping[str, Any] | None = None,
        allowed: AbstractSet[str] | None = None,
    ) -> None:
        self._engine = engine
        self._in_use = in_use
        self._where = where
        self._allowed = allowed
        self._dimensions: dict[tuple[str, Collection], int] = {}

    def at(self, generation: str) -> PostgresVectors:
        return PostgresVectors(self._engine, partial(Generation, generation))

    def only(self, where: Mapping[str, Any], allowed: AbstractSet[str]) -> PostgresVectors:
        return PostgresVectors(self._engine, self._in_use, where, allowed)

    def lacks(self, collection: Collection) -> bool:
        return self._look(collection) is None

    def dimension(self, collection: Collection) -> int | None:
        place = self._in_use().name, collection
        if place not in self._dimensions and (found := self._look(collection)):
            self._dimensions[place] = found  # which stays, once there is a vector
        return self._dimensions.get(place)

    def _look(self, collection: Collection) -> int | None:
        def look(table: Table) -> int | None:
            with lookups(self._engine) as connection:
                return connection.scalar(select(func.vector_dims(table.c.vector)).limit(1))

        return self._read(collection, look, None)

    def settle(self, collection: Collection) -> None:
        if (self.dimension(collection) or 0) <= _MOST_DIMENSIONS:
            self._read(collection, self._index, None)

    def _index(self, table: Table) -> None:
        """Makes the index of many vectors, which takes far less time than to add one by one."""
        if count_rows(self._engine, table) < _INDEXED:
            return
        with self._engine.begin() as connection:
            for setting, value in _BUILDING.items():
                connection.exec_driver_sql(f"SET LOCAL {setting} = '{value}'")
            connection.exec_driver_sql(
                f'CREATE INDEX IF NOT EXISTS "{table.name}_near" ON '
                f"{raw_name(connection, table.name)} USING hnsw (vector halfvec_ip_ops) "
                f"WITH ({_BUILT_WITH})"
            )

    def ids(self, collection: Collection) -> set[str]:
        def read(table: Table) -> set[str]:
            return {id for (id,) in rows(self._engine, select(table.c.id))}

        return self._read(collection, read, set())

    def count(self, collection: Collection) -> int:
        return self._read(collection, partial(count_rows, self._engine), 0)

    def owned(self, collection: Collection, owners: AbstractSet[str]) -> set[str]:
        def read(table: Table) -> set[str]:
            owner = func.split_part(table.c.id, "-", 1, type_=String)
            return {id for (id,) in rows_with(self._engine, select(table.c.id), owner, owners)}

        return self._read(collection, read, set())

    def add(
        self, collection: Collection, entries: Sequence[Entry], vectors: NDArray[np.float32]
    ) -> None:
        if not entries:
            return
        table = vector_table(self._in_use().name, collection, vectors.shape[1])
        halves = vectors.astype(np.float16)
        unique = {entry.id: (entry, half) for entry, half in zip(entries, halves, strict=True)}
        with self._engine.begin() as connection:
            make_table(connection, table)
            delete_with(connection, table.c.id, sorted(unique))
            new = (
                {"id": id, "metadata": entry.metadata, "vector": _bytes_of(half)}
                for id, (entry, half) in sorted(unique.items())
            )
            copy_rows(connection, table, new, "BINARY")

    def describe(self, collection: Collection, entries: Sequence[Entry]) -> None:
        def write(table: Table) -> None:
            with self._engine.begin() as connection:
                for entry in entries:
                    named = update(table).where(table.c.id == entry.id)
                    connection.execute(named.values(metadata=entry.metadata))

        self._read(collection, write, None)

    def get(self, collection: Collection, ids: Sequence[str]) -> NDArray[np.float32]:
        if not ids:
            return np.empty((0, 0), dtype=np.float32)

        def read(table: Table) -> dict[str, NDArray[np.float32]]:
            query = select(table.c.id, _sent(table))
            found = rows_with(self._engine, query, table.c.id, ids)
            return {id: _vector_of(sent) for id, sent in found}

        found: dict[str, NDArray[np.float32]] = self._read(collection, read, {})
        if not found.keys() >= set(ids):
            raise IncompleteIndexError
        return np.stack([found[id] for id in ids])

    def entries(self, collection: Collection) -> Iterator[tuple[list[Entry], NDArray[np.float32]]]:
        nothing: list[tuple[Entry, NDArray[np.float32]]] = []
        for batch in batches(sorted(self.ids(collection))):
            if found := self._read(collection, partial(self._entries_of, ids=batch), nothing):
                yield [entry for entry, _ in found], np.stack([vector for _, vector in found])

    def _entries_of(
        self, table: Table, ids: Sequence[str]
    ) -> list[tuple[Entry, NDArray[np.float32]]]:
        query = select(table.c.id, table.c.metadata, _sent(table)).order_by(table.c.id)
        found = rows_with(self._engine, query, table.c.id, ids)
        return [(Entry(id, "", about), _vector_of(sent)) for id, about, sent in found]

    def remove(self, collection: Collection, ids: Sequence[str]) -> None:
        def write(table: Table) -> None:
            with self._engine.begin() as connection:
                delete_with(connection, table.c.id, ids)

        if ids:
            self._read(collection, write, None)

    def search_all(
        self,
        collection: Collection,
        vectors: NDArray[np.float32],
        most: int,
        among: AbstractSet[str] | None = None,
    ) -> list[list[tuple[str, float]]]:
        found = partial(self._nearest, vectors=vectors, most=most, among=among)
        return self._read(collection, found, [[] for _ in vectors])

    def _nearest(
        self, table: Table, vectors: NDArray[np.float32], most: int, among: AbstractSet[str] | None
    ) -> list[list[tuple[str, float]]]:
        by_filter = among is not None and among is self._allowed and len(among) > _FEW
        with self._engine.connect() as connection:
            if by_filter or among is None:
                connection.execute(_going_on(most))
            found = []
            for vector in vectors:
                near: list[tuple[str, float]] = []
                if by_filter or among is None:
                    near = _found(connection, self._by_index(table, vector, most, by_filter))
                    near = [one for one in near if among is None or one[0] in among]
                # Through the index too few are found where those allowed are far from all else.
                if among is not None and len(near) < min(most, len(among)):
                    near = _found(connection, _by_ids(table, vector, most, among))
                found.append(near)
            return found

    def _by_index(
        self, table: Table, vector: NDArray[np.float32], most: int, by_filter: bool
    ) -> Select[Any]:
        """The query for the nearest vectors, which the index of pgvector finds if there is one."""
        asked = _asked(vector)
        near = select(table).order_by(table.c.vector.op("<#>")(asked.cast(HALF)))
        if by_filter and self._where is not None:
            passages = tables.passages
            # A condition on one row, since a join would compare all that it leaves.
            meets = select(passage_condition(self._engine, self._where))
            near = near.where(meets.where(passages.c.id == table.c.id).scalar_subquery())
        return _cosines(near.limit(most).subquery(), asked)

    def delete_all_but(self, generations: Iterable[str]) -> None:
        kept = {name for generation in generations for name in generation_tables(generation)}
        with self._engine.begin() as connection:
            for name in sorted(vector_tables(connection) - kept):
                connection.exec_driver_sql(f"DROP TABLE IF EXISTS {raw_name(connection, name)}")

    def _read(self, collection: Collection, work: Callable[[Any], T], nothing: T) -> T:
        """The result of ``work`` on the table in use, or ``nothing`` where there is none.

        One that another generation took the place of meanwhile may be gone: then it is done again.
        """
        while True:
            generation = self._in_use().name
            try:
                return work(vector_table(generation, collection))
            except MissingTableError:
                if self._in_use().name == generation:
                    return nothing


def _by_ids(
    table: Table, vector: NDArray[np.float32], most: int, ids: AbstractSet[str]
) -> Select[Any]:
    """The query for the nearest vectors of those with ``ids``, each of which is compared."""
    # As one text, which is sent and read faster than so many.
    some = table.c.id == func.any(func.string_to_array("\n".join(ids), "\n", type_=ARRAY(WORD)))
    asked = _asked(vector)
    far = table.c.vector.op("<#>", return_type=Float)(asked.cast(HALF))
    near = select(table).where(some).order_by(far + 0)  # by which no index is gone through
    return _cosines(near.limit(most).subquery(), asked)


def _asked(vector: NDArray[np.float32]) -> Cast[Any]:
    """The vector that is asked for, which is sent and read once wherever it stands in a query."""
    return literal(vector, FULL).cast(FULL)


def _cosines(near: Any, asked: Cast[Any]) -> Select[Any]:
    """Ids with cosines, best first; vectors have a length of 1, or 0 where nothing is known."""
    far = cast(near.c.vector, FULL).op("<#>")(asked)
    cosine = (-far.cast(Float)).label("cosine")
    return select(near.c.id, cosine).order_by(cosine.desc(), near.c.id)


def _found(connection: Connection, query: Select[Any]) -> list[tuple[str, float]]:
    return [(id, float(cosine)) for id, cosine in connection.execute(query)]


def _going_on(most: int) -> Select[Any]:
    """How the server searches in this transaction: behind a pooler, no session is of one index."""
    chosen = _SEARCHING | {"hnsw.ef_search": str(min(max(_SEARCHED, most), 1000))}
    return select(*(func.set_config(name, value, True) for name, value in chosen.items()))


def _sent(table: Table) -> Any:
    """A vector as the server sends it, which is read faster than a text."""
    return func.halfvec_send(table.c.vector, type_=LargeBinary)


def _bytes_of(half: NDArray[np.float16]) -> bytes:
    """A vector as the server takes it: two bytes for its length, two of no meaning, and numbers."""
    return len(half).to_bytes(2, "big") + b"\0\0" + half.astype(">f2").tobytes()


def _vector_of(sent: bytes) -> NDArray[np.float32]:
    return np.frombuffer(sent, ">f2", offset=4).astype(np.float32)
