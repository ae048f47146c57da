"""Bringing a database that an earlier version of ragraphs made up to date."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from sqlalchemy import BindParameter, Connection, RowMapping, bindparam, text

from .pieces import last_lines
from .queries import batches, column_names, is_postgresql, raw_name
from .readings import write_codes
from .tables import WORD, compressed
from .vector_tables import packed

# In words of their own, since the tables of an earlier format stay as they were.
_JSON = "JSON NOT NULL DEFAULT '{}'"
_IN_ORDER = 'SELECT number, document, text, start, "end" FROM {} ORDER BY document, start, id'
_SET_BEFORE = "UPDATE {} SET before = :before WHERE number = :number"


def _with_lines_before(connection: Connection) -> None:
    """Turns format 1 into format 2: passages get the lines before them.

    Readings and replies are kept, as made in unknown words.
    """
    word = f"{WORD.compile(connection.dialect)} NOT NULL DEFAULT ''"
    for table, column in (("passages", "before"), ("readings", "words"), ("replies", "words")):
        _add(connection, table, column, word)
    set_before = text(_SET_BEFORE.format(raw_name(connection, "passages")))
    for batch in batches(list(_lines_before(connection))):
        connection.execute(set_before, batch)


def _with_metadata(connection: Connection) -> None:
    """Turns format 2 into format 3: documents and passages get room for metadata.

    It stays empty until the sources are read again.
    """
    for table in ("documents", "passages"):
        _add(connection, table, "metadata", _JSON)
    _add(connection, "passages", "turns", "JSON NOT NULL DEFAULT '[]'")


def _with_half_vectors(connection: Connection) -> None:
    """Turns format 3 into format 4: vectors in tables take half of the bits, and less."""
    beside = [(f"{name}_beside", *columns) for name, *columns in _VECTORS]
    for name, key, column in _VECTORS + beside:
        for added in ("dimension", "size"):
            _add(connection, name, added, "INTEGER NOT NULL DEFAULT 0")
        raw = raw_name(connection, name)
        keys = connection.scalars(text(f"SELECT {key} FROM {raw} WHERE size = 0 ORDER BY {key}"))
        given = text(f"SELECT * FROM {raw} WHERE {key} IN :keys")
        given = given.bindparams(bindparam("keys", expanding=True))
        new = f"{column} = :{column}, dimension = :dimension, size = :size"
        put = text(f"UPDATE {raw} SET {new} WHERE {key} = :key")
        for batch in batches(keys.all()):
            rows = connection.execute(given, {"keys": batch}).mappings().all()
            halves = [{"key": row[key], **_halved(row, column)} for row in rows]
            connection.execute(put, halves)


def _halved(row: RowMapping, column: str) -> dict[str, Any]:
    """The columns of the vectors of ``row``, which are made anew where they are damaged."""
    blob, count = row[column], row.get("sentences", 1)
    dimension = row["dimension"] or len(blob) // 4
    if blob and len(blob) == 4 * count * dimension:
        return packed(np.frombuffer(blob, "<f4").reshape(count, dimension), column)
    return {column: blob, "dimension": 0, "size": -1}


def _with_packed_texts(connection: Connection) -> None:
    """Turns format 4 into format 5: SQLite keeps long texts compressed, and readings have codes.

    Names lose an index.
    """
    connection.exec_driver_sql(f"DROP INDEX IF EXISTS {raw_name(connection, _OF_NAMES)}")
    for table, column in () if is_postgresql(connection) else _TEXTS:
        plain = text(f"SELECT rowid FROM {table} WHERE typeof({column}) = 'text'")
        rows: BindParameter[Any] = bindparam("rows", expanding=True)
        given = text(f"SELECT rowid, {column} FROM {table} WHERE rowid IN :rows").bindparams(rows)
        put = text(f"UPDATE {table} SET {column} = :text WHERE rowid = :row")
        for batch in batches(connection.scalars(plain).all()):
            said = connection.execute(given, {"rows": batch}).all()
            connection.execute(put, [{"row": row, "text": compressed(one)} for row, one in said])
    write_codes(connection)


def _with_files_of_before(connection: Connection) -> None:
    """Turns format 5 into format 6, in which nothing that was stored is another.

    Vectors may wait for Chroma, and arrays have files of before, which earlier versions would miss.
    """


_OF_NAMES = "ix_name_forms_name"
_TEXTS = [("readings", "value"), ("communities", "summary"), ("communities", "findings")]
_VECTORS = [("sentence_vectors", "passage", "vectors"), ("question_vectors", "id", "vector")]
_STEPS = {
    "1": _with_lines_before,
    "2": _with_metadata,
    "3": _with_half_vectors,
    "4": _with_packed_texts,
    "5": _with_files_of_before,
}
EARLIER = frozenset(_STEPS)  # the formats that are upgraded


def upgrade(connection: Connection, format: str) -> None:
    """Turns a database of ``format``, one of ``EARLIER``, into one of today; nothing is lost."""
    for earlier, step in _STEPS.items():
        if int(earlier) >= int(format):
            step(connection)


def _add(connection: Connection, table: str, column: str, form: str) -> None:
    if column not in column_names(connection, table):  # else the table was made just now
        name = raw_name(connection, table)
        connection.exec_driver_sql(f"ALTER TABLE {name} ADD COLUMN {column} {form}")


def _lines_before(connection: Connection) -> Iterator[dict[str, str | int]]:
    in_order = text(_IN_ORDER.format(raw_name(connection, "passages")))
    for last, next in pairwise(connection.execute(in_order)):
        if last.document == next.document:
            before = last_lines(last.text, last.end - next.start)
            yield {"before": before, "number": next.number}
