"""Filters as conditions of SQL on passages; ``state.filters.matches`` says what they mean.

Like the lexical index they belong to SQLite, whose ``json_each`` reads the metadata.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, and_, case, exists, false, func, literal, or_, select, true

from ..state.filters import COMPARE, Condition, Scalar, conditions_of, kind_of
from . import schema

_Test = Callable[[ColumnElement[Any], ColumnElement[Any]], ColumnElement[bool]]

_KINDS = {"text": ["text"], "number": ["integer", "real"], "boolean": ["true", "false"]}
_ARRAY = "array"


def passage_condition(where: Mapping[str, Any]) -> ColumnElement[bool]:
    """The condition on a row of ``passages`` that it meets the filter ``where``.

        select(schema.passages.c.id).where(passage_condition({"year": {"$gte": 1990}}))

    Raises RagraphsError for a filter of another form.
    """
    return and_(true(), *map(_condition, conditions_of(where)))


def spoken_by(passage: ColumnElement[str], where: ColumnElement[bool]) -> ColumnElement[bool]:
    """The condition that the passage whose id is in the column ``passage`` meets ``where``."""
    return exists(select(1).where(schema.passages.c.id == passage, where))


def _condition(asked: Condition) -> ColumnElement[bool]:
    def named(kind: ColumnElement[Any], value: ColumnElement[Any]) -> ColumnElement[bool]:
        if asked.operator in ("$in", "$nin"):
            return or_(false(), *_one_of(kind, value, asked.operands))
        compare, operand = COMPARE[asked.operator], asked.operands[0]
        return and_(kind.in_(_KINDS[kind_of(operand)]), compare(value, operand))

    if asked.operator == "$nin":
        return and_(_some_value(asked.key, lambda *_: true()), ~_some_value(asked.key, named))
    return _some_value(asked.key, named)


def _one_of(
    kind: ColumnElement[Any], value: ColumnElement[Any], operands: Iterable[Scalar]
) -> Iterable[ColumnElement[bool]]:
    """One condition for each kind of operand."""
    by_kind: dict[str, list[Scalar]] = {}
    for operand in operands:
        by_kind.setdefault(kind_of(operand), []).append(operand)
    for name, values in by_kind.items():
        if name == "boolean":  # has the truth in its type, and a number as its value
            yield kind.in_(["true" if one else "false" for one in values])
        else:
            yield and_(kind.in_(_KINDS[name]), value.in_(values))


def _some_value(key: str, test: _Test) -> ColumnElement[bool]:
    """Whether the value of ``key``, or an element where it is a list, passes ``test``."""
    passages, documents = schema.passages.c, schema.documents.c
    if key == "document":
        return test(literal("text"), passages.document)
    if key == "title":  # of a passage, it may have the header of a table after it
        own = select(1).where(documents.id == passages.document)
        return exists(own.where(test(literal("text"), documents.title)).correlate(schema.passages))
    pair = _pairs(passages.metadata)
    # SQLite would refuse a text that is no JSON, had it to look into one.
    element = _pairs(case((pair.c.type == _ARRAY, pair.c.value), else_="[]"))
    of_list = exists(select(1).select_from(element).where(test(element.c.type, element.c.atom)))
    found = or_(
        and_(pair.c.type != _ARRAY, test(pair.c.type, pair.c.atom)),
        and_(pair.c.type == _ARRAY, of_list),
    )
    return exists(select(1).select_from(pair).where(pair.c.key == key, found))


def _pairs(json: ColumnElement[Any]) -> Any:
    """The keys and values in a column, or an expression, of JSON."""
    return func.json_each(json).table_valued("key", "value", "type", "atom")
