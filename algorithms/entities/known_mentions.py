"""The mentions that were found in passages before, where the same names are looked for again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from ...state.entities import EntityMention


class KnownMentions:
    """The mentions of a graph that is stored, from the rows of it.

    ``aliases`` are entities with a spelling, the most frequent first, ``passages`` entities with a
    passage that speaks of them. The text of a passage never changes.
    """

    def __init__(
        self,
        aliases: Iterable[tuple[str, str]],
        passages: Iterable[tuple[str, str]],
        mentions: Iterable[EntityMention],
    ) -> None:
        self._aliases: defaultdict[str, list[str]] = defaultdict(list)
        self._entities: defaultdict[str, set[str]] = defaultdict(set)
        self._mentions: defaultdict[str, list[EntityMention]] = defaultdict(list)
        for entity, spelling in aliases:
            self._aliases[entity].append(spelling)
        for entity, passage in passages:
            self._entities[passage].add(entity)
        for mention in mentions:
            self._mentions[mention.passage].append(mention)

    def of(
        self, passage: str, said: Collection[tuple[str, str]], aliases: Mapping[str, Sequence[str]]
    ) -> Sequence[EntityMention] | None:
        """The mentions in ``passage``; None where other names are looked for than before.

        ``said`` are the spellings there with their entities, ``aliases`` all spellings of these.
        """
        entities = {entity for _, entity in said}
        is_same = (
            entities == self._entities.get(passage)
            and all(self._aliases[one] == [*aliases[one]] for one in entities)
            and all(spelling in aliases[entity] for spelling, entity in said)
        )
        return self._mentions[passage] if is_same else None
