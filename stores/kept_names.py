"""All that the merging of names rests on, kept so that an update reads what is near a change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Select,
    Table,
    and_,
    bindparam,
    delete,
    exists,
    func,
    select,
)

from ..state.entities import EntityGraph, KeptNames, KnownName, Merge, SaidName
from . import tables
from .degrees import note_degrees
from .entity_rows import (
    OWNERS,
    described_in,
    named_otherwise,
    related_otherwise,
    rows_of_graph,
    touched_by,
)
from .properties import keep_property, property_in
from .queries import add_missing, batches, is_postgresql, persisting, replace_all
from .untold import (
    UNMERGED,
    note_unclustered,
    note_unembedded,
    note_unlinked,
    note_untold,
    nothing_untold,
)

T = TypeVar("T")
_READ, _PASSAGES, _MERGED = tables.reading_codes, tables.passages, tables.merged_passages
_IS_READ = and_(_READ.c.passage == _PASSAGES.c.id, _READ.c.kind == "facts")

KEPT_NAMES = "kept_names"  # property: generic names, and the greatest sum of a relation
_SAID, _RELATED, _FORMS = tables.said_names, tables.related_names, tables.name_forms


class MergedPassage(NamedTuple):
    """A passage whose names are merged, its document and place, and a hash of its facts."""

    passage: str
    document: str
    start: int
    facts: str


def changed_documents(connection: Connection) -> set[str]:
    """The documents of passages whose place or facts are others than when names were merged."""
    merged, passages = _MERGED.c, _PASSAGES.c
    same = (merged.document == passages.document) & (merged.start == passages.start)
    same &= merged.facts == _READ.c.code
    both = (
        select(passages.document, merged.document)
        .join(_READ, _IS_READ)
        .outerjoin(_MERGED, merged.passage == passages.id)
        .where(merged.passage.is_(None) | ~same)
    )
    is_read = exists().where(_READ.c.passage == merged.passage, _READ.c.kind == "facts")
    gone = select(merged.document).where(~is_read)
    noted = property_in(connection, UNMERGED)

    def rows(query: Select[Any], column: Column[Any]) -> Iterable[Any]:
        if noted is None:
            return connection.execute(query)
        return found(connection, query, column, noted["entities"])

    documents = chain.from_iterable([*rows(both, passages.id), *rows(gone, merged.passage)])
    return {one for one in documents if one is not None}


def passages_to_merge(
    connection: Connection, documents: Iterable[str] | None = None
) -> list[MergedPassage]:
    """The passages in which facts were read, as they are, of ``documents`` or of all."""
    table = _PASSAGES.c
    query = select(table.id, table.document, table.start, _READ.c.code).join(_READ, _IS_READ)
    if documents is None:
        return [MergedPassage(*row) for row in connection.execute(query)]
    return [MergedPassage(*row) for row in found(connection, query, table.document, documents)]


def merged_in(connection: Connection, documents: Iterable[str]) -> list[MergedPassage]:
    """The passages of ``documents`` as their names are merged."""
    rows = found(connection, select(_MERGED), _MERGED.c.document, documents)
    return [MergedPassage(*row) for row in rows]


def replace_kept(connection: Connection, kept: KeptNames | None) -> None:
    """Puts ``kept`` in the place of what was kept; nothing where it is None."""
    given: Sequence[tuple[Table, Iterable[Sequence[Any]]]] = [
        (_MERGED, passages_to_merge(connection) if kept else ()),
        (_SAID, kept.said if kept else ()),
        (_RELATED, kept.related if kept else ()),
        (tables.names, kept.names if kept else ()),
        (_FORMS, kept.forms if kept else ()),
        (tables.explained_names, kept.explained if kept else ()),
    ]
    for table, rows in given:
        replace_all(connection, table, rows_of_tuples(table, rows if kept else ()))
    value = {"generic": dict(kept.generic), "greatest": kept.greatest} if kept else None
    keep_property(connection, KEPT_NAMES, value)
    keep_property(connection, UNMERGED, nothing_untold(None) if kept else None)


@persisting
def in_one_transaction(engine: Engine, work: Callable[[Connection], T]) -> T:
    """The result of ``work``, as one transaction, which is made again as stores do it."""
    with engine.begin() as connection:
        return work(connection)


def replace_near(
    connection: Connection, graph: EntityGraph, owners: Mapping[str, Collection[str]]
) -> None:
    """Stores ``graph`` in the place of all that ``owners`` own, by the names of tables."""
    described = described_in(connection.engine, owners[tables.entities.name])
    changed: dict[str, list[dict[str, Any]] | None] = {tables.claims.name: []}
    for table, new in rows_of_graph(graph, described):
        if table is not tables.claims:
            columns = OWNERS[table.name]
            changed[table.name] = replace_some(connection, table, columns, owners[table.name], new)
    note_degrees(connection, changed[tables.relations.name])
    note_untold(connection, touched_by(changed, graph))
    note_unclustered(connection, related_otherwise(changed))
    note_unembedded(connection, changed[tables.entities.name])
    note_unlinked(connection, named_otherwise(connection, changed))
    keep_property(connection, UNMERGED, nothing_untold(None))


def replace_some(
    connection: Connection,
    table: Table,
    columns: Sequence[Column[Any]],
    owners: Iterable[Any],
    new: Iterable[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Makes ``new`` rows all of ``table`` that have an owner in one of ``columns``.

    Returns the rows that went and those that came.
    """
    keys, owners = list(table.primary_key.columns), list(owners)
    names = [column.name for column in table.columns if column.name != "number"]
    query = select(*keys, *(table.c[name] for name in names))
    stored = {
        tuple(row[: len(keys)]): tuple(row[len(keys) :])
        for column in columns
        for row in found(connection, query, column, owners)
    }
    wanted = dict.fromkeys(tuple(row[name] for name in names) for row in new)
    kept = set(stored.values())
    gone = {key: row for key, row in stored.items() if row not in wanted}
    for key in gone:
        same = (column == value for column, value in zip(keys, key, strict=True))
        connection.execute(delete(table).where(and_(*same)))
    came = [dict(zip(names, row, strict=True)) for row in wanted if row not in kept]
    if came:
        connection.execute(table.insert(), came)
    return [*(dict(zip(names, row, strict=True)) for row in gone.values()), *came]


def found(
    connection: Connection, query: Select[Any], column: ColumnElement[Any], values: Iterable[Any]
) -> Iterator[Any]:
    """The rows of ``query`` whose ``column`` holds one of ``values``."""
    for batch in batches(dict.fromkeys(values)):
        yield from connection.execute(query.where(column.in_(batch))).fetchall()


def said_with(connection: Connection, column: Column[Any], values: Iterable[str]) -> list[SaidName]:
    """The names in passages whose ``column`` holds one of ``values``, by passage and place."""
    return sorted(SaidName(*row) for row in found(connection, select(_SAID), column, values))


def one_of(connection: Connection, column: Column[Any], values: Iterable[Any], of: Any) -> set[Any]:
    """The values in ``of`` of the rows whose ``column`` holds one of ``values``."""
    query = select(of).distinct()
    return {value for (value,) in found(connection, query, column, values)}


def texts_with(connection: Connection, word: str) -> Iterator[str]:
    """The texts that hold the characters of ``word``."""
    column = tables.passages.c.text
    place = func.strpos if is_postgresql(connection) else func.instr
    for (text,) in connection.execute(select(column).where(place(column, word) > 0)):
        yield text


def known_names(connection: Connection, ids: Iterable[str]) -> dict[str, KnownName]:
    """The spelling and the kinds of names by themselves, by id."""
    query = select(tables.names)
    return {row.id: KnownName(*row) for row in found(connection, query, tables.names.c.id, ids)}


def merges_of(connection: Connection, ids: Sequence[str]) -> list[Merge]:
    """The merges in which one of the names is kept, or merged into another."""
    table = tables.merges
    query = select(*(table.c[name] for name in Merge._fields))
    both = (table.c.kept_id, table.c.merged_id)
    return sorted({Merge(*row) for one in both for row in found(connection, query, one, ids)})


def group_sizes(connection: Connection, forms: Iterable[int]) -> dict[int, int]:
    """How many names have each form."""
    query = select(_FORMS.c.form, func.count()).group_by(_FORMS.c.form)
    return {form: count for form, count in found(connection, query, _FORMS.c.form, forms)}


def replace_forms(
    connection: Connection, gone: Collection[tuple[int, str]], came: Collection[tuple[int, str]]
) -> None:
    """Deletes the forms of names that are ``gone``, and stores those that ``came``."""
    form, name = _FORMS.c.form == bindparam("hash"), _FORMS.c.name == bindparam("id")
    for some in batches(sorted(gone)):
        rows = [{"hash": hash, "id": id} for hash, id in some]
        connection.execute(delete(_FORMS).where(form, name), rows)
    add_missing(connection, _FORMS, list(rows_of_tuples(_FORMS, came)))


def rows_of_tuples(table: Table, rows: Iterable[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """The rows of a table whose values stand in tuples."""
    names = table.columns.keys()
    return (dict(zip(names, row, strict=True)) for row in rows)
