"""Narrowing an index to the passages that meet a filter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..language.analyser import shortened
from ..models.meter import current_meter
from ..state.filters import FilterCondition, conditions_of, filter_text, kind_of, nearest_first
from .opening import CachedValue, Index

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_NAMED = 20
_LONGEST_NAME = 60
_OF_COLUMNS = ("document", "title")
_IN_WORDS = {"text": "text", "number": "numbers", "boolean": "true or false"}


def narrowed(index: Index, where: Mapping[str, Any] | None) -> Index:
    """``index`` as if it held only the passages that meet the filter ``where``. Blocks.

        part = narrowed(open_index("notes"), {"author": "Ada", "year": {"$gte": 1990}})
        for passage in part.catalogue.all_passages():
            print(passage["title"], passage["metadata"])

    What a node reads of it, passages, what is said of entities, questions to hop along, comes from
    these passages alone; reports on communities and descriptions of entities do not, which were
    written from all. Warns where no passage meets the filter, and says why. Raises RagraphsError
    for a filter of another form.
    """
    if not where:
        return index
    part = replace(
        index,
        catalogue=index.catalogue.only(where),
        entities=index.entities.only(where),
        whole=index,
        where=filter_text(where),
    )
    found = _kept.of(part)
    for sentence in found.warnings:
        current_meter().warn(sentence)
    return replace(
        part,
        catalogue=index.catalogue.only(where, found.numbers),
        allowed=found.allowed,
        unmet=found.warnings,
        vectors=index.vectors.only(where, found.allowed),
    )


class _Allowed(NamedTuple):
    """The passages that meet a filter, their numbers, and why there are none."""

    allowed: frozenset[str]
    numbers: NDArray[np.int32]
    warnings: list[str]


def _load(index: Index) -> _Allowed:
    import numpy as np

    found = index.catalogue.passage_numbers()
    numbers = np.fromiter(found.values(), np.int32, len(found))
    return _Allowed(frozenset(found), numbers, [] if found else [_reason(index)])


_kept = CachedValue(lambda index: "", _load, by_filter=True)


def _reason(index: Index) -> str:
    """Why no passage meets the filter: a key that none has, values of another kind, or neither."""
    import json

    kinds, examples = index.catalogue.metadata_kinds(), []
    for condition in conditions_of(json.loads(index.where)):
        if condition.key in _OF_COLUMNS:
            continue
        if condition.key not in kinds:
            return _unknown(condition.key, [*kinds, *_OF_COLUMNS])
        if sentence := _of_another_kind(condition, kinds[condition.key]):
            return sentence
        if like := _like(kinds[condition.key]):
            examples.append(f"{condition.key!r} holds text{like}")
    return f"No passage of the index meets the filter{': ' * bool(examples)}{'; '.join(examples)}."


def _unknown(key: str, known: Iterable[str]) -> str:
    names = nearest_first(key, known)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return (
        f"No passage of the index has the key {shortened(key, _LONGEST_NAME)!r} of the filter; "
        f"the keys there are: {', '.join(names[:_MOST_NAMED])}{more}."
    )


def _of_another_kind(condition: FilterCondition, held: Mapping[str, Any]) -> str:
    """A sentence where the values of a key are all of other kinds than those asked for."""
    known = {"text" if kind == "list" else kind: held[kind] for kind in held}  # lists hold text
    asked = {kind_of(operand) for operand in condition.operands}
    if asked & set(known):
        return ""
    holds, compared = (
        " and ".join(_IN_WORDS[kind] for kind in of) for of in (known, sorted(asked))
    )
    return (
        f"No passage of the index meets the filter: {condition.key!r} holds {holds}{_like(held)}, "
        f"and the filter compares it with {compared}."
    )


def _like(held: Mapping[str, Any]) -> str:
    """An example of the texts that a key holds, if it holds some."""
    example = next((one for one in held.values() if isinstance(one, str)), None)
    return "" if example is None else f" such as {example[:60]!r}"
