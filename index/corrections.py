"""Corrections of entities by a person: merge two, keep two names apart, or neither any more."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from typing_extensions import TypedDict

from ..context import Context
from ..language.mentions import normalised
from ..models.meter import start_meter
from ..state.errors import RagraphsError
from ..state.records import Usage
from .descriptions import summarise
from .entities import embed_entities
from .layers import ENTITIES
from .opening import Index, open_index
from .resolution import resolve_entities
from .upgrading import bring_up_to_date


class Corrected(TypedDict):
    """The entities that two names mean after a correction, what it cost, and what was degraded.

    ``correction`` is its number, by which it can be withdrawn.
    """

    entities: list[dict[str, Any]]
    correction: int
    usage: Usage
    warnings: list[str]


class Withdrawn(TypedDict):
    """The entities that the names of a withdrawn correction mean, its cost, and warnings."""

    entities: list[dict[str, Any]]
    usage: Usage
    warnings: list[str]


def correct(
    context: Context, action: Literal["merge", "split"], a: str, b: str, *, waits: bool = False
) -> Corrected:
    """Records that two names mean the same, or do not, and makes the entities anew.

    Where another run writes, it ``waits`` its turn or is refused. Blocks. Raises RagraphsError
    where a name means nothing, or where it is so already.
    """
    return asyncio.run(_correct(context, action, a, b, waits))


def withdraw(context: Context, number: int, *, waits: bool = False) -> Withdrawn:
    """Forgets the correction with this number, and makes the entities anew without it.

    Where another run writes, it ``waits`` its turn or is refused. Blocks. Raises RagraphsError
    where there is no such correction.
    """
    return asyncio.run(_withdraw(context, number, waits))


def _silently(ahead: int) -> None:
    """Tells nobody how many writers are ahead."""


async def _correct(
    context: Context, action: Literal["merge", "split"], a: str, b: str, waits: bool
) -> Corrected:
    meter = start_meter(None)
    await asyncio.to_thread(bring_up_to_date, context.index)
    index = await asyncio.to_thread(open_index, context)
    async with index.writing(_silently if waits else None):
        number = await asyncio.to_thread(_record, index, action, a, b)
        await _make_anew(index, context)
    return {
        "entities": await asyncio.to_thread(_now_meant, index, a, b),
        "correction": number,
        "usage": meter.usage(),
        "warnings": meter.warnings,
    }


async def _withdraw(context: Context, number: int, waits: bool) -> Withdrawn:
    meter = start_meter(None)
    await asyncio.to_thread(bring_up_to_date, context.index)
    index = await asyncio.to_thread(open_index, context)
    async with index.writing(_silently if waits else None):
        known = await asyncio.to_thread(index.entities.numbered_corrections)
        if number not in known:
            raise RagraphsError(
                f"There is no correction {number}; it was withdrawn already, or a later one about "
                "the same two names took its place."
            )
        await asyncio.to_thread(index.entities.withdraw, number)
        await _make_anew(index, context)
    _, a, b = known[number]
    return {
        "entities": await asyncio.to_thread(_now_meant, index, a, b),
        "usage": meter.usage(),
        "warnings": meter.warnings,
    }


async def _make_anew(index: Index, context: Context) -> None:
    await resolve_entities(index, context)
    await summarise(index, context)
    await embed_entities(index, context)


def _now_meant(index: Index, a: str, b: str) -> list[dict[str, Any]]:
    found = sorted(_bearers(index, a) | _bearers(index, b))
    passages = index.entities.passages_of(found)
    return [
        {**entity._asdict(), "passages": len(passages.get(entity.id, []))}
        for entity in index.entities.get(found).values()
    ]


def _record(index: Index, action: Literal["merge", "split"], a: str, b: str) -> int:
    ours, theirs = _meant(index, a), _meant(index, b)
    first, second = _spelling(index, a), _spelling(index, b)
    if first == second:
        raise RagraphsError(f"{a!r} and {b!r} are the same name; give two.")
    if action == "merge" and ours == theirs and len(ours) == 1:
        raise RagraphsError(f"{a!r} and {b!r} are one entity already.")
    if action == "split" and ours.isdisjoint(theirs):
        raise RagraphsError(f"{a!r} and {b!r} are two entities already.")
    return index.entities.correct(action, first, second)


def _meant(index: Index, reference: str) -> set[str]:
    """The ids of the entities that a name or an id means, of whatever it was merged into."""
    found = _bearers(index, reference)
    if not found:
        raise RagraphsError(
            f"There is no entity {reference!r}; look for it with: ragraphs entities list PART"
        )
    return found


def _bearers(index: Index, reference: str) -> set[str]:
    ENTITIES.stamp(index)
    store = index.entities
    found = set(store.get([reference]))
    for name in () if found else (reference, *_merged_under(index, reference)):
        found.update(store.named([normalised(name)]).get(normalised(name), []))
    return found


def _spelling(index: Index, reference: str) -> str:
    """The name by which a correction is recorded; the id where others bear the same name.

    One form for all that a person may write lets a later correction take an earlier one's place.
    """
    store = index.entities
    entity = store.get([reference]).get(reference)
    names = [entity.name] if entity else [*_merged_under(index, reference), reference]
    for name in names:
        bearers = store.named([normalised(name)]).get(normalised(name), [])
        if len(bearers) == 1:
            aliases = store.aliases_of(bearers)[bearers[0]]
            same = [alias for alias in aliases if normalised(alias) == normalised(name)]
            return name if name in same else same[0]
    return reference


def _merged_under(index: Index, id: str) -> list[str]:
    """The spelling that had ``id`` before it was merged into another."""
    found = [
        (one.merged if one.merged_id == id else one.kept, one) for one in index.entities.merges()
    ]
    return list(dict.fromkeys(name for name, one in found if id in (one.merged_id, one.kept_id)))
