"""How far the layers of an index have followed the changes of its documents."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..context import LayerName
from ..stores.passage_stamp import PASSAGES, changes_in
from .hierarchy import is_begun
from .layers import LAYERS
from .opening import VECTORS, Index
from .rebuilding import BESIDE


def note_followed(index: Index, name: LayerName) -> None:
    """Notes that layer ``name`` is now one of the documents as they are, if it is. Blocks."""
    if LAYERS[name].is_built(index) and not (name == "communities" and is_begun(index)):
        now, before = index.catalogue.properties(PASSAGES, _followed(name))
        if now != before:
            index.catalogue.set_property(_followed(name), now)


def behind(index: Index) -> dict[LayerName, int]:
    """The number of changes of documents that each layer has not followed yet; none of 0.

    A document that was added, changed or removed is a change. Blocks.
    """
    names = list(LAYERS)
    now, *followed = index.catalogue.properties(PASSAGES, *map(_followed, names))
    late = {name: at for name, at in zip(names, followed, strict=True) if at not in (None, now)}
    return {name: max(1, changes_in(now) - changes_in(at)) for name, at in late.items()}


def told_behind(late: dict[LayerName, int]) -> str:
    """A sentence on layers that are behind; empty for none."""
    if not late:
        return ""
    most = max(late.values())
    changes = "1 change of a document is" if most == 1 else f"{most:,} changes of documents are"
    layers = "layer" if len(late) == 1 else "layers"
    return f"{changes} not in the {layers} {', '.join(late)} yet."


class RunMoment(NamedTuple):
    """How far a run has come with the documents, and with the vectors that a layer is read with."""

    documents: str | None
    followed: str | None
    beside: dict[str, Any] | None
    in_use: str | None

    @property
    def is_end(self) -> bool:
        """Whether no run was begun, and is not at its end, since the layer was made."""
        return self.documents == self.followed and self.beside is None


def moment_of(index: Index, name: LayerName) -> RunMoment:
    """The moment of a run, or after one, as layer ``name`` sees it. Blocks."""
    names = PASSAGES, _followed(name), BESIDE, VECTORS
    return RunMoment(*index.catalogue.properties(*names))


def _followed(name: LayerName) -> str:
    """The property that holds the stamp of the passages that a layer was last made of."""
    return f"{LAYERS[name].kept_as}_of"
