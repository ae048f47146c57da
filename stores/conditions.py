"""Filters as conditions of SQL on passages; ``state.filters.matches`` says what they mean.

Like the lexical index they belong to a database: each has its own functions for the JSON of the
metadata.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple, cast

from sqlalchemy import (
    JSON,
    Boolean,
    ColumnElement,
    Engine,
    Numeric,
    Text,
    and_,
    case,
    column,
    exists,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    true,
)

from ..state.filters import (
    COMPARE,
    FilterCondition,
    Operand,
    PathPattern,
    Period,
    Scalar,
    conditions_of,
    kind_of,
)
from . import tables
from .queries import is_postgresql, rows


class _JsonValue(NamedTuple):
    """A value in JSON: the database's name of its type, and itself as each kind of value."""

    type: ColumnElement[Any]
    text: ColumnElement[Any]
    number: ColumnElement[Any]
    boolean: ColumnElement[Any]

    def of(self, kind: str) -> ColumnElement[Any]:
        return {"text": self.text, "number": self.number, "boolean": self.boolean}[kind]


class _Sqlite:
    """SQLite's functions for JSON; they refuse to look for elements in a text."""

    kinds: Mapping[str, tuple[str, ...]] = {
        "text": ("text",),
        "number": ("integer", "real"),
        "boolean": ("true", "false"),
    }

    def pairs(self, json: ColumnElement[Any]) -> Any:
        return func.json_each(json).table_valued("key", "value", "type", "atom")

    def elements(self, pair: Any) -> Any:
        return self.pairs(case((pair.c.type == _ARRAY, pair.c.value), else_="[]"))

    def type(self, pair: Any) -> ColumnElement[Any]:
        found: ColumnElement[Any] = pair.c.type
        return found

    def value(self, pair: Any) -> _JsonValue:
        atom = pair.c.atom
        return _JsonValue(pair.c.type, atom, atom, atom)

    def operand(self, value: Scalar) -> Any:
        return value

    def fits(self, text: ColumnElement[Any], pattern: PathPattern) -> ColumnElement[Any]:
        glob = re.sub(r"([\[?])", r"[\1]", pattern.text)
        return text.op("GLOB", is_comparison=True)(glob)


class _Postgresql:
    """PostgreSQL's functions for JSON; they refuse to look for elements in a value of one."""

    kinds: Mapping[str, tuple[str, ...]] = {
        "text": ("string",),
        "number": ("number",),
        "boolean": ("boolean",),
    }

    def pairs(self, json: ColumnElement[Any]) -> Any:
        return func.json_each(json).table_valued(column("key", Text), column("value", JSON))

    def elements(self, pair: Any) -> Any:
        nothing: ColumnElement[Any] = literal_column("'[]'::json")
        some = case((self.type(pair) == _ARRAY, pair.c.value), else_=nothing)
        return func.json_array_elements(some).table_valued(column("value", JSON))

    def type(self, pair: Any) -> ColumnElement[Any]:
        return func.json_typeof(pair.c.value)

    def value(self, pair: Any) -> _JsonValue:
        kind = self.type(pair)
        atom = pair.c.value.op("#>>")(literal_column("'{}'")).cast(Text).collate("C")
        return _JsonValue(
            kind,
            atom,
            case((kind == "number", atom.cast(Numeric))),
            case((kind == "boolean", atom.cast(Boolean))),
        )

    def operand(self, value: Scalar) -> Any:
        # As it is written in JSON, not as the binary number next to it.
        return Decimal(repr(value)) if kind_of(value) == "number" else value

    def fits(self, text: ColumnElement[Any], pattern: PathPattern) -> ColumnElement[Any]:
        return text.like(re.sub(r"([\\%_])", r"\\\1", pattern.text).replace("*", "%"))


_Dialect = _Sqlite | _Postgresql
_Test = Callable[[_JsonValue], ColumnElement[bool]]
_ARRAY = "array"  # a type's name in both


def passage_condition(engine: Engine, where: Mapping[str, Any]) -> ColumnElement[bool]:
    """The condition on a row of ``passages`` that it meets the filter ``where``.

        select(tables.passages.c.id).where(passage_condition(engine, {"year": {"$gte": 1990}}))

    Raises RagraphsError for a filter of another form.
    """
    dialect = _dialect(engine)
    return and_(true(), *(_condition(asked, dialect) for asked in conditions_of(where)))


def spoken_by(passage: ColumnElement[str], where: ColumnElement[bool]) -> ColumnElement[bool]:
    """The condition that the passage whose id is in the column ``passage`` meets ``where``."""
    return exists(select(1).where(tables.passages.c.id == passage, where))


def metadata_kinds(engine: Engine) -> dict[str, dict[str, Any]]:
    """The keys of the metadata of all passages, each with the kinds of its values.

    The kinds are ``text``, with an example, ``number``, ``boolean`` and ``list``.
    """
    dialect = _dialect(engine)
    pair = dialect.pairs(tables.passages.c.metadata)
    type, value = dialect.type(pair), dialect.value(pair)
    query = select(pair.c.key, type, func.min(value.text))
    query = query.select_from(tables.passages.join(pair, true())).group_by(pair.c.key, type)
    names = {name: kind for kind, names in dialect.kinds.items() for name in names}
    kinds: dict[str, dict[str, Any]] = {}
    for key, name, example in rows(engine, query):
        kind = names.get(name, "list")
        kinds.setdefault(key, {})[kind] = example if kind == "text" else None
    return kinds


def _dialect(engine: Engine) -> _Dialect:
    return _Postgresql() if is_postgresql(engine) else _Sqlite()


def _condition(asked: FilterCondition, dialect: _Dialect) -> ColumnElement[bool]:
    def named(value: _JsonValue) -> ColumnElement[bool]:
        if asked.operator in ("$in", "$nin"):
            return or_(false(), *_one_of(value, asked.operands, dialect))
        operand = cast(Scalar, asked.operands[0])
        kind, compare = kind_of(operand), COMPARE[asked.operator]
        compared = compare(value.of(kind), dialect.operand(operand))
        return and_(value.type.in_(dialect.kinds[kind]), compared)

    if asked.operator == "$nin":
        some = _some_value(asked.key, lambda _: true(), dialect)
        return and_(some, ~_some_value(asked.key, named, dialect))
    return _some_value(asked.key, named, dialect)


def _one_of(
    value: _JsonValue, operands: Iterable[Operand], dialect: _Dialect
) -> Iterator[ColumnElement[bool]]:
    """One condition for each kind of operand, for each period, and for each pattern."""
    by_kind: dict[str, list[Any]] = {}
    for operand in operands:
        if isinstance(operand, Period):
            within = and_(value.text >= operand.first, value.text < operand.end)
            yield and_(value.type.in_(dialect.kinds["text"]), within)
            continue
        if isinstance(operand, PathPattern):
            yield and_(value.type.in_(dialect.kinds["text"]), dialect.fits(value.text, operand))
            continue
        by_kind.setdefault(kind_of(operand), []).append(dialect.operand(operand))
    for kind, values in by_kind.items():
        yield and_(value.type.in_(dialect.kinds[kind]), value.of(kind).in_(values))


def _some_value(key: str, test: _Test, dialect: _Dialect) -> ColumnElement[bool]:
    """Whether the value of ``key``, or an element where it is a list, passes ``test``."""
    passages, documents = tables.passages.c, tables.documents.c
    if key == "document":
        return test(_text(passages.document, dialect))
    if key == "title":  # of a passage, it may have the header of a table after it
        own = select(1).where(documents.id == passages.document)
        tested = test(_text(documents.title, dialect))
        return exists(own.where(tested).correlate(tables.passages))
    pair = dialect.pairs(passages.metadata)
    type, element = dialect.type(pair), dialect.elements(pair)
    of_list = exists(select(1).select_from(element).where(test(dialect.value(element))))
    found = or_(and_(type != _ARRAY, test(dialect.value(pair))), and_(type == _ARRAY, of_list))
    return exists(select(1).select_from(pair).where(pair.c.key == key, found))


def _text(text: ColumnElement[str], dialect: _Dialect) -> _JsonValue:
    [name] = dialect.kinds["text"]
    nothing: Any = None
    return _JsonValue(literal(name), text, literal(nothing, Numeric), literal(nothing, Boolean))
