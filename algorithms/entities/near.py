"""The part of a corpus around a change, of which names are told."""

from __future__ import annotations

from collections.abc import Collection, Container
from typing import NamedTuple


class Near(NamedTuple):
    """The part of a corpus that is gone through: some ``documents``, elsewhere only ``slots``.

    Elsewhere no short name, alias or relation is looked for. ``known`` has the normalised names
    that are left out.
    """

    documents: Collection[str]
    slots: Collection[str]
    known: Container[str]


class AskedNames:
    """Normalised names that a corpus has; ``asked`` holds the ones of which someone asked."""

    def __init__(self, names: Collection[str], near: Near | None) -> None:
        self._names, self._others = names, near.known if near else ()
        self.asked = set[str]()

    def __contains__(self, name: object) -> bool:
        self.asked.add(str(name))
        return name in self._names or name in self._others
