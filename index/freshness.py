"""How far the layers of an index have followed the changes of its documents."""

from __future__ import annotations

from typing import Any

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


def is_within_run(index: Index) -> bool:
    """Whether a run, which may have been killed, is not at its end. Blocks."""
    return bool(behind(index) or index.catalogue.property(BESIDE))


def moment_of(index: Index) -> list[Any]:
    """Values of which one changes when a run begins, ends or puts vectors in use. Blocks."""
    return index.catalogue.properties(PASSAGES, VECTORS, BESIDE, *map(_followed, LAYERS))


def _followed(name: LayerName) -> str:
    """The property that holds the stamp of the passages that a layer was last made of."""
    return f"{LAYERS[name].kept_as}_of"
