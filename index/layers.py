"""The layers of an index: how each is called, what it needs, and what it was made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..context import LayerName
from ..state.errors import RagraphsError
from .opening import Index

if TYPE_CHECKING:
    from ..stores.readings import ReadingKind


@dataclass(frozen=True)
class Layer:
    """A layer, made anew when its parts have changed.

    ``kept_as`` is the catalogue's property that holds the stamp of the parts, ``file`` has the
    layer's arrays, ``reads`` is what a model reads in every passage for it, and ``needs`` are the
    layers that it is made from. ``format`` begins the stamp; it changes with the file's form.
    """

    name: LayerName
    kept_as: str
    file: str = ""
    reads: ReadingKind | None = None
    needs: tuple[LayerName, ...] = ()
    format: str = ""

    def stamp(self, index: Index) -> str:
        """The stamp of the layer, another one whenever it was made anew. Blocks.

        Raises RagraphsError where the index has no such layer.
        """
        stamp = self._recorded(index)
        if stamp is None:
            raise RagraphsError(
                f"The index has no {self.name} layer; build it with: ragraphs index --layers "
                f"{self.name} --index {index.folder}"
            )
        return stamp

    def stamp_of(self, *parts: Any) -> str:
        """The stamp of a layer that is made from ``parts``, which JSON can hold."""
        return self.format + hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def is_current(self, index: Index, stamp: str) -> bool:
        """Whether the layer has this stamp. Blocks."""
        return self._recorded(index) == stamp

    def record(self, index: Index, stamp: str) -> None:
        """Keeps the stamp of the layer, once it is made. Blocks."""
        index.catalogue.set_property(self.kept_as, stamp)

    def renew(self, index: Index, make: Callable[[Index], None], *parts: Any) -> None:
        """Makes the layer, unless it was made from the same ``parts`` before. Blocks."""
        stamp = self.stamp_of(*parts)
        if not self.is_current(index, stamp):
            make(index)
            self.record(index, stamp)

    def path(self, index: Index) -> Path:
        """The file of the layer's arrays."""
        return index.folder / self.file

    def _recorded(self, index: Index) -> str | None:
        stamp: str | None = index.catalogue.property(self.kept_as)
        if stamp is None or not stamp.startswith(self.format) or not self.path(index).exists():
            return None
        return stamp


SENTENCES = Layer("sentences", "linked", file="passage_graph.npz")
HOPS = Layer("hops", "connected", file="hops.npz", reads="questions", format="1:")
ENTITIES = Layer("entities", "merged", reads="facts")
HIERARCHY = Layer("communities", "clustered")
COMMUNITIES = Layer("communities", "reported", needs=("entities",))
LAYERS: Mapping[LayerName, Layer] = {
    layer.name: layer for layer in (SENTENCES, HOPS, ENTITIES, COMMUNITIES)
}


def layers_of(index: Index) -> list[LayerName]:
    """The layers that an index is built with. Blocks."""
    layers: list[LayerName] = index.catalogue.property("layers") or []
    return layers


def read_for(layers: Collection[str]) -> list[ReadingKind]:
    """The kinds of readings that ``layers`` need of every passage."""
    return [layer.reads for layer in LAYERS.values() if layer.reads and layer.name in layers]
