"""Indexes in the form that earlier versions of ragraphs left them in."""

from __future__ import annotations

import zlib

import numpy as np
from ragraphs.nodes.index.split import _READER
from ragraphs.stores.queries import begin_writing
from raw_sql import sql
from sqlalchemy import Connection, Engine

_SINCE_1 = ("passages", "before"), ("readings", "words"), ("replies", "words")
_SINCE_2 = ("documents", "metadata"), ("passages", "metadata"), ("passages", "turns")
_SENTENCES, _QUESTIONS = ("passage", "vectors"), ("id", "vector")
_VECTORS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("sentence_vectors", "sentence_vectors_beside"), _SENTENCES),
    **dict.fromkeys(("question_vectors", "question_vectors_beside"), _QUESTIONS),
}
_TEXTS = ("readings", "value"), ("communities", "summary"), ("communities", "findings")


def as_in_format(engine: Engine, format: int) -> None:
    """Takes from a database all that formats after ``format``, 1 to 4, have added."""
    with engine.begin() as connection:
        begin_writing(connection)
        for name in ("ix_readings_by", "ix_entities_pending", "ix_relation_passages_passage"):
            sql(connection, f"DROP INDEX {name}")
        _with_plain_texts(connection)
        if format < 4:
            _with_whole_vectors(connection)
        if format < 3:
            sql(connection, "DROP TABLE outdated_entries")
        for table, column in [
            *(_SINCE_2 if format < 3 else ()),
            *(_SINCE_1 if format == 1 else ()),
        ]:
            sql(connection, f"ALTER TABLE {table} DROP COLUMN {column}")
        sql(connection, f"UPDATE properties SET value = '{format}' WHERE name = 'format'")
        if format == 2:  # of today's reader
            sql(connection, f"UPDATE files SET content = replace(content, '{_READER}:', '2:')")
            sql(connection, f"UPDATE documents SET content = replace(content, '{_READER}:', '2:')")


def _with_plain_texts(connection: Connection) -> None:
    sql(connection, "DROP TABLE reading_codes")
    for table, column in _TEXTS if connection.dialect.name == "sqlite" else ():
        packed = f"SELECT rowid AS row, {column} AS kept FROM {table} WHERE typeof(kept) = 'blob'"
        for one in sql(connection, packed).mappings().all():
            plain = zlib.decompress(one["kept"]).decode()
            change = f"UPDATE {table} SET {column} = :plain WHERE rowid = :row"
            sql(connection, change, plain=plain, row=one["row"])


def _with_whole_vectors(connection: Connection) -> None:
    for table, (key, column) in _VECTORS.items():
        for row in sql(connection, f"SELECT {key}, {column} FROM {table}").mappings().all():
            whole = np.frombuffer(zlib.decompress(row[column]), "<f2").astype("<f4").tobytes()
            change = f"UPDATE {table} SET {column} = :whole WHERE {key} = :id"
            sql(connection, change, whole=whole, id=row[key])
        sql(connection, f"ALTER TABLE {table} DROP COLUMN size")
        if key == "id":
            sql(connection, f"ALTER TABLE {table} DROP COLUMN dimension")
