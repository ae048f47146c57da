"""The layers of an index: how each is called, what it needs, and what it was made from."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from ..context import LayerName
from ..models.meter import current_meter
from ..state.errors import RagraphsError
from ..stores.arrays import DamagedArraysError, Scratch
from .opening import Index

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..stores.readings import ReadingKind

logger = logging.getLogger("ragraphs.index")

Arrays = dict[str, "NDArray[Any]"]
Make = Callable[[Index, Scratch], Arrays]
_STAMP = "stamp"


@dataclass(frozen=True)
class Layer:
    """A layer, made anew when its parts have changed.

    ``kept_as`` is the catalogue's property that holds the stamp of the parts, ``file`` names the
    layer's arrays, whose file has the stamp in its name, ``reads`` is what a model reads in every
    passage for it, and ``needs`` are the layers that it is made from. ``format`` begins the stamp;
    it changes with the file's form.
    """

    name: LayerName
    kept_as: str
    file: str = ""
    reads: ReadingKind | None = None
    needs: tuple[LayerName, ...] = ()
    format: str = ""

    def stamp(self, index: Index) -> str:
        """The stamp of the layer, another one whenever it was made anew. Blocks.

        Raises RagraphsError where the index has no such layer, or has not finished it.
        """
        stamp = self._recorded(index)
        if stamp is None:
            raise RagraphsError(
                f"The {self.name} layer is begun and not finished; finish it with: ragraphs index "
                f"--index {index.name}"
                if self.name in wanted_layers(index)
                else f"The index has no {self.name} layer; build it with: ragraphs index --layers "
                f"{self.name} --index {index.name}"
            )
        return stamp

    def is_built(self, index: Index) -> bool:
        """Whether the layer was made, so that it can be asked. Blocks."""
        return self._recorded(index) is not None

    def stamp_of(self, *parts: Any) -> str:
        """The stamp of a layer that is made from ``parts``, which JSON can hold."""
        return self.format + hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def is_current(self, index: Index, stamp: str) -> bool:
        """Whether the layer has this stamp. Blocks."""
        return self._recorded(index) == stamp

    def record(self, index: Index, stamp: str) -> None:
        """Keeps the stamp of the layer, once it is made. Blocks."""
        index.catalogue.set_property(self.kept_as, stamp)

    def renew(self, index: Index, make: Make, *parts: Any) -> None:
        """Makes the layer, unless it was made from the same ``parts`` before. Blocks.

        What ``make`` returns are its arrays, which are made again where their files are damaged.
        It may make large ones in the files of the ``Scratch`` that it is given.
        """
        stamp = self.stamp_of(*parts)
        if self.is_current(index, stamp) and not (self.file and (index.anew or self.damage(index))):
            return
        started = time.monotonic()
        index.arrays.save(
            self._arrays(stamp),
            lambda scratch: {**make(index, scratch), _STAMP: np.array(stamp)},
        )
        self.record(index, stamp)
        self.log(time.monotonic() - started, {"passages": index.catalogue.count_passages()})

    def log(self, seconds: float, figures: Mapping[str, int]) -> None:
        """Tells the log that the layer was made, of how much, and how long it took."""
        told = ", ".join(f"{count} {name}" for name, count in figures.items())
        logger.info("the layer %s is made after %.1f s: %s", self.name, seconds, told)

    def load(self, index: Index, make: Make) -> Arrays:
        """The arrays of the layer; where their files are damaged, ``make`` makes them. Blocks.

        Raises RagraphsError where the index has no such layer.
        """
        try:
            return self._read(index)
        except DamagedArraysError as error:
            current_meter().warn(f"{error} The answer does not depend on it.")
            with TemporaryDirectory(prefix="ragraphs-", ignore_cleanup_errors=True) as folder:
                return make(index, Scratch(Path(folder)))  # mapped files stay until they are unused

    def damage(self, index: Index) -> str | None:
        """What is wrong with the layer's arrays, if it has any. Blocks."""
        try:
            if name := self.arrays(index):
                index.arrays.check(name)
                if not index.location.in_database:
                    self._read(index, thoroughly=True)
        except DamagedArraysError as error:
            return str(error)
        return None

    def arrays(self, index: Index) -> str | None:
        """The name of the layer's arrays, where there are any. Blocks."""
        stamp = self._recorded(index) if self.file else None
        return None if stamp is None else self._arrays(stamp)

    def path(self, index: Index) -> Path | None:
        """The folder of the layer's arrays, where there are any. Blocks."""
        name = self.arrays(index)
        return None if name is None else index.arrays.path(name)

    def _read(self, index: Index, thoroughly: bool = False) -> Arrays:
        while True:  # a file that is gone gave way to that of another stamp, or there is no layer
            stamp = self.stamp(index)
            name = self._arrays(stamp)
            with suppress(FileNotFoundError):
                arrays = index.arrays.load(name, thoroughly=thoroughly)
                if str(arrays.pop(_STAMP, "")) != stamp:
                    raise DamagedArraysError(index.arrays.path(name))
                return arrays

    def _arrays(self, stamp: str) -> str:
        return f"{self.file}-{stamp.removeprefix(self.format)[:16]}"

    def _recorded(self, index: Index) -> str | None:
        stamp: str | None = index.catalogue.property(self.kept_as)
        if stamp is None or not stamp.startswith(self.format):
            return None
        return stamp if not self.file or index.arrays.has(self._arrays(stamp)) else None


SENTENCES = Layer("sentences", "linked", file="passage_graph", format="2:")
HOPS = Layer("hops", "connected", file="hops", reads="questions", format="2:")
ENTITIES = Layer("entities", "merged", reads="facts")
HIERARCHY = Layer("communities", "clustered")
COMMUNITIES = Layer("communities", "reported", needs=("entities",))
LAYERS: Mapping[LayerName, Layer] = {
    layer.name: layer for layer in (SENTENCES, HOPS, ENTITIES, COMMUNITIES)
}


def wanted_layers(index: Index) -> list[LayerName]:
    """The layers that runs were asked for, whether they are built or only begun. Blocks."""
    layers: list[LayerName] = index.catalogue.property("layers") or []
    return layers


def built_layers(index: Index) -> list[LayerName]:
    """The layers that can be asked: the passages, and each that was made. Blocks."""
    return ["passages", *(name for name, layer in LAYERS.items() if layer.is_built(index))]


def unfinished_layers(index: Index) -> list[LayerName]:
    """The layers that runs were asked for, and that none has made yet. Blocks."""
    built = built_layers(index)
    return [name for name in wanted_layers(index) if name not in built]


def lacks_readings(index: Index, name: LayerName) -> bool:
    """Whether layer ``name`` cannot be made yet, since its model read no passage at all. Blocks."""
    layer = LAYERS[name]
    if layer.is_built(index) or not index.catalogue.count_passages():
        return False
    return not all(map(index.readings.count, read_for([name, *layer.needs])))


def read_for(layers: Collection[str]) -> list[ReadingKind]:
    """The kinds of readings that ``layers`` need of every passage."""
    return [layer.reads for layer in LAYERS.values() if layer.reads and layer.name in layers]
