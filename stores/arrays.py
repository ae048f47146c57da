"""Arrays that were derived from the catalogue: a folder of files, one for each array.

Large arrays are mapped into memory, so that a process holds the parts of them that it uses. The
folders of an index in a database are this machine's copies of files in a table.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..state.errors import RagraphsError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    import numpy as np
    from numpy.typing import DTypeLike, NDArray
    from sqlalchemy import Engine


ENDING = ".arrays"
UNFINISHED = ".new"
LIST = "arrays.json"
_MAPPED_BYTES = 1 << 20
_CHECKED_BYTES = 64 << 20
_BLOCK = 1 << 20


class DamagedArraysError(RagraphsError):
    """A folder of arrays is not as it was written."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder.name} is damaged; ragraphs index makes it anew.")


class Scratch:
    """A folder in which arrays are made that may be larger than memory.

    >>> vectors = scratch.empty("vectors", (1_000_000, 384), np.float16)
    >>> vectors[:2] = embedder.embed(["One.", "Two."])
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def empty(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An array of a file, to be filled; returned under ``name``, it is stored as it stands."""
        import numpy as np

        if not np.prod(shape):  # an empty file cannot be mapped
            return np.empty(shape, dtype)
        return np.lib.format.open_memmap(self._folder / f"{name}.npy", "w+", dtype, shape)


class ArrayStore:
    """The arrays of the layers of an index, in ``folder``. All methods block.

    With the ``engine`` of a database they are kept there, and the folder has this machine's copies,
    which all its processes use.

    >>> store = ArrayStore(folder)
    >>> store.save("hops-1f", lambda scratch: {"edges": np.arange(3)})
    >>> store.load("hops-1f")["edges"]
    """

    def __init__(self, folder: Path, engine: Engine | None = None) -> None:
        self._folder = folder
        self._engine = engine

    def path(self, name: str) -> Path:
        """The folder of the arrays called ``name``."""
        return self._folder / f"{name}{ENDING}"

    def has(self, name: str) -> bool:
        """Whether there are arrays called ``name``."""
        from .array_chunks import has_chunks

        is_here = self.path(name).exists()
        return is_here or (self._engine is not None and has_chunks(self._engine, name))

    def save(self, name: str, make: Callable[[Scratch], Mapping[str, NDArray[Any]]]) -> None:
        """Keeps the arrays that ``make`` returns: a reader sees all or none.

        Raises RagraphsError where they cannot be written.
        """
        from .array_chunks import write_chunks

        save_arrays(self.path(name), make)
        if self._engine is not None:
            write_chunks(self._engine, name, self.path(name))

    def load(self, name: str, *, thoroughly: bool = False) -> dict[str, NDArray[Any]]:
        """The arrays called ``name``, as ``load_arrays`` gives them.

        Copies that are missing here, or damaged, are fetched from the database.
        """
        if self._engine is None:
            return load_arrays(self.path(name), thoroughly=thoroughly)
        from .array_chunks import fetch_chunks

        with suppress(FileNotFoundError, DamagedArraysError):
            return load_arrays(self.path(name), thoroughly=thoroughly)
        fetch_chunks(self._engine, name, self.path(name))
        return load_arrays(self.path(name))

    def check(self, name: str) -> None:
        """Raises DamagedArraysError where the database has only a part of the arrays."""
        if self._engine is not None:
            from .array_chunks import check_chunks

            check_chunks(self._engine, name)

    def take(self, name: str, other: ArrayStore) -> None:
        """Copies the arrays called ``name`` from ``other``."""
        other.load(name, thoroughly=True)  # which fetches those that are only in a database
        if self._engine is None:
            shutil.copytree(other.path(name), self.path(name), dirs_exist_ok=True)
        else:
            from .array_chunks import write_chunks

            write_chunks(self._engine, name, other.path(name))

    def delete_all_but(self, names: Iterable[str | None]) -> None:
        """Deletes all arrays, finished or not, but those called ``names``."""
        kept = [name for name in names if name is not None]
        delete_arrays_but(self._folder, [self.path(name) for name in kept])
        if self._engine is not None:
            from .array_chunks import delete_chunks_but

            delete_chunks_but(self._engine, kept)


def save_arrays(folder: Path, make: Callable[[Scratch], Mapping[str, NDArray[Any]]]) -> None:
    """Writes the arrays that ``make`` returns to ``folder`` atomically: a reader sees all or none.

    Raises RagraphsError where they cannot be written.
    """
    import numpy as np

    unfinished = folder.with_name(folder.name + UNFINISHED)
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        sums = {}
        for name, array in make(Scratch(unfinished)).items():
            file = unfinished / f"{name}.npy"
            if isinstance(array, np.memmap) and file.exists():
                array.flush()
            else:
                np.save(file, array, allow_pickle=False)
            sums[name] = [file.stat().st_size, _checksum(file)]
        (unfinished / LIST).write_text(json.dumps(sums), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)  # a damaged one
        os.replace(unfinished, folder)
    except OSError as error:
        raise unwritable(folder, error) from error


def unwritable(folder: Path, error: OSError) -> RagraphsError:
    """The sentence on a folder that cannot be written, as on a full disk."""
    return RagraphsError(
        f"{folder} cannot be written ({error.strerror or error}); check the disk and its "
        "permissions, and run the same command again."
    )


def load_arrays(folder: Path, *, thoroughly: bool = False) -> dict[str, NDArray[Any]]:
    """The arrays in ``folder``, which cannot be written to; large ones are mapped into memory.

    Raises FileNotFoundError where there are none, and DamagedArraysError where they are not as they
    were written. Of more than 64 MB, only ``thoroughly`` reads all to find that out.
    """
    import numpy as np

    if not folder.is_dir():
        raise FileNotFoundError(folder)
    try:
        sums: dict[str, list[int]] = json.loads((folder / LIST).read_bytes())
        files = {name: folder / f"{name}.npy" for name in sums}
        whole = all(files[name].stat().st_size == size for name, (size, _) in sums.items())
        if thoroughly or sum(size for size, _ in sums.values()) <= _CHECKED_BYTES:
            whole = whole and all(_checksum(files[name]) == sums[name][1] for name in sums)
        arrays = {name: _mapped(file, np) for name, file in files.items()} if whole else {}
    except Exception as error:  # JSON, the system and npy have an error of their own for every byte
        if not folder.is_dir():
            raise FileNotFoundError(folder) from error
        raise DamagedArraysError(folder) from error
    if not whole:
        raise DamagedArraysError(folder)
    return arrays


def delete_arrays_but(folder: Path, kept: Collection[Path | None]) -> None:
    """Deletes the arrays in ``folder``, finished or not, that are not among ``kept``."""
    for place in [*folder.glob(f"*{ENDING}"), *folder.glob(f"*{ENDING}{UNFINISHED}")]:
        if place not in kept:
            shutil.rmtree(place, ignore_errors=True)
    for file in [*folder.glob("*.npz"), *folder.glob("*.npz.new")]:  # of an earlier version
        file.unlink(missing_ok=True)


def _mapped(file: Path, numpy: Any) -> NDArray[Any]:
    is_large = file.stat().st_size >= _MAPPED_BYTES
    array = numpy.load(file, mmap_mode="r" if is_large else None, allow_pickle=False)
    # A plain view: each slice of numpy's own class costs microseconds.
    found: NDArray[np.generic] = numpy.asarray(array)
    found.flags.writeable = False
    return found


def _checksum(file: Path) -> int:
    checksum = 0
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            checksum = zlib.crc32(block, checksum)
    return checksum
