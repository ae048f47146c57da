"""One description of every entity, in the place of what several passages say of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ..algorithms.entities.spellings import kinds_of
from ..context import Context, wants_refresh
from ..language.analyser import count_tokens
from ..models.meter import current_meter
from ..models.protocol import OFFLINE, LanguageModel, NoReplyError
from ..offline.extraction.extract import summarise as joined
from ..prompts.indexing import SUMMARISE_DESCRIPTION
from ..prompts.prompt import number, numbered
from ..stores.catalogue import FORGETTING
from .cluster.parts import in_parts
from .concurrency import Patience, Storing, in_parallel
from .opening import Index
from .progress import Progress, progress_of
from .readers import language_model
from .resolution import part

if TYPE_CHECKING:
    from ..stores.entities import StoredEntity

_JOINED_TOKENS = 120  # descriptions that are no longer together need no summary
_SUMMARY_TOKENS = 3000
_BATCH = 64  # entities for one worker of a cluster


async def summarise(index: Index, context: Context) -> None:
    """Replaces several descriptions of an entity by one, where that is not done.

    Short descriptions are joined; for the rest the model is asked. Where it finds that some texts
    describe another thing, these are parted from the entity. After texts were removed all are gone
    through, to tell which replies of a model are still of use.
    """
    forgetting = await asyncio.to_thread(index.catalogue.property, FORGETTING)
    reader = await asyncio.to_thread(index.catalogue.property, "reader")
    model = await language_model(index, context, reader)
    again = (bool(forgetting) and model.name != OFFLINE) or wants_refresh(context)
    while apart := await _describe(index, context, model, again):
        if not await part(index, context, model, {id: told for id, (_, told) in apart.items()}):
            written = {id: text for id, (text, _) in apart.items()}
            await asyncio.to_thread(index.entities.describe, written)
            break
    if undescribed := len(await asyncio.to_thread(index.entities.undescribed)):
        current_meter().warn(
            f"The model {model.name} wrote no summary of the descriptions of {undescribed} "
            "entities; the first one stands for all until the next run of: ragraphs index"
        )


_Told = tuple[str, list[str]]  # a description, and the texts that describe another thing


async def _describe(
    index: Index, context: Context, model: LanguageModel, described_too: bool
) -> dict[str, _Told]:
    """Describes what awaits it, but for the entities that are told to be several things."""
    waiting = await asyncio.to_thread(index.entities.undescribed, described_too)
    named = await asyncio.to_thread(index.entities.get, waiting)
    parts = await in_parts(
        index,
        context,
        partial(_describe_all, model.name),
        [(named[id], descriptions) for id, descriptions in waiting.items()],
        progress_of("summarise"),
        most=_BATCH,
        asks=model.name != OFFLINE,
        goes_on=lambda part: not part.gave_up,
    )
    return {id: told for part in parts for id, told in part.apart.items()}


class _Described(NamedTuple):
    """The entities that are told to be several things; whether the model was given up."""

    apart: dict[str, _Told]
    gave_up: bool


async def _describe_all(
    reader: str,
    index: Index,
    context: Context,
    waiting: Sequence[tuple[StoredEntity, Sequence[str]]],
    report: Progress,
) -> _Described:
    model = await language_model(index, context, reader)
    patience, done = Patience(context.concurrency), 0
    apart: dict[str, _Told] = {}

    async def describe(one: tuple[StoredEntity, Sequence[str]]) -> None:
        nonlocal done
        entity, descriptions = one
        try:
            written, others = await _summary(model, entity, descriptions)
        except NoReplyError as error:
            patience.note(error)
        else:
            patience.note()
            if others:
                apart[entity.id] = written, others
            else:
                await storing.add((entity.id, written))
        done += 1
        report(done, len(waiting))

    storing = Storing[tuple[str, str]](lambda rows: index.entities.describe(dict(rows)))
    async with storing:
        await in_parallel(patience.while_it_lasts(waiting), describe, context.concurrency)
    return _Described(apart, patience.is_lost)


async def _summary(
    model: LanguageModel, entity: StoredEntity, descriptions: Sequence[str]
) -> _Told:
    """One description; more than fit in a request are summarised in groups first."""
    if model.name != OFFLINE:
        everything = joined(descriptions, len(" ".join(descriptions).split()), least_new=1)
        if count_tokens(everything) <= _JOINED_TOKENS:
            return everything, []
        if "date" in kinds_of(entity.type):
            return joined(descriptions), []
    others: list[str] = []
    while len(descriptions) > 1:
        written: list[str] = []
        for group in _groups(descriptions):
            if len(group) == 1:
                written += group
                continue
            texts = number([(entity.name, text) for text in group])
            reply = await model.run(SUMMARISE_DESCRIPTION, texts=texts)
            written.append(reply.description)
            told = numbered(reply.other, group)
            others += told if len(told) < len(group) else []
        descriptions = written
    return descriptions[0], others


def _groups(texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts of about ``_SUMMARY_TOKENS`` together, but at least two where there are two."""
    group: list[str] = []
    tokens = 0
    for text in texts:
        size = count_tokens(text)
        if len(group) > 1 and tokens + size > _SUMMARY_TOKENS:
            yield group
            group, tokens = [], 0
        group.append(text)
        tokens += size
    if group:
        yield group
