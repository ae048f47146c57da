"""The communities on which reports may have to be written anew: those around what has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from importlib.metadata import version

from ..models.protocol import OFFLINE
from ..stores.communities import CommunityStore
from ..stores.untold import UNTOLD
from .hierarchy import is_begun
from .opening import Index
from .prompt_words import known_as, manner_of


def writer_of_reports(index: Index, model: str, limit: int) -> str:
    """All that reports depend on but entities and communities. Blocks."""
    # Without a model it does not matter what is told in passing, in a part of a document.
    documents = [] if model == OFFLINE else index.catalogue.documents()
    several = "\n".join(one["id"] for one in documents if one["passages"] > 1)
    digest = hashlib.sha256(several.encode()).hexdigest()
    told = f"{known_as(model)} {version('ragraphs')} {limit} {digest}"
    return f"{told} {manner}" if (manner := manner_of(index, model)) else told


def untold_entities(index: Index, made_by: str) -> list[str] | None:
    """The entities that reports tell otherwise than is known; None where they may be all. Blocks.

    ``made_by`` is what is to write the reports.
    """
    found = index.catalogue.property(UNTOLD)
    if index.anew or not found or found["made_by"] != made_by:
        return None
    entities: list[str] = found["entities"]
    return entities


def untold_communities(index: Index, reported: Index, entities: Collection[str]) -> set[str]:
    """The communities of ``entities``, and those that are new, or divided in another way. Blocks.

    ``reported`` sees the hierarchy that is to be reported on.
    """
    found = {id for id, _ in reported.communities.communities_of(entities)}
    found |= reported.communities.unreported()
    if is_begun(index):
        found |= _divided_otherwise(index.communities)
    above = found
    while above := set(reported.communities.parents_of(above).values()) - found - {""}:
        found |= above
    return found


def _divided_otherwise(communities: CommunityStore) -> set[str]:
    """The communities beside that have other parts than in use."""
    after = communities.changed_beside()
    before = communities.parents_of(after)
    moved = [id for id, parent in after.items() if before.get(id) != parent]
    gone = {id for id, parent in after.items() if parent is None}
    return {id for both in (before, after) for one in moved if (id := both.get(one))} - gone
