"""Ids of names, and the corrections that people made of how names are merged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from ...language.mentions import normalised
from ...state.entities import Correction
from .clusters import Link, Name
from .spellings import KINDS

ALONE = "\n"
_json = json.JSONEncoder(ensure_ascii=False).encode


def entity_id(name: str, kind: str) -> str:
    """The id of the entity called ``name``, in normalised form, of the coarse ``kind``."""
    return digest("entity", name if ALONE in name else normalised(name), kind)


def digest(*parts: str) -> str:
    """A hash of ``parts``, 24 hexadecimal digits."""
    return hashlib.blake2b(_json(parts).encode(), digest_size=12).hexdigest()


def alone(spelling: str) -> str:
    return normalised(spelling) + ALONE + spelling


class Decisions:
    """Corrections; those that speak of names the corpus does not have do nothing."""

    def __init__(self, corrections: Sequence[Correction] = ()) -> None:
        last: dict[frozenset[str], Correction] = {}
        for correction in corrections:
            pair = frozenset((correction.a, correction.b))
            last.pop(pair, None)
            last[pair] = correction
        decided = [c for c in last.values() if c.a != c.b]
        self._merges = [c for c in decided if c.action == "merge"]
        self._splits = [c for c in decided if c.action == "split"]
        self._alone = {c.b for c in self._splits if normalised(c.a) == normalised(c.b)}
        self._references = {reference for c in self._splits for reference in (c.a, c.b)}

    def slot(self, spelling: str) -> str:
        """The slot of ``spelling`` (see ``Said``)."""
        if not self._references:
            return normalised(spelling)
        own = alone(spelling)
        split = spelling in self._alone or not self._references.isdisjoint(
            entity_id(own, kind) for kind in ("", *KINDS)
        )
        return own if split else normalised(spelling)

    def forbid(self, a: tuple[str, str], b: tuple[str, str]) -> bool:
        """Whether two names, each with its id, were split."""
        return any(
            (self._means(c.a, *a) and self._means(c.b, *b))
            or (self._means(c.a, *b) and self._means(c.b, *a))
            for c in self._splits
        )

    def apart(self, names: Sequence[Name]) -> set[frozenset[str]]:
        """The pairs of ids that must not come together."""
        return set(map(frozenset, self._pairs(self._splits, names)))

    def links(self, names: Sequence[Name]) -> list[Link]:
        """A link from a to b for every merge that was decided."""
        return [Link(a, b, "correction", 1.0) for a, b in self._pairs(self._merges, names)]

    def _pairs(
        self, corrections: Iterable[Correction], names: Sequence[Name]
    ) -> Iterator[tuple[str, str]]:
        """The ids of two distinct names that a correction speaks of."""
        for correction in corrections:
            both = product(self._ids(correction.a, names), self._ids(correction.b, names))
            yield from ((a, b) for a, b in both if a != b)

    def _means(self, reference: str, name: str, id: str) -> bool:
        if reference in (id, name):
            return True
        return not self._alone & {reference, name} and normalised(reference) == normalised(name)

    def _ids(self, reference: str, names: Sequence[Name]) -> list[str]:
        exact = [name.id for name in names if name.id == reference]
        return exact or [name.id for name in names if self._means(reference, name.name, name.id)]
