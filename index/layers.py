"""The layers of an index: how each is called, what it needs, and what it was made from."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.spliced import Spliced
from ..context import LayerName
from ..models.meter import current_meter
from ..state.errors import RagraphsError
from ..stores.arrays import DamagedArraysError, Scratch
from ..stores.moved_rows import MovedRows
from ..stores.untold import UNASKED, UNLINKED, nothing_untold
from .opening import Index

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..stores.readings import ReadingKind

logger = logging.getLogger("ragraphs.index")

Arrays = dict[str, "NDArray[Any]"]
Make = Callable[[Index, Scratch], Arrays]
_STAMP, _MADE_BY = "stamp", "made_by"
PURGING = "purging"  # property: whether nothing that was removed may be left in any file


@dataclass(frozen=True)
class Layer:
    """A layer, made anew when its parts have changed.

    ``kept_as`` is the catalogue's property that holds the stamp of the parts. ``file`` is the kind
    of the layer's arrays, which get a new name whenever they are made, recorded with the stamp.
    ``reads`` is what a model reads in every passage for it, and ``needs`` are the layers that it is
    made from. ``format`` begins the stamp; it changes with the form of the arrays. ``noted_as`` is
    the property in which stores note the passages that change.
    """

    name: LayerName
    kept_as: str
    file: str = ""
    reads: ReadingKind | None = None
    needs: tuple[LayerName, ...] = ()
    format: str = ""
    noted_as: str = ""

    def stamp(self, index: Index) -> str:
        """The stamp of the layer, another one whenever it was made anew. Blocks.

        Raises RagraphsError where the index has no such layer, or has not finished it.
        """
        return self._found(index)[0]

    def _found(self, index: Index) -> tuple[str, str]:
        if (found := self._recorded(index)) is None:
            raise RagraphsError(
                f"The {self.name} layer is begun and not finished; finish it with: ragraphs index "
                f"--index {index.name}"
                if self.name in wanted_layers(index)
                else f"The index has no {self.name} layer; build it with: ragraphs index --layers "
                f"{self.name} --index {index.name}"
            )
        return found

    def is_built(self, index: Index) -> bool:
        """Whether the layer was made, so that it can be asked. Blocks."""
        return self._recorded(index) is not None

    def stamp_of(self, *parts: Any) -> str:
        """The stamp of a layer that is made from ``parts``, which JSON can hold."""
        return self.format + hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def is_current(self, index: Index, stamp: str) -> bool:
        """Whether the layer has this stamp. Blocks."""
        found = self._recorded(index)
        return found is not None and found[0] == stamp

    def record(self, index: Index, stamp: str, arrays: str = "") -> None:
        """Keeps the stamp of the layer, once it is made, and the name of its arrays. Blocks."""
        named = {self._named_as: arrays} if arrays else {}
        index.catalogue.set_properties({self.kept_as: stamp, **named})

    def renew(self, index: Index, make: Make, *parts: Any) -> None:
        """Makes the layer, unless it was made from the same ``parts`` before. Blocks.

        ``make`` returns its arrays, which are made again where their files are damaged. It may make
        large ones in the files of the ``Scratch`` that it is given.
        """
        stamp = self.stamp_of(*parts)
        if self.is_current(index, stamp) and not (self.file and self._is_due(index)):
            return
        started = time.monotonic()
        signed = {_STAMP: np.array(stamp), _MADE_BY: np.array(version("ragraphs"))}
        before = None if index.anew else self.arrays(index)
        purging = bool(index.catalogue.property(PURGING))
        name = index.arrays.save(
            self.file, lambda scratch: make(index, scratch) | signed, before, purging
        )
        self.record(index, stamp, name)
        self.log(time.monotonic() - started, {"passages": index.catalogue.count_passages()})

    def _is_due(self, index: Index) -> bool:
        """Whether arrays of the right stamp are to be made again."""
        if index.anew or self.damage(index):
            return True
        if not index.catalogue.property(PURGING):
            return False
        return any(isinstance(one, MovedRows | Spliced) for one in self._read(index).values())

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

    def before(self, index: Index) -> Arrays:
        """The arrays from which the next ones may take over what has not changed. Blocks.

        None of them where they are damaged, another version of the package has made them, or all is
        made anew.
        """
        with suppress(RagraphsError):
            arrays = {} if index.anew else self._read(index)
            if str(arrays.get(_MADE_BY)) == version("ragraphs"):
                return arrays
        return {}

    def noted(self, index: Index, before: Arrays) -> frozenset[str] | None:
        """The passages that came, went or changed since the arrays ``before`` were made. Blocks.

        None where any may have.
        """
        noted = index.catalogue.property(self.noted_as)
        if not before or noted is None or noted["made_by"] != self.stamp(index):
            return None
        return frozenset(noted["entities"])

    def note_made(self, index: Index) -> None:
        """From now on changes of passages are noted that this layer has not seen. Blocks."""
        index.catalogue.set_property(self.noted_as, nothing_untold(self.stamp(index)))

    def damage(self, index: Index) -> str | None:
        """Damage to the layer's arrays, in a sentence, or None. Blocks."""
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
        found = self._recorded(index) if self.file else None
        return None if found is None else found[1]

    def path(self, index: Index) -> Path | None:
        """The folder of the layer's arrays, where there are any. Blocks."""
        name = self.arrays(index)
        return None if name is None else index.arrays.path(name)

    def _read(self, index: Index, thoroughly: bool = False) -> Arrays:
        while True:  # arrays that are gone gave way to others, or there is no layer
            stamp, name = self._found(index)
            with suppress(FileNotFoundError):
                arrays = index.arrays.load(name, thoroughly=thoroughly)
                if str(arrays.pop(_STAMP, "")) != stamp:
                    raise DamagedArraysError(index.arrays.path(name))
                return arrays

    @property
    def _named_as(self) -> str:
        """The property that holds the name of the arrays."""
        return f"{self.kept_as}_arrays"

    def _recorded(self, index: Index) -> tuple[str, str] | None:
        """The stamp and the name of the arrays, where both are there."""
        looked_for = ""
        while True:
            stamp, name = index.catalogue.properties(self.kept_as, self._named_as)
            if stamp is None or not stamp.startswith(self.format):
                return None
            # An earlier version has named them by the stamp.
            name = name or f"{self.file}-{stamp.removeprefix(self.format)[:16]}"
            if not self.file or index.arrays.has(name):
                return stamp, name
            if name == looked_for:
                return None
            looked_for = name  # perhaps they gave way to others in this moment


SENTENCES = Layer("sentences", "linked", file="passage_graph", format="2:", noted_as=UNLINKED)
HOPS = Layer("hops", "connected", "hops", reads="questions", format="2:", noted_as=UNASKED)
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
