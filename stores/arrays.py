"""Arrays that were derived from the catalogue: a folder of files, one for each array.

A folder never changes: arrays that are made again get one of another name. Large arrays are mapped
into memory, so that a process holds the parts of them that it uses. Of one of which few rows differ
from before, or few numbers of a list of texts or sparse vectors, the file is shared with the folder
before, and these stand beside it. The folders of an index in a database are this machine's copies
of files in a table.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..algorithms.spliced import Spliced
from ..state.errors import RagraphsError
from .moved_rows import ADDED, MOST_CHANGED, PLACES, RUNS, MovedRows, file_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import numpy as np
    from numpy.typing import DTypeLike, NDArray


ENDING = ".arrays"
UNFINISHED = ".new"
GONE = ".gone"
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


def save_arrays(
    folder: Path, make: Callable[[Scratch], Mapping[str, NDArray[Any]]], whole: bool = False
) -> None:
    """Writes the arrays that ``make`` returns to a new ``folder``: a reader sees all or none.

    Spliced arrays are ``whole`` there if asked. Raises RagraphsError where they cannot be written.
    """
    import numpy as np

    unfinished = folder.with_name(folder.name + UNFINISHED)
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        sums = {}
        for name, array in _parted(make(Scratch(unfinished)), whole):
            file = unfinished / f"{name}.npy"
            if known := _shared(array, file):
                sums[name] = known
                continue
            if isinstance(array, np.memmap) and file.exists():
                array.flush()
            elif isinstance(array, Spliced):
                _write(file, array)
            else:
                np.save(file, array, allow_pickle=False)
            sums[name] = [file.stat().st_size, _checksum(file)]
        (unfinished / LIST).write_text(json.dumps(sums), encoding="utf-8")
        os.replace(unfinished, folder)
    except OSError as error:
        raise unwritable(folder, error) from error


def _parted(arrays: Mapping[str, Any], whole: bool) -> Iterator[tuple[str, Any]]:
    for name, array in arrays.items():
        if isinstance(array, MovedRows):
            yield name, array.base
            yield name + PLACES, array.places
            yield name + ADDED, array.added
        elif isinstance(array, Spliced) and not whole and _shares(array):
            yield name, array.base
            yield name + RUNS, array.runs
            yield name + ADDED, array.added
        else:
            yield name, array


def _shares(array: Spliced) -> bool:
    """Whether most of the file below ``array`` is used, and little stands beside it."""
    base, beside = array.base, len(array.added)
    changed = max(beside, len(base) - len(array) + beside) * base.itemsize + array.runs.nbytes
    return file_of(base) is not None and changed <= MOST_CHANGED * base.nbytes


def _write(file: Path, array: Spliced) -> None:
    """Writes ``array`` as a whole, which need not be in memory."""
    import numpy as np

    described = {"descr": np.lib.format.dtype_to_descr(array.dtype), "fortran_order": False}
    with file.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, {**described, "shape": array.shape})
        for _, part in array.parts():
            stream.write(np.ascontiguousarray(part).data)


def _joined(arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {name: one for name, one in arrays.items() if "@" not in name}
    for name in list(found):
        for ending, kind in ((PLACES, MovedRows), (RUNS, Spliced)):
            if name + ending in arrays:
                found[name] = kind(arrays[name], arrays[name + ADDED], arrays[name + ending])
    return found


def _shared(array: NDArray[Any] | Spliced, file: Path) -> list[int] | None:
    """Lets ``file`` be the one that ``array`` maps; its size and checksum, or None if it is new."""
    source = None if isinstance(array, Spliced) else file_of(array)
    if source is None or source.parent == file.parent:
        return None
    listed: dict[str, list[int]] = json.loads((source.parent / LIST).read_bytes())
    try:
        os.link(source, file)
    except OSError:  # not every system has links
        shutil.copyfile(source, file)
    return listed[source.name.removesuffix(".npy")]


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
    return _joined(arrays)


def delete_arrays(folders: Iterable[Path]) -> None:
    """Deletes ``folders`` of arrays; whoever is loading one of them finds none, and never a part.

    Where the system holds the files of a folder, it stays for the next time.
    """
    for folder in folders:
        gone = folder.with_name(folder.name.removesuffix(GONE) + GONE)
        with suppress(OSError):
            folder.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)


def delete_arrays_but(folder: Path, kept: Iterable[Path]) -> None:
    """Deletes the arrays in ``folder``, finished or not, that are not among ``kept``."""
    delete_arrays(sorted(set(folder.glob(f"*{ENDING}*")) - set(kept)))
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
